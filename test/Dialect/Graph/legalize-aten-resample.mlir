// RUN: coil-opt %s --graph-legalize-aten | FileCheck %s

// Where a size doubles, the element is half of the place.
// CHECK-LABEL: @nearest
// CHECK:         graph.floor_div
// CHECK:         graph.index %{{.*}} dims [2]
// CHECK:         graph.floor_div
// CHECK:         graph.index %{{.*}} dims [3]
func.func @nearest(%x: tensor<1x2x3x4xf32>) -> tensor<1x2x6x8xf32> {
  %0 = graph.aten "aten.upsample_nearest2d.vec"(%x) ["input"] {scale_factors = array<f64: 2.0, 2.0>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x6x8xf32>
  return %0 : tensor<1x2x6x8xf32>
}

// A dimension that keeps its size is not resampled.
// CHECK-LABEL: @bilinear
// CHECK:         %[[X:.+]] = graph.convert %{{.*}} : (tensor<1x2x3x4xbf16>) -> tensor<1x2x3x4xf32>
// CHECK-COUNT-2: graph.index %[[X]]{{.*}} dims [3]
// CHECK-NOT:     dims [2]
// CHECK:         return
func.func @bilinear(%x: tensor<1x2x3x4xbf16>) -> tensor<1x2x3x9xbf16> {
  %0 = graph.aten "aten.upsample_bilinear2d.default"(%x) ["self"] {output_size = array<i64: 3, 9>, align_corners = false} : (tensor<1x2x3x4xbf16>) -> tensor<1x2x3x9xbf16>
  return %0 : tensor<1x2x3x9xbf16>
}

// A mean of a window's elements: what lies outside is not read, since zero times
// an infinity is NaN. Elements that the longest window has and another one has
// not are no products. A dimension that keeps its size is not resampled.
// CHECK-LABEL: @antialiased
// CHECK-SAME:    %[[X:.+]]: tensor<1x3x8x5xf32>
// CHECK-NOT:     graph.matmul
// CHECK:         %[[PART:.+]] = graph.index %[[X]]{{.*}} dims [2] {coil.in_range} : (tensor<1x3x8x5xf32>, tensor<2x8xi64>)
// CHECK:         %[[PRODUCT:.+]] = graph.mul %[[PART]]
// CHECK:         %[[WINDOW:.+]] = graph.select %{{.*}}, %[[PRODUCT]]
// CHECK:         graph.reduce sum, %[[WINDOW]] dims [3]
// CHECK-NOT:     dims [4]
// CHECK:         return
func.func @antialiased(%x: tensor<1x3x8x5xf32>) -> tensor<1x3x2x5xf32> {
  %0 = graph.aten "aten._upsample_bilinear2d_aa.default"(%x) ["self"] {output_size = array<i64: 2, 5>, align_corners = false} : (tensor<1x3x8x5xf32>) -> tensor<1x3x2x5xf32>
  return %0 : tensor<1x3x2x5xf32>
}

// Weights of bytes are integers, and each dimension is rounded, the last one
// first.
// CHECK-LABEL: @bytes
// CHECK:         graph.constant dense<[2, 4, 8,
// CHECK:         graph.reduce prod
// CHECK-COUNT-2: graph.index %{{.*}} dims [3] : (tensor<1x2x3x4xi32>, tensor<9xi64>)
// CHECK:         graph.shift_right
// CHECK-COUNT-2: graph.index %{{.*}} dims [2] : (tensor<1x2x3x9xi32>, tensor<5xi64>)
// CHECK:         graph.shift_right
// CHECK:         graph.convert %{{.*}} -> tensor<1x2x5x9xui8>
func.func @bytes(%x: tensor<1x2x3x4xui8>) -> tensor<1x2x5x9xui8> {
  %0 = graph.aten "aten.upsample_bilinear2d.default"(%x) ["self"] {output_size = array<i64: 5, 9>, align_corners = false} : (tensor<1x2x3x4xui8>) -> tensor<1x2x5x9xui8>
  return %0 : tensor<1x2x5x9xui8>
}

// CHECK-LABEL: @bytes_antialiased
// CHECK:         graph.index %{{.*}} dims [2] {coil.in_range} : (tensor<1x3x8x5xi32>, tensor<2x8xi64>)
// CHECK:         graph.reduce sum{{.*}} dims [3]
func.func @bytes_antialiased(%x: tensor<1x3x8x5xui8>) -> tensor<1x3x2x5xui8> {
  %0 = graph.aten "aten._upsample_bicubic2d_aa.default"(%x) ["self"] {output_size = array<i64: 2, 5>, align_corners = false} : (tensor<1x3x8x5xui8>) -> tensor<1x3x2x5xui8>
  return %0 : tensor<1x3x2x5xui8>
}

// The windows of the output that an element is in follow each other.
// CHECK-LABEL: @antialiased_gradient
// CHECK-NOT:     graph.matmul
// CHECK-NOT:     graph.scatter
// CHECK-NOT:     graph.index_put
// CHECK:         graph.index %{{.*}} dims [3] {coil.in_range} : (tensor<1x3x2x5xf32>, tensor<50x5xi64>)
// CHECK:         graph.reduce sum{{.*}} dims [4]
// CHECK:         graph.index %{{.*}} dims [2] {coil.in_range} : (tensor<1x3x2x50xf32>, tensor<8x2xi64>)
// CHECK:         graph.reduce sum{{.*}} dims [3]
func.func @antialiased_gradient(%g: tensor<1x3x2x5xf32>) -> tensor<1x3x8x50xf32> {
  %0 = graph.aten "aten._upsample_bilinear2d_aa_backward.default"(%g) ["grad_output"] {output_size = array<i64: 2, 5>, input_size = array<i64: 1, 3, 8, 50>, align_corners = false} : (tensor<1x3x2x5xf32>) -> tensor<1x3x8x50xf32>
  return %0 : tensor<1x3x8x50xf32>
}

// Zeros outside, channels last while places are sampled.
// CHECK-LABEL: @grid
// CHECK-COUNT-4: graph.index %{{.*}} dims [0, 2, 3] : ({{.*}}) -> tensor<1x4x5x3xf32>
// CHECK:         graph.permute %{{.*}} [0, 3, 1, 2]
func.func @grid(%x: tensor<1x3x8x8xf32>, %g: tensor<1x4x5x2xf32>) -> tensor<1x3x4x5xf32> {
  %0 = graph.aten "aten.grid_sampler_2d.default"(%x, %g) ["input", "grid"] {interpolation_mode = 0 : i64, padding_mode = 0 : i64, align_corners = false} : (tensor<1x3x8x8xf32>, tensor<1x4x5x2xf32>) -> tensor<1x3x4x5xf32>
  return %0 : tensor<1x3x4x5xf32>
}
