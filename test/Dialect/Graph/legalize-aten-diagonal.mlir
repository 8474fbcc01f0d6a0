// RUN: coil-opt %s --graph-legalize-aten | FileCheck %s

// CHECK-LABEL: @diagonal_of_matrices
// CHECK:         graph.index %{{.*}} dims [1, 2] : (tensor<2x3x5xf32>, tensor<3xi64>, tensor<3xi64>) -> tensor<2x3xf32>
func.func @diagonal_of_matrices(%x: tensor<2x3x5xf32>) -> tensor<2x3xf32> {
  %0 = graph.aten "aten.linalg_diagonal.default"(%x) ["A"] {offset = 1 : i64, dim1 = -2 : i64, dim2 = -1 : i64} : (tensor<2x3x5xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// Below the diagonal, rows of zeros come first.
// CHECK-LABEL: @matrix_of_diagonal
// CHECK:         graph.pad %{{.*}} low [2] high [0]
// CHECK:         %[[D:.+]] = graph.compare eq
// CHECK:         graph.select %[[D]], {{.*}} -> tensor<5x5xf32>
func.func @matrix_of_diagonal(%x: tensor<3xf32>) -> tensor<5x5xf32> {
  %0 = graph.aten "aten.diag.default"(%x) ["self"] {diagonal = -2 : i64} : (tensor<3xf32>) -> tensor<5x5xf32>
  return %0 : tensor<5x5xf32>
}

// The two dimensions are in the order of the arguments.
// CHECK-LABEL: @embedded_in_other_order
// CHECK:         graph.permute %{{.*}} [2, 0, 1] : (tensor<2x3x3xf32>) -> tensor<3x2x3xf32>
func.func @embedded_in_other_order(%x: tensor<2x3xf32>) -> tensor<3x2x3xf32> {
  %0 = graph.aten "aten.diag_embed.default"(%x) ["self"] {offset = 0 : i64, dim1 = 2 : i64, dim2 = 0 : i64} : (tensor<2x3xf32>) -> tensor<3x2x3xf32>
  return %0 : tensor<3x2x3xf32>
}

// CHECK-LABEL: @blocks
// CHECK:         graph.cat %{{.*}} dim 1 : ({{.*}}) -> tensor<2x5xf32>
// CHECK:         graph.cat %{{.*}} dim 1 : ({{.*}}) -> tensor<1x5xf32>
// CHECK:         graph.cat %{{.*}} dim 0 : ({{.*}}) -> tensor<3x5xf32>
func.func @blocks(%x: tensor<2x3xf32>, %y: tensor<2xf32>) -> tensor<3x5xf32> {
  %0 = graph.aten "aten.block_diag.default"(%x, %y) ["tensors", "tensors"] {} : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// CHECK-LABEL: @kron
// CHECK:         graph.mul %{{.*}} : (tensor<2x1x3x1xf32>, tensor<1x1x1x5xf32>) -> tensor<2x1x3x5xf32>
func.func @kron(%x: tensor<2x3xf32>, %y: tensor<5xf32>) -> tensor<2x15xf32> {
  %0 = graph.aten "aten.kron.default"(%x, %y) ["self", "other"] {} : (tensor<2x3xf32>, tensor<5xf32>) -> tensor<2x15xf32>
  return %0 : tensor<2x15xf32>
}
