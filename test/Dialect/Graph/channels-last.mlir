// RUN: coil-opt %s --graph-channels-last | FileCheck %s

// Between two convolutions nothing changes its layout; what is added is
// permuted instead, and the pool goes along.
// CHECK-LABEL: @chain
// CHECK-SAME:    %[[X:.+]]: tensor<2x64x32x32xbf16>, %[[W:.+]]: tensor<64x64x3x3xbf16>, %[[B:.+]]: tensor<64x1x1xbf16>
// CHECK-DAG:     %[[XL:.+]] = graph.permute %[[X]] [0, 2, 3, 1]
// CHECK-DAG:     %[[WL:.+]] = graph.permute %[[W]] [0, 2, 3, 1]
// CHECK:         %[[C:.+]] = graph.conv %[[XL]], %[[WL]] stride [1, 1] padding [1, 1] dilation [1, 1] groups 1 channels_last : {{.*}} -> tensor<2x32x32x64xbf16>
// CHECK:         %[[A:.+]] = graph.add %[[C]], %{{.+}} : (tensor<2x32x32x64xbf16>, tensor<1x1x1x64xbf16>) -> tensor<2x32x32x64xbf16>
// CHECK:         %[[R:.+]] = graph.relu %[[A]]
// CHECK:         %[[P:.+]] = graph.pool max, %[[R]] {{.*}} channels_last : (tensor<2x32x32x64xbf16>) -> tensor<2x16x16x64xbf16>
// CHECK:         %[[D:.+]] = graph.conv %[[P]], %{{.+}} channels_last
// CHECK:         %[[S:.+]] = graph.reduce sum, %[[D]] dims [1, 2] : (tensor<2x16x16x64xbf16>) -> tensor<2x64xbf16>
// CHECK:         return %[[S]]
func.func @chain(%x: tensor<2x64x32x32xbf16>, %w: tensor<64x64x3x3xbf16>, %b: tensor<64x1x1xbf16>) -> tensor<2x64xbf16> {
  %0 = graph.conv %x, %w stride [1, 1] padding [1, 1] dilation [1, 1] groups 1 : (tensor<2x64x32x32xbf16>, tensor<64x64x3x3xbf16>) -> tensor<2x64x32x32xbf16>
  %1 = graph.add %0, %b : (tensor<2x64x32x32xbf16>, tensor<64x1x1xbf16>) -> tensor<2x64x32x32xbf16>
  %2 = graph.relu %1 : (tensor<2x64x32x32xbf16>) -> tensor<2x64x32x32xbf16>
  %3 = graph.pool max, %2 kernel [2, 2] stride [2, 2] padding [0, 0] dilation [1, 1] : (tensor<2x64x32x32xbf16>) -> tensor<2x64x16x16xbf16>
  %4 = graph.conv %3, %w stride [1, 1] padding [1, 1] dilation [1, 1] groups 1 : (tensor<2x64x16x16xbf16>, tensor<64x64x3x3xbf16>) -> tensor<2x64x16x16xbf16>
  %5 = graph.reduce sum, %4 dims [2, 3] : (tensor<2x64x16x16xbf16>) -> tensor<2x64xbf16>
  return %5 : tensor<2x64xbf16>
}

// A residual connection and a concatenation.
// CHECK-LABEL: @joins
// CHECK:         %[[C:.+]] = graph.conv {{.*}} channels_last
// CHECK:         %[[D:.+]] = graph.conv %[[C]], {{.*}} channels_last
// CHECK:         %[[A:.+]] = graph.add %[[C]], %[[D]]
// CHECK:         %[[J:.+]] = graph.cat %[[A]], %[[C]] dim 3
// CHECK:         graph.permute %[[J]] [0, 3, 1, 2]
func.func @joins(%x: tensor<2x64x32x32xf16>, %w: tensor<64x64x3x3xf16>) -> tensor<2x128x32x32xf16> {
  %0 = graph.conv %x, %w stride [1, 1] padding [1, 1] dilation [1, 1] groups 1 : (tensor<2x64x32x32xf16>, tensor<64x64x3x3xf16>) -> tensor<2x64x32x32xf16>
  %1 = graph.conv %0, %w stride [1, 1] padding [1, 1] dilation [1, 1] groups 1 : (tensor<2x64x32x32xf16>, tensor<64x64x3x3xf16>) -> tensor<2x64x32x32xf16>
  %2 = graph.add %0, %1 : (tensor<2x64x32x32xf16>, tensor<2x64x32x32xf16>) -> tensor<2x64x32x32xf16>
  %3 = graph.cat %2, %0 dim 1 : (tensor<2x64x32x32xf16>, tensor<2x64x32x32xf16>) -> tensor<2x128x32x32xf16>
  return %3 : tensor<2x128x32x32xf16>
}

