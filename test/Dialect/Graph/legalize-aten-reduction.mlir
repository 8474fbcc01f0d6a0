// RUN: coil-opt %s --graph-legalize-aten | FileCheck %s

// CHECK-LABEL: @sum_of_all
// CHECK-NEXT:    graph.reduce sum, %{{.*}} dims [0, 1] : (tensor<4x8xf32>) -> tensor<f32>
func.func @sum_of_all(%x: tensor<4x8xf32>) -> tensor<f32> {
  %0 = graph.aten "aten.sum.default"(%x) ["self"] {} : (tensor<4x8xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: @sum_of_integers_is_wide
// CHECK:         %[[C:.+]] = graph.convert %{{.*}} : (tensor<4x8xi8>) -> tensor<4x8xi64>
// CHECK:         graph.reduce sum, %[[C]] dims [1] keepdims
func.func @sum_of_integers_is_wide(%x: tensor<4x8xi8>) -> tensor<4x1xi64> {
  %0 = graph.aten "aten.sum.dim_IntList"(%x) ["self"] {dim = array<i64: -1>, keepdim = true} : (tensor<4x8xi8>) -> tensor<4x1xi64>
  return %0 : tensor<4x1xi64>
}

// CHECK-LABEL: @sum_of_scalar
// CHECK-SAME:    %[[X:.+]]: tensor<f32>
// CHECK-NEXT:    return %[[X]]
func.func @sum_of_scalar(%x: tensor<f32>) -> tensor<f32> {
  %0 = graph.aten "aten.sum.dim_IntList"(%x) ["self"] {dim = array<i64: 0>, keepdim = false} : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// The mean of 16-bit floats is rounded once.
// CHECK-LABEL: @mean_in_half_precision
// CHECK:         %[[C:.+]] = graph.convert %{{.*}} -> tensor<4x?xf32
// CHECK:         %[[S:.+]] = graph.reduce sum, %[[C]] dims [1]
// CHECK:         %[[N:.+]] = graph.expr <s0> -> tensor<f32>
// CHECK:         %[[M:.+]] = graph.div %[[S]], %[[N]]
// CHECK:         graph.convert %[[M]] : (tensor<4xf32>) -> tensor<4xbf16>
func.func @mean_in_half_precision(%x: tensor<4x?xbf16, #sym.shape<[4, s0]>>) -> tensor<4xbf16>
    attributes {sym.symbols = {s0 = #sym.range<2, 64>}} {
  %0 = graph.aten "aten.mean.dim"(%x) ["self"] {dim = array<i64: 1>, keepdim = false} : (tensor<4x?xbf16, #sym.shape<[4, s0]>>) -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// CHECK-LABEL: @any_of_numbers
// CHECK:         %[[C:.+]] = graph.convert %{{.*}} : (tensor<4x8xf32>) -> tensor<4x8xi1>
// CHECK:         graph.reduce any, %[[C]] dims [0]
func.func @any_of_numbers(%x: tensor<4x8xf32>) -> tensor<8xi1> {
  %0 = graph.aten "aten.any.dim"(%x) ["self"] {dim = 0 : i64, keepdim = false} : (tensor<4x8xf32>) -> tensor<8xi1>
  return %0 : tensor<8xi1>
}

// CHECK-LABEL: @max_with_positions
// CHECK-NEXT:    graph.arg_reduce max, %{{.*}} dim 1 keepdims
func.func @max_with_positions(%x: tensor<4x8xf32>) -> (tensor<4x1xf32>, tensor<4x1xi64>) {
  %0:2 = graph.aten "aten.max.dim"(%x) ["self"] {dim = 1 : i64, keepdim = true} : (tensor<4x8xf32>) -> (tensor<4x1xf32>, tensor<4x1xi64>)
  return %0#0, %0#1 : tensor<4x1xf32>, tensor<4x1xi64>
}

// CHECK-LABEL: @argmax_of_all
// CHECK:         %[[F:.+]] = graph.reshape %{{.*}} : (tensor<4x8xf32>) -> tensor<32xf32>
// CHECK:         %{{.*}}, %[[P:.+]] = graph.arg_reduce max, %[[F]] dim 0
// CHECK:         return %[[P]] : tensor<i64>
func.func @argmax_of_all(%x: tensor<4x8xf32>) -> tensor<i64> {
  %0 = graph.aten "aten.argmax.default"(%x) ["self"] {keepdim = false} : (tensor<4x8xf32>) -> tensor<i64>
  return %0 : tensor<i64>
}

// The divisor is one less than the count.
// CHECK-LABEL: @variance
// CHECK-DAG:     %[[D:.+]] = graph.full 7.000000e+00 : f32
// CHECK-DAG:     %{{.+}}, %[[M2:.+]] = graph.welford %{{.*}} dims [1] : (tensor<4x8xf32>)
// CHECK:         graph.div %[[M2]], %[[D]]
func.func @variance(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %0 = graph.aten "aten.var.correction"(%x) ["self"] {dim = array<i64: 1>, correction = 1 : i64, keepdim = false} : (tensor<4x8xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @norms
// CHECK:         graph.sqrt
// CHECK:         graph.reduce max
func.func @norms(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<f32>) {
  %0 = graph.aten "aten.linalg_vector_norm.default"(%x) ["self"] {ord = 2 : i64, dim = array<i64: 1>, keepdim = false} : (tensor<4x8xf32>) -> tensor<4xf32>
  %1 = graph.aten "aten.linalg_vector_norm.default"(%x) ["self"] {ord = 0x7FF0000000000000 : f64, keepdim = false} : (tensor<4x8xf32>) -> tensor<f32>
  return %0, %1 : tensor<4xf32>, tensor<f32>
}

// CHECK-LABEL: @logsumexp
// CHECK:         graph.reduce max
// CHECK:         graph.isinf
// CHECK:         graph.exp
// CHECK:         graph.reduce sum
// CHECK:         graph.log
func.func @logsumexp(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %0 = graph.aten "aten.logsumexp.default"(%x) ["self"] {dim = array<i64: 1>, keepdim = false} : (tensor<4x8xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
