// RUN: coil-opt %s --graph-legalize-aten | FileCheck %s

// The gradient of the operand is a convolution with the kernel turned around, that of the weight a matrix product over
// all windows, that of the bias a sum.
// CHECK-LABEL: @convolution
// CHECK:         graph.conv {{.*}} stride [1, 1] padding [1, 1] dilation [1, 1] groups 1 : (tensor<2x4x8x8xf32>, tensor<3x4x3x3xf32>) -> tensor<2x3x8x8xf32>
// CHECK:         graph.matmul {{.*}} : (tensor<1x4x128xf32>, tensor<1x128x27xf32>) -> tensor<1x4x27xf32>
// CHECK:         graph.reduce sum, %{{.*}} dims [0, 2, 3] : (tensor<2x4x8x8xf32>) -> tensor<4xf32>
func.func @convolution(%g: tensor<2x4x8x8xf32>, %x: tensor<2x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) -> (tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>) {
  %0:3 = graph.aten "aten.convolution_backward.default"(%g, %x, %w) ["grad_output", "input", "weight"] {bias_sizes = array<i64: 4>, stride = array<i64: 1, 1>, padding = array<i64: 1, 1>, dilation = array<i64: 1, 1>, transposed = false, output_padding = array<i64: 0, 0>, groups = 1 : i64, output_mask = array<i1: true, true, true>} : (tensor<2x4x8x8xf32>, tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>) -> (tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>)
  return %0#0, %0#1, %0#2 : tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>
}

// An operator has the results that its mask names. Where each group has one row, no matrix of windows is made.
// CHECK-LABEL: @weight_of_groups
// CHECK-NOT:     graph.conv
// CHECK-NOT:     graph.matmul
// CHECK:         graph.reduce sum, %{{.*}} dims [1] : (tensor<3x{{[0-9]+}}x3xf32>) -> tensor<3x3xf32>
func.func @weight_of_groups(%g: tensor<2x3x8xf32>, %x: tensor<2x3x8xf32>, %w: tensor<3x1x3xf32>) -> tensor<3x1x3xf32> {
  %0 = graph.aten "aten.convolution_backward.default"(%g, %x, %w) ["grad_output", "input", "weight"] {bias_sizes = array<i64: 0>, stride = array<i64: 1>, padding = array<i64: 1>, dilation = array<i64: 1>, transposed = false, output_padding = array<i64: 0>, groups = 3 : i64, output_mask = array<i1: false, true, false>} : (tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<3x1x3xf32>) -> tensor<3x1x3xf32>
  return %0 : tensor<3x1x3xf32>
}

// CHECK-LABEL: @mask_is_missing
// CHECK:         graph.aten {{.*}}graph.reason = "it has 1 results instead of 3"
func.func @mask_is_missing(%g: tensor<2x3x8xf32>, %x: tensor<2x3x8xf32>, %w: tensor<3x1x3xf32>) -> tensor<3x1x3xf32> {
  %0 = graph.aten "aten.convolution_backward.default"(%g, %x, %w) ["grad_output", "input", "weight"] {stride = array<i64: 1>, padding = array<i64: 1>, dilation = array<i64: 1>, transposed = false, groups = 3 : i64} : (tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<3x1x3xf32>) -> tensor<3x1x3xf32>
  return %0 : tensor<3x1x3xf32>
}

// An element is in at most two windows of three elements with stride 2.
// CHECK-LABEL: @average
// CHECK:         graph.index %{{.*}} dims [2] : ({{.*}}) -> tensor<1x1x8x2x4xf32>
// CHECK:         graph.reduce sum, %{{.*}} dims [3] : (tensor<1x1x8x2x4xf32>) -> tensor<1x1x8x4xf32>
// CHECK:         graph.reduce sum, %{{.*}} dims [4] : (tensor<1x1x8x8x2xf32>) -> tensor<1x1x8x8xf32>
func.func @average(%g: tensor<1x1x4x4xf32>, %x: tensor<1x1x8x8xf32>) -> tensor<1x1x8x8xf32> {
  %0 = graph.aten "aten.avg_pool2d_backward.default"(%g, %x) ["grad_output", "self"] {kernel_size = array<i64: 3, 3>, stride = array<i64: 2, 2>, padding = array<i64: 1, 1>, ceil_mode = false, count_include_pad = true} : (tensor<1x1x4x4xf32>, tensor<1x1x8x8xf32>) -> tensor<1x1x8x8xf32>
  return %0 : tensor<1x1x8x8xf32>
}

// Elements that were repeated are added to their own.
// CHECK-LABEL: @replicated
// CHECK:         graph.index_put sum {{.*}} dims [2] : (tensor<1x2x5xf32>, tensor<8xi64>, tensor<1x2x8xf32>)
func.func @replicated(%g: tensor<1x2x8xf32>, %x: tensor<1x2x5xf32>) -> tensor<1x2x5xf32> {
  %0 = graph.aten "aten.replication_pad1d_backward.default"(%g, %x) ["grad_output", "self"] {padding = array<i64: 1, 2>} : (tensor<1x2x8xf32>, tensor<1x2x5xf32>) -> tensor<1x2x5xf32>
  return %0 : tensor<1x2x5xf32>
}

// Nearest elements: the gradient of the grid is zero.
// CHECK-LABEL: @grid_nearest
// CHECK:         graph.index_put sum {{.*}} dims [0, 2, 3]
func.func @grid_nearest(%g: tensor<1x2x3x3xf32>, %x: tensor<1x2x4x4xf32>, %p: tensor<1x3x3x2xf32>) -> (tensor<1x2x4x4xf32>, tensor<1x3x3x2xf32>) {
  %0:2 = graph.aten "aten.grid_sampler_2d_backward.default"(%g, %x, %p) ["grad_output", "input", "grid"] {interpolation_mode = 1 : i64, padding_mode = 0 : i64, align_corners = false, output_mask = array<i1: true, true>} : (tensor<1x2x3x3xf32>, tensor<1x2x4x4xf32>, tensor<1x3x3x2xf32>) -> (tensor<1x2x4x4xf32>, tensor<1x3x3x2xf32>)
  return %0#0, %0#1 : tensor<1x2x4x4xf32>, tensor<1x3x3x2xf32>
}
