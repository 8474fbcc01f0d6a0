// RUN: coil-opt %s --convert-graph-to-loop --loop-select-schedule=library=onednn --split-input-file | FileCheck %s

// Groups with one or two output channels are no work for a library that has
// vectors of channels.
// CHECK-LABEL: @thin
// CHECK:       groups = 2> schedule<vector_dim
func.func @thin(%x: tensor<2x8x16x16xf32>, %w: tensor<2x4x3x3xf32>) -> tensor<2x2x14x14xf32> {
  %0 = graph.conv %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] groups 2 : (tensor<2x8x16x16xf32>, tensor<2x4x3x3xf32>) -> tensor<2x2x14x14xf32>
  return %0 : tensor<2x2x14x14xf32>
}

// -----

// CHECK-LABEL: @doubled
// CHECK:       groups = 4> schedule<vector_dim
func.func @doubled(%x: tensor<2x4x16x16xf32>, %w: tensor<8x1x3x3xf32>) -> tensor<2x8x14x14xf32> {
  %0 = graph.conv %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] groups 4 : (tensor<2x4x16x16xf32>, tensor<8x1x3x3xf32>) -> tensor<2x8x14x14xf32>
  return %0 : tensor<2x8x14x14xf32>
}

// -----

// Four are, and channels by themselves with a window in two dimensions of more than
// nine elements.
// CHECK-LABEL: @four
// CHECK:       groups = 2> schedule<library = "onednn">
func.func @four(%x: tensor<2x8x16x16xf32>, %w: tensor<8x4x3x3xf32>) -> tensor<2x8x14x14xf32> {
  %0 = graph.conv %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] groups 2 : (tensor<2x8x16x16xf32>, tensor<8x4x3x3xf32>) -> tensor<2x8x14x14xf32>
  return %0 : tensor<2x8x14x14xf32>
}

// -----

// CHECK-LABEL: @depthwise
// CHECK:       groups = 8> schedule<library = "onednn">
func.func @depthwise(%x: tensor<2x8x16x16xf32>, %w: tensor<8x1x5x5xf32>) -> tensor<2x8x12x12xf32> {
  %0 = graph.conv %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] groups 8 : (tensor<2x8x16x16xf32>, tensor<8x1x5x5xf32>) -> tensor<2x8x12x12xf32>
  return %0 : tensor<2x8x12x12xf32>
}

// -----

// CHECK-LABEL: @small_window
// CHECK:       groups = 8> schedule<vector_dim = 3
func.func @small_window(%x: tensor<2x8x16x16xf32>, %w: tensor<8x1x3x3xf32>) -> tensor<2x8x14x14xf32> {
  %0 = graph.conv %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] groups 8 : (tensor<2x8x16x16xf32>, tensor<8x1x3x3xf32>) -> tensor<2x8x14x14xf32>
  return %0 : tensor<2x8x14x14xf32>
}

// -----

// The window is short, so vectors go along the row.
// CHECK-LABEL: @one_dimension
// CHECK:       groups = 8> schedule<vector_dim = 2
func.func @one_dimension(%x: tensor<2x8x128xf32>, %w: tensor<8x1x7xf32>) -> tensor<2x8x122xf32> {
  %0 = graph.conv %x, %w stride [1] padding [0] dilation [1] groups 8 : (tensor<2x8x128xf32>, tensor<8x1x7xf32>) -> tensor<2x8x122xf32>
  return %0 : tensor<2x8x122xf32>
}

// -----

// CHECK-LABEL: @whole
// CHECK:       groups = 1> schedule<library = "onednn">
func.func @whole(%x: tensor<2x8x16x16xf32>, %w: tensor<1x8x3x3xf32>) -> tensor<2x1x14x14xf32> {
  %0 = graph.conv %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] groups 1 : (tensor<2x8x16x16xf32>, tensor<1x8x3x3xf32>) -> tensor<2x1x14x14xf32>
  return %0 : tensor<2x1x14x14xf32>
}
