// RUN: coil-opt %s --graph-legalize-aten | FileCheck %s

// CHECK-LABEL: @unfold
// CHECK:         graph.index %{{.*}} dims [0] : (tensor<7x5xf32>, tensor<3x3xi64>) -> tensor<3x3x5xf32>
// CHECK:         graph.permute %{{.*}} [0, 2, 1]
func.func @unfold(%x: tensor<7x5xf32>) -> tensor<3x5x3xf32> {
  %0 = graph.aten "aten.unfold.default"(%x) ["self"] {dimension = 0 : i64, size = 3 : i64, step = 2 : i64} : (tensor<7x5xf32>) -> tensor<3x5x3xf32>
  return %0 : tensor<3x5x3xf32>
}

// CHECK-LABEL: @im2col
// CHECK:         graph.pad %{{.*}} low [0, 0, 1, 0] high [0, 0, 1, 0]
// CHECK:         graph.index %{{.*}} dims [2] : ({{.*}}) -> tensor<2x3x2x6x5xf32>
// CHECK:         graph.index %{{.*}} dims [4] : ({{.*}}) -> tensor<2x3x2x6x3x3xf32>
// CHECK:         graph.permute %{{.*}} [0, 1, 2, 4, 3, 5]
// CHECK:         graph.reshape {{.*}} -> tensor<2x18x18xf32>
func.func @im2col(%x: tensor<2x3x5x5xf32>) -> tensor<2x18x18xf32> {
  %0 = graph.aten "aten.im2col.default"(%x) ["self"] {kernel_size = array<i64: 2, 3>, dilation = array<i64: 1, 1>, padding = array<i64: 1, 0>, stride = array<i64: 1, 1>} : (tensor<2x3x5x5xf32>) -> tensor<2x18x18xf32>
  return %0 : tensor<2x18x18xf32>
}

// Overlapping windows are added up, 16-bit floats in f32.
// CHECK-LABEL: @col2im
// CHECK:         %[[Z:.+]] = graph.full 0.000000e+00 : f32 -> tensor<2x3x7x5xf32>
// CHECK:         graph.index_put sum %[[Z]]
// CHECK:         graph.pad %{{.*}} low [0, 0, -1, 0] high [0, 0, -1, 0]
func.func @col2im(%x: tensor<2x18x18xbf16>) -> tensor<2x3x5x5xbf16> {
  %0 = graph.aten "aten.col2im.default"(%x) ["self"] {output_size = array<i64: 5, 5>, kernel_size = array<i64: 2, 3>, dilation = array<i64: 1, 1>, padding = array<i64: 1, 0>, stride = array<i64: 1, 1>} : (tensor<2x18x18xbf16>) -> tensor<2x3x5x5xbf16>
  return %0 : tensor<2x3x5x5xbf16>
}
