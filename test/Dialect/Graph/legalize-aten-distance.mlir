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

// Rows of which each distance is are differences again; where a distance is zero nothing changes.
// CHECK-LABEL: @cdist_backward
// CHECK:         %[[DIFF:.*]] = graph.sub %{{.*}} : (tensor<3x1x5xf32>, tensor<1x4x5xf32>) -> tensor<3x4x5xf32>
// CHECK:         %[[ZERO:.*]] = graph.compare eq, %{{.*}} : (tensor<3x4x1xf32>, tensor<f32>)
// CHECK:         graph.mul %{{.*}}, %[[DIFF]]
// CHECK:         graph.select %[[ZERO]]
// CHECK:         graph.reduce sum, %{{.*}} dims [1] : (tensor<3x4x5xf32>) -> tensor<3x5xf32>
func.func @cdist_backward(%g: tensor<3x4xf32>, %x: tensor<3x5xf32>, %y: tensor<4x5xf32>, %d: tensor<3x4xf32>) -> tensor<3x5xf32> {
  %0 = graph.aten "aten._cdist_backward.default"(%g, %x, %y, %d) ["grad", "x1", "x2", "cdist"] {p = 2.0 : f64} : (tensor<3x4xf32>, tensor<3x5xf32>, tensor<4x5xf32>, tensor<3x4xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// CHECK-LABEL: @cdist_backward_of_vectors
// CHECK:         graph.reason = "its operands are not matrices"
func.func @cdist_backward_of_vectors(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = graph.aten "aten._cdist_backward.default"(%x, %x, %x, %x) ["grad", "x1", "x2", "cdist"] {p = 2.0 : f64} : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// Pairs of as many rows as the run has are found by bisection.
// CHECK-LABEL: @pairs_of_some_rows
// CHECK-NOT:     graph.aten
// CHECK:         graph.floor_div
// CHECK:         graph.index %arg0
func.func @pairs_of_some_rows(%x: tensor<?x3xf32, #sym.shape<[s0, 3]>>) -> tensor<?xf32, #sym.shape<[(s0 * s0 - s0) floordiv 2]>> attributes {sym.symbols = {s0 = #sym.range<2, 1000>}} {
  %0 = graph.aten "aten.pdist.default"(%x) ["self"] {p = 2.0 : f64} : (tensor<?x3xf32, #sym.shape<[s0, 3]>>) -> tensor<?xf32, #sym.shape<[(s0 * s0 - s0) floordiv 2]>>
  return %0 : tensor<?xf32, #sym.shape<[(s0 * s0 - s0) floordiv 2]>>
}
