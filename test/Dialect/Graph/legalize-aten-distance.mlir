// RUN: coil-opt %s --graph-legalize-aten | FileCheck %s

// CHECK-LABEL: @all_pairs
// CHECK:         graph.sub %{{.*}} : (tensor<4x1x3xf32>, tensor<1x5x3xf32>) -> tensor<4x5x3xf32>
// CHECK:         graph.reduce sum, %{{.*}} dims [2]
// CHECK:         graph.sqrt
func.func @all_pairs(%x: tensor<4x3xf32>, %y: tensor<5x3xf32>) -> tensor<4x5xf32> {
  %0 = graph.aten "aten.cdist.default"(%x, %y) ["x1", "x2"] {p = 2.0 : f64} : (tensor<4x3xf32>, tensor<5x3xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// The first dimension of three elements.
// CHECK-LABEL: @cross
// CHECK-COUNT-4: graph.index %{{.*}} dims [1] : (tensor<2x3x3xf32>, tensor<3xi64>)
func.func @cross(%x: tensor<2x3x3xf32>, %y: tensor<2x3x3xf32>) -> tensor<2x3x3xf32> {
  %0 = graph.aten "aten.cross.default"(%x, %y) ["self", "other"] {} : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  return %0 : tensor<2x3x3xf32>
}

// The dimensions of the matrices go behind the others.
// CHECK-LABEL: @nuclear
// CHECK:         %[[P:.+]] = graph.permute %{{.*}} [1, 2, 0]
// CHECK:         %[[S:.+]]:3 = graph.custom_call "coil::linalg_svd"(%[[P]], false, false, false) : (tensor<3x5x4xf32>)
// CHECK:         graph.reduce sum, %[[S]]#1 dims [1]
func.func @nuclear(%x: tensor<4x3x5xf32>) -> tensor<1x3x1xf32> {
  %0 = graph.aten "aten.linalg_matrix_norm.str_ord"(%x) ["self"] {ord = "nuc", dim = array<i64: 2, 0>, keepdim = true} : (tensor<4x3x5xf32>) -> tensor<1x3x1xf32>
  return %0 : tensor<1x3x1xf32>
}

// CHECK-LABEL: @order
// CHECK:         graph.reason = "its order is not one that matrices have"
func.func @order(%x: tensor<4x3xf32>) -> tensor<f32> {
  %0 = graph.aten "aten.linalg_matrix_norm.default"(%x) ["self"] {ord = 3 : i64, dim = array<i64: -2, -1>, keepdim = false} : (tensor<4x3xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// Rows that are named and too long.
// CHECK-LABEL: @embedding_renorm
// CHECK:         %[[N:.+]] = graph.index_put
// CHECK:         graph.bitwise_and
// CHECK:         graph.select
func.func @embedding_renorm(%x: tensor<4x3xf32>, %i: tensor<2x2xi64>) -> tensor<4x3xf32> {
  %0 = graph.aten "aten.embedding_renorm.default"(%x, %i) ["self", "indices"] {max_norm = 1.0 : f64, norm_type = 2.0 : f64} : (tensor<4x3xf32>, tensor<2x2xi64>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// CHECK-LABEL: @singular_values
// CHECK:         %[[S:.+]]:3 = graph.custom_call "coil::linalg_svd"
// CHECK:         graph.reduce max, %[[S]]#1 dims [0]
func.func @singular_values(%x: tensor<4x3xf32>) -> tensor<f32> {
  %0 = graph.aten "aten.linalg_matrix_norm.default"(%x) ["self"] {ord = 2 : i64, dim = array<i64: -2, -1>, keepdim = false} : (tensor<4x3xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: @margin_of_triplets
// CHECK-COUNT-2: graph.reduce sum, %{{.*}} dims [1]
// CHECK:         graph.maximum
func.func @margin_of_triplets(%a: tensor<4x3xf32>, %p: tensor<4x3xf32>, %n: tensor<4x3xf32>) -> tensor<4xf32> {
  %0 = graph.aten "aten.triplet_margin_loss.default"(%a, %p, %n) ["anchor", "positive", "negative"] {margin = 1.0 : f64, p = 2.0 : f64, eps = 1.0e-6 : f64, swap = false, reduction = 0 : i64} : (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