// Neither f32, which no tensor core multiplies exactly, nor what is small.
// CHECK-LABEL: @stay
// CHECK-NOT:     channels_last
func.func @stay(%x: tensor<2x64x32x32xf32>, %w: tensor<64x64x3x3xf32>, %y: tensor<1x4x8x8xbf16>, %v: tensor<4x4x3x3xbf16>) -> (tensor<2x64x30x30xf32>, tensor<1x4x6x6xbf16>) {
  %0 = graph.conv %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] groups 1 : (tensor<2x64x32x32xf32>, tensor<64x64x3x3xf32>) -> tensor<2x64x30x30xf32>
  %1 = graph.conv %y, %v stride [1, 1] padding [0, 0] dilation [1, 1] groups 1 : (tensor<1x4x8x8xbf16>, tensor<4x4x3x3xbf16>) -> tensor<1x4x6x6xbf16>
  return %0, %1 : tensor<2x64x30x30xf32>, tensor<1x4x6x6xbf16>
}

// f32 has tensor cores where it may be rounded to TF32, and only there.
// CHECK-LABEL: @single_precision
// CHECK:         graph.conv {{.*}} groups 1 channels_last tf32
// CHECK:         graph.conv {{.*}} groups 1 : (tensor<2x64x32x32xf32>
func.func @single_precision(%x: tensor<2x64x32x32xf32>, %w: tensor<64x64x3x3xf32>) -> (tensor<2x64x32x32xf32>, tensor<2x64x32x32xf32>) {
  %0 = graph.conv %x, %w stride [1, 1] padding [1, 1] dilation [1, 1] groups 1 tf32 : (tensor<2x64x32x32xf32>, tensor<64x64x3x3xf32>) -> tensor<2x64x32x32xf32>
  %1 = graph.conv %x, %w stride [1, 1] padding [1, 1] dilation [1, 1] groups 1 : (tensor<2x64x32x32xf32>, tensor<64x64x3x3xf32>) -> tensor<2x64x32x32xf32>
  return %0, %1 : tensor<2x64x32x32xf32>, tensor<2x64x32x32xf32>
}

// Groups of one or two output channels: the library's kernel for them adds no bias. Other groups keep theirs.
// CHECK-LABEL: @depthwise
// CHECK:         %[[C:.+]] = graph.conv {{.*}} groups 96 channels_last : (tensor<2x32x32x96xbf16>, tensor<96x7x7x1xbf16>) -> tensor<2x32x32x96xbf16>
// CHECK:         graph.add %[[C]], %arg2 : (tensor<2x32x32x96xbf16>, tensor<96xbf16>) -> tensor<2x32x32x96xbf16>
// CHECK:         graph.conv {{.*}} groups 4 channels_last : {{.*}}, tensor<96xbf16>)
func.func @depthwise(%x: tensor<2x96x32x32xbf16>, %w: tensor<96x1x7x7xbf16>, %b: tensor<96xbf16>, %v: tensor<96x24x7x7xbf16>) -> (tensor<2x96x32x32xbf16>, tensor<2x96x32x32xbf16>) {
  %0 = graph.conv %x, %w, %b stride [1, 1] padding [3, 3] dilation [1, 1] groups 96 : (tensor<2x96x32x32xbf16>, tensor<96x1x7x7xbf16>, tensor<96xbf16>) -> tensor<2x96x32x32xbf16>
  %1 = graph.conv %x, %v, %b stride [1, 1] padding [3, 3] dilation [1, 1] groups 4 : (tensor<2x96x32x32xbf16>, tensor<96x24x7x7xbf16>, tensor<96xbf16>) -> tensor<2x96x32x32xbf16>
  return %0, %1 : tensor<2x96x32x32xbf16>, tensor<2x96x32x32xbf16>
}
