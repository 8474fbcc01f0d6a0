// RUN: coil-opt %s --coil-loop-pipeline='library=none' | FileCheck %s

// Kernels of a region are merged, and views folded, as at the top.
// CHECK-LABEL: @inside
// CHECK:         graph.if
// CHECK-NEXT:      %[[K:.+]] = loop.kernel "sin+neg"
// CHECK-NOT:       loop.view
// CHECK:           graph.yield %[[K]]
// CHECK:         } else {
// CHECK-NEXT:      %[[L:.+]] = loop.kernel "reduce_sum+exp+mul"
// CHECK:           graph.yield
func.func @inside(%p: tensor<i1>, %x: tensor<4x8xf32>, %y: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = graph.if %p : tensor<i1> -> (tensor<8x4xf32>) {
    %1 = graph.sin %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %2 = graph.permute %1 [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
    %3 = graph.neg %2 : (tensor<8x4xf32>) -> tensor<8x4xf32>
    graph.yield %3 : tensor<8x4xf32>
  } else {
    %1 = graph.reduce sum, %y dims [0] keepdims : (tensor<8x4xf32>) -> tensor<1x4xf32>
    %2 = graph.exp %1 : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %3 = graph.mul %y, %2 : (tensor<8x4xf32>, tensor<1x4xf32>) -> tensor<8x4xf32>
    graph.yield %3 : tensor<8x4xf32>
  }
  return %0 : tensor<8x4xf32>
}

// What runs once is not done in each iteration, and what runs under a condition
// not always.
// CHECK-LABEL: @across
// CHECK:         loop.kernel "exp"
// CHECK:         graph.while
// CHECK:           graph.condition
// CHECK:           loop.kernel "mul"
// CHECK:         loop.kernel "neg"
func.func @across(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %e = graph.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.while %x : tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    graph.condition %p : tensor<i1>
  } do {
  ^bb0(%a: tensor<4xf32>):
    %1 = graph.mul %a, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    graph.yield %1 : tensor<4xf32>
  }
  %2 = graph.neg %0 : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// A merged kernel stays behind the op that binds a symbol which it mentions,
// though it has no operand from there.
// CHECK-LABEL: @bound
// CHECK:         graph.item "u0"
// CHECK:         loop.kernel "{{.*}}[u0]
func.func @bound(%n: tensor<i64>, %x: tensor<1xf32>, %m: tensor<i64>) -> (tensor<?xf32, #sym.shape<[u0]>>, tensor<?xf32, #sym.shape<[u0]>>) attributes {sym.symbols = {u0 = #sym.range<0, 8>}} {
  graph.item "u0" = %n : tensor<i64>
  %0 = graph.broadcast %x : (tensor<1xf32>) -> tensor<?xf32, #sym.shape<[u0]>>
  %1 = graph.exp %0 : (tensor<?xf32, #sym.shape<[u0]>>) -> tensor<?xf32, #sym.shape<[u0]>>
  %2 = graph.sin %0 : (tensor<?xf32, #sym.shape<[u0]>>) -> tensor<?xf32, #sym.shape<[u0]>>
  %3 = graph.add %1, %2 : (tensor<?xf32, #sym.shape<[u0]>>, tensor<?xf32, #sym.shape<[u0]>>) -> tensor<?xf32, #sym.shape<[u0]>>
  return %3, %2 : tensor<?xf32, #sym.shape<[u0]>>, tensor<?xf32, #sym.shape<[u0]>>
}

// A kernel that keeps a result for a branch stays in front of it.
// CHECK-LABEL: @kept
// CHECK:         %[[K:.+]]:2 = loop.kernel "exp+reduce_sum"
// CHECK:         graph.if
// CHECK:           loop.kernel "{{.*}}" {{.*}} = %[[K]]#{{[01]}}
func.func @kept(%x: tensor<64x256xf32>) -> (tensor<64x256xf32>, tensor<64xf32>) {
  %e = graph.exp %x : (tensor<64x256xf32>) -> tensor<64x256xf32>
  %s = graph.reduce sum, %e dims [1] : (tensor<64x256xf32>) -> tensor<64xf32>
  %t = graph.slice %s starts <[0]> steps [1] : (tensor<64xf32>) -> tensor<1xf32>
  %c = graph.compare gt, %t, %t : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xi1>
  %0 = graph.if %c : tensor<1xi1> -> (tensor<64x256xf32>) {
    %1 = graph.neg %e : (tensor<64x256xf32>) -> tensor<64x256xf32>
    graph.yield %1 : tensor<64x256xf32>
  } else {
    graph.yield %e : tensor<64x256xf32>
  }
  return %0, %s : tensor<64x256xf32>, tensor<64xf32>
}
