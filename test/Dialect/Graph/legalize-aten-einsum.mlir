// RUN: coil-opt %s --graph-legalize-aten | FileCheck %s

// CHECK-LABEL: @batched
// CHECK:         graph.matmul %{{.*}} : (tensor<2x3x5xf32>, tensor<2x5x7xf32>) -> tensor<2x3x7xf32>
// CHECK:         graph.permute %{{.*}} [0, 2, 1]
func.func @batched(%x: tensor<2x3x5xf32>, %y: tensor<2x5x7xf32>) -> tensor<2x7x3xf32> {
  %0 = graph.aten "aten.einsum.default"(%x, %y) ["tensors", "tensors"] {equation = "bij,bjk->bki"} : (tensor<2x3x5xf32>, tensor<2x5x7xf32>) -> tensor<2x7x3xf32>
  return %0 : tensor<2x7x3xf32>
}

// A name twice in an operand is its diagonal; one that is not in the output is
// summed over.
// CHECK-LABEL: @trace
// CHECK:         graph.index %{{.*}} dims [0, 1]
// CHECK:         graph.reduce sum, %{{.*}} dims [0]
func.func @trace(%x: tensor<3x3xf32>) -> tensor<f32> {
  %0 = graph.aten "aten.einsum.default"(%x) ["tensors"] {equation = "ii"} : (tensor<3x3xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: @outer_is_no_contraction
// CHECK-NOT:     graph.matmul
// CHECK:         graph.mul
func.func @outer_is_no_contraction(%x: tensor<3xf32>, %y: tensor<5xf32>) -> tensor<3x5xf32> {
  %0 = graph.aten "aten.einsum.default"(%x, %y) ["tensors", "tensors"] {equation = "i,j->ij"} : (tensor<3xf32>, tensor<5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// CHECK-LABEL: @ellipsis_broadcasts
// CHECK:         graph.matmul
func.func @ellipsis_broadcasts(%x: tensor<2x1x3x5xf32>, %y: tensor<4x5x7xf32>) -> tensor<2x4x3x7xf32> {
  %0 = graph.aten "aten.einsum.default"(%x, %y) ["tensors", "tensors"] {equation = "...ij,...jk->...ik"} : (tensor<2x1x3x5xf32>, tensor<4x5x7xf32>) -> tensor<2x4x3x7xf32>
  return %0 : tensor<2x4x3x7xf32>
}

// CHECK-LABEL: @wrong_term
// CHECK:         graph.aten {{.*}}graph.reason = "the term 'ijk' of its equation does not fit its operand"
func.func @wrong_term(%x: tensor<3x5xf32>) -> tensor<3xf32> {
  %0 = graph.aten "aten.einsum.default"(%x) ["tensors"] {equation = "ijk->i"} : (tensor<3x5xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
