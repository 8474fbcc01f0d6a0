// RUN: coil-opt %s --convert-graph-to-loop --convert-loop-to-wrapper --split-input-file | FileCheck %s

// What nobody has written to is a result without a kernel.
// CHECK-LABEL: wrapper.func @result
// CHECK:         %[[B:.+]] = wrapper.alloc {coil.uninitialized}
// CHECK-NEXT:    wrapper.return %[[B]]
func.func @result() -> tensor<4x6xf32> {
  %0 = graph.full 0.000000e+00 : f32 {coil.uninitialized} -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

// A kernel that reads it finds zeros.
// CHECK-LABEL: wrapper.func @reader
// CHECK:         %[[B:.+]] = wrapper.alloc :
// CHECK:         wrapper.launch @full{{.*}} outs(%[[B]]
// CHECK:         wrapper.launch @exp{{.*}} ins(%[[B]]
func.func @reader() -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = graph.full 0.000000e+00 : f32 {coil.uninitialized} -> tensor<4xf32>
  %1 = graph.exp %0 : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// One that writes to all places needs none, one that adds to them does.
// CHECK-LABEL: wrapper.func @written
// CHECK:         %[[B:.+]] = wrapper.alloc {coil.uninitialized}
// CHECK-NOT:     wrapper.launch @full
// CHECK:         wrapper.launch @index_put
func.func @written(%i: tensor<4xi64>, %v: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.full 0.000000e+00 : f32 {coil.uninitialized} -> tensor<4xf32>
  %1 = graph.index_put %0[%i], %v dims [0] : (tensor<4xf32>, tensor<4xi64>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// CHECK-LABEL: wrapper.func @added
// CHECK:         wrapper.launch @full
// CHECK:         wrapper.launch @index_put
func.func @added(%i: tensor<4xi64>, %v: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.full 0.000000e+00 : f32 {coil.uninitialized} -> tensor<4xf32>
  %1 = graph.index_put sum %0[%i], %v dims [0] : (tensor<4xf32>, tensor<4xi64>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
