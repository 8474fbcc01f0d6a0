// RUN: coil-opt %s --graph-legalize-aten | FileCheck %s

// Results are computed in the element type that a file declares for them, which
// has to be the one that the operator gives.

// CHECK-LABEL: func.func @promoted
// CHECK: graph.aten "aten.mul.Tensor"
// CHECK-SAME: result 0 is declared with elements of type f64 but computed with f32
func.func @promoted(%x: tensor<4xf32>) -> tensor<4xf64> {
  %0 = graph.aten "aten.mul.Tensor"(%x, %x) ["self", "other"] {} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}

// CHECK-LABEL: func.func @float
// CHECK: graph.aten "aten.exp.default"
// CHECK-SAME: declared with elements of type i64 but computed with f32
func.func @float(%x: tensor<4xi64>) -> tensor<4xi64> {
  %0 = graph.aten "aten.exp.default"(%x) ["self"] {} : (tensor<4xi64>) -> tensor<4xi64>
  return %0 : tensor<4xi64>
}

// CHECK-LABEL: func.func @bool
// CHECK: graph.aten "aten.eq.Tensor"
// CHECK-SAME: declared with elements of type f32 but computed with i1
func.func @bool(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.aten "aten.eq.Tensor"(%x, %x) ["self", "other"] {} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @like
// CHECK: graph.aten "aten.relu.default"
// CHECK-SAME: declared with elements of type i32 but computed with f32
func.func @like(%x: tensor<4xf32>) -> tensor<4xi32> {
  %0 = graph.aten "aten.relu.default"(%x) ["self"] {} : (tensor<4xf32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// CHECK-LABEL: func.func @fits
// CHECK-NOT: graph.aten
func.func @fits(%x: tensor<4xf16>, %n: tensor<4xi64>) -> (tensor<4xf16>, tensor<4xf64>) {
  %0 = graph.aten "aten.mul.Tensor"(%x) ["self"] {other = 2.5 : f64} : (tensor<4xf16>) -> tensor<4xf16>
  // The default type of the program is f64.
  %1 = graph.aten "aten.exp.default"(%n) ["self"] {} : (tensor<4xi64>) -> tensor<4xf64>
  return %0, %1 : tensor<4xf16>, tensor<4xf64>
}

// What has no element is the same, whatever the operator computes and of which type.
// CHECK-LABEL: @nothing
// CHECK-NOT:     graph.aten
// CHECK:         graph.full 0 : i8 -> tensor<1x0xi8>
func.func @nothing(%x: tensor<1x0xi8>) -> tensor<1x0xi8> {
  %0 = graph.aten "aten._log_softmax.default"(%x) ["self"] {dim = 0 : i64, half_to_float = false} : (tensor<1x0xi8>) -> tensor<1x0xi8>
  return %0 : tensor<1x0xi8>
}
