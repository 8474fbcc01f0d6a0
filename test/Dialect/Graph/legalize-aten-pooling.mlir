// RUN: coil-opt %s --graph-legalize-aten | FileCheck %s

// Without positions, windows of one size are one op.
// CHECK-LABEL: @values_alone
// CHECK-NEXT:    graph.pool max
func.func @values_alone(%x: tensor<2x3x8x8xf32>) -> tensor<2x3x4x4xf32> {
  %0:2 = graph.aten "aten.max_pool2d_with_indices.default"(%x) ["self"] {kernel_size = array<i64: 2, 2>, stride = array<i64: 2, 2>} : (tensor<2x3x8x8xf32>) -> (tensor<2x3x4x4xf32>, tensor<2x3x4x4xi64>)
  return %0#0 : tensor<2x3x4x4xf32>
}

// Elements of windows are gathered, dimension by dimension, and the position
// in the image is computed from that in the window. A NaN counts where it is last.
// CHECK-LABEL: @with_positions
// CHECK:         graph.index %{{.*}} dims [2] : ({{.*}}) -> tensor<2x3x4x2x8xf32>
// CHECK:         graph.index %{{.*}} dims [4] : ({{.*}}) -> tensor<2x3x4x2x4x2xf32>
// CHECK:         graph.permute %{{.*}} [0, 1, 2, 4, 3, 5]
// CHECK:         %[[V:.+]], %[[P:.+]] = graph.arg_reduce max, %{{.*}} dim 4 : (tensor<2x3x4x4x4xf32>)
// CHECK:         %[[NAN:.+]] = graph.isnan
// CHECK:         %[[NUMBERS:.+]] = graph.select %[[NAN]]
// CHECK:         %[[LAST:.+]] = graph.reduce max, %[[NUMBERS]] dims [4]
// CHECK:         %[[IS:.+]] = graph.compare ge, %[[LAST]]
// CHECK:         %[[AT:.+]] = graph.select %[[IS]], %[[LAST]], %[[P]]
// CHECK:         graph.remainder %[[AT]]
// CHECK:         return %[[V]]
func.func @with_positions(%x: tensor<2x3x8x8xf32>) -> (tensor<2x3x4x4xf32>, tensor<2x3x4x4xi64>) {
  %0:2 = graph.aten "aten.max_pool2d_with_indices.default"(%x) ["self"] {kernel_size = array<i64: 2, 2>, stride = array<i64: 2, 2>} : (tensor<2x3x8x8xf32>) -> (tensor<2x3x4x4xf32>, tensor<2x3x4x4xi64>)
  return %0#0, %0#1 : tensor<2x3x4x4xf32>, tensor<2x3x4x4xi64>
}

// Windows of different lengths: no longer than ceil(7 / 3) + 1. All are read in that length, at the latest from 7 - 4, so that their elements follow
// each other in memory.
// CHECK-LABEL: @adaptive_mean
// CHECK:         graph.minimum %{{.*}} : (tensor<3xi64>, tensor<i64>) -> tensor<3xi64>
// CHECK:         graph.bitwise_and
// CHECK:         graph.index %{{.*}} dims [1] : ({{.*}}) -> tensor<5x3x4xf32>
// CHECK:         graph.select
// CHECK:         graph.reduce sum, %{{.*}} dims [2]
// CHECK:         graph.div
func.func @adaptive_mean(%x: tensor<5x7xf32>) -> tensor<5x3xf32> {
  %0 = graph.aten "aten.adaptive_avg_pool1d.default"(%x) ["self"] {output_size = array<i64: 3>} : (tensor<5x7xf32>) -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}

// Without positions a largest element is a reduction of one value.
// CHECK-LABEL: @adaptive_max
// CHECK:         graph.select
// CHECK-NOT:     arg_reduce
// CHECK:         graph.reduce max, %{{.*}} dims [2] : (tensor<5x3x4xf32>) -> tensor<5x3xf32>
func.func @adaptive_max(%x: tensor<5x7xf32>) -> tensor<5x3xf32> {
  %0 = graph.aten "aten.adaptive_max_pool1d.default"(%x) ["self"] {output_size = array<i64: 3>} : (tensor<5x7xf32>) -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}

// CHECK-LABEL: @unpool
// CHECK:         %[[Z:.+]] = graph.full 0.000000e+00 : f32 -> tensor<3x8x8xf32>
// CHECK:         graph.scatter %{{.*}} dim 1 : (tensor<3x64xf32>, tensor<3x16xi64>, tensor<3x16xf32>)
func.func @unpool(%x: tensor<3x4x4xf32>, %i: tensor<3x4x4xi64>) -> tensor<3x8x8xf32> {
  %0 = graph.aten "aten.max_unpool2d.default"(%x, %i) ["self", "indices"] {output_size = array<i64: 8, 8>} : (tensor<3x4x4xf32>, tensor<3x4x4xi64>) -> tensor<3x8x8xf32>
  return %0 : tensor<3x8x8xf32>
}

// Padding that leaves a window without an element.
// CHECK-LABEL: @window_of_padding
// CHECK:         graph.aten {{.*}}graph.reason = "its geometry is invalid"
func.func @window_of_padding(%x: tensor<3x8xf32>) -> tensor<3x6xf32> {
  %0 = graph.aten "aten.max_pool1d.default"(%x) ["self"] {kernel_size = array<i64: 2>, stride = array<i64: 2>, padding = array<i64: 2>} : (tensor<3x8xf32>) -> tensor<3x6xf32>
  return %0 : tensor<3x6xf32>
}

// Each element gets its share of the means that it is in, first along one dimension and then along the other.
// CHECK-LABEL: @adaptive_backward
// CHECK:         graph.reduce sum, %{{.*}} dims [1] : (tensor<3x2x7x2xf32>) -> tensor<3x7x2xf32>
// CHECK:         graph.reduce sum, %{{.*}} dims [2] : (tensor<3x7x2x9xf32>) -> tensor<3x7x9xf32>
func.func @adaptive_backward(%g: tensor<3x2x2xf16>, %x: tensor<3x7x9xf16>) -> tensor<3x7x9xf16> {
  %0 = graph.aten "aten._adaptive_avg_pool2d_backward.default"(%g, %x) ["grad_output", "self"] {} : (tensor<3x2x2xf16>, tensor<3x7x9xf16>) -> tensor<3x7x9xf16>
  return %0 : tensor<3x7x9xf16>
}
