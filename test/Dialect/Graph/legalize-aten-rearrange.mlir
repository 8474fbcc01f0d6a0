// RUN: coil-opt %s --graph-legalize-aten | FileCheck %s

// CHECK-LABEL: @scalars_side_by_side
// CHECK:         graph.cat %{{.*}} dim 0 : (tensor<1xf32>, tensor<3xf32>) -> tensor<4xf32>
func.func @scalars_side_by_side(%x: tensor<f32>, %y: tensor<3xf32>) -> tensor<4xf32> {
  %0 = graph.aten "aten.hstack.default"(%x, %y) ["tensors", "tensors"] {} : (tensor<f32>, tensor<3xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @quarter_turn
// CHECK:         graph.slice %{{.*}} starts <[0, 4]> steps [1, -1]
// CHECK:         graph.permute %{{.*}} [1, 0] : (tensor<3x5xf32>) -> tensor<5x3xf32>
func.func @quarter_turn(%x: tensor<3x5xf32>) -> tensor<5x3xf32> {
  %0 = graph.aten "aten.rot90.default"(%x) ["self"] {k = 5 : i64, dims = array<i64: 0, 1>} : (tensor<3x5xf32>) -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}

// CHECK-LABEL: @pixel_shuffle
// CHECK:         graph.permute %{{.*}} [0, 1, 4, 2, 5, 3] : (tensor<2x1x3x3x4x5xf32>) -> tensor<2x1x4x3x5x3xf32>
func.func @pixel_shuffle(%x: tensor<2x9x4x5xf32>) -> tensor<2x1x12x15xf32> {
  %0 = graph.aten "aten.pixel_shuffle.default"(%x) ["self"] {upscale_factor = 3 : i64} : (tensor<2x9x4x5xf32>) -> tensor<2x1x12x15xf32>
  return %0 : tensor<2x1x12x15xf32>
}

// CHECK-LABEL: @sum_to_size
// CHECK:         graph.reduce sum, %{{.*}} dims [0, 2] keepdims
func.func @sum_to_size(%x: tensor<2x3x5xf32>) -> tensor<3x1xf32> {
  %0 = graph.aten "aten.sum_to_size.default"(%x) ["self"] {size = array<i64: 3, 1>} : (tensor<2x3x5xf32>) -> tensor<3x1xf32>
  return %0 : tensor<3x1xf32>
}

// CHECK-LABEL: @second_order_edges
// CHECK-COUNT-3: graph.slice
// CHECK:         graph.cat %{{.*}} dim 0 : (tensor<1xf32>, tensor<5xf32>, tensor<1xf32>) -> tensor<7xf32>
func.func @second_order_edges(%x: tensor<7xf32>) -> tensor<7xf32> {
  %0 = graph.aten "aten.gradient.scalarint"(%x) ["self"] {spacing = 0.5 : f64, dim = 0 : i64, edge_order = 2 : i64} : (tensor<7xf32>) -> tensor<7xf32>
  return %0 : tensor<7xf32>
}
