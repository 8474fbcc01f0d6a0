// RUN: coil-opt %s --convert-graph-to-loop | FileCheck %s

// Of many operands, an element finds its own among few: a concatenation is one
// of concatenations.
// CHECK-LABEL: func @many
// CHECK: %[[A:.*]] = loop.kernel "cat" [2, 34]
// CHECK-COUNT-17: loop.load
// CHECK: %[[B:.*]] = loop.kernel "cat" [2, 34]
// CHECK-COUNT-17: loop.load
// CHECK: loop.kernel "cat" [2, 68] (%{{.*}} = %[[A]], %{{.*}} = %[[B]])
// CHECK-COUNT-2: loop.load
// CHECK-NOT: loop.load
func.func @many(%a: tensor<2x2xf32>) -> tensor<2x68xf32> {
  %0 = graph.cat %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a dim 1 : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x68xf32>
  return %0 : tensor<2x68xf32>
}
