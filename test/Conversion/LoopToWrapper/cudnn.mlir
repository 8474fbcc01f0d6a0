// RUN: coil-opt %s --convert-graph-to-loop --loop-fold-views --loop-select-schedule="library=cublaslt,cudnn only-library" --convert-loop-to-wrapper=device=cuda --split-input-file | FileCheck %s

// Libraries count channels first whatever the layout; the input and the weight
// are brought into that of the result.
// CHECK-LABEL: wrapper.func @channels_last
// CHECK:         %[[Y:.+]] = wrapper.alloc : !wrapper.buffer<[2, 32, 32, 64], bf16
// CHECK:         wrapper.launch @copy_0
// CHECK:         wrapper.reinterpret %[[Y]] at <0> : {{.*}} to !wrapper.buffer<[2, 64, 32, 32], strides = [65536, 1, 2048, 64], bf16
// CHECK:         wrapper.convolution "cudnn" ins(%{{.*}} : !wrapper.buffer<[2, 64, 32, 32], strides = [65536, 1, 2048, 64], bf16{{.*}}, !wrapper.buffer<[64, 64, 3, 3], strides = [576, 1, 192, 64], bf16
// CHECK-SAME:      outs(%{{.*}} : !wrapper.buffer<[2, 64, 32, 32], strides = [65536, 1, 2048, 64], bf16
func.func @channels_last(%x: tensor<2x32x32x64xbf16>, %w: tensor<64x64x3x3xbf16>) -> tensor<2x32x32x64xbf16> {
  %0 = graph.permute %w [0, 2, 3, 1] : (tensor<64x64x3x3xbf16>) -> tensor<64x3x3x64xbf16>
  %1 = graph.conv %x, %0 stride [1, 1] padding [1, 1] dilation [1, 1] groups 1 channels_last : (tensor<2x32x32x64xbf16>, tensor<64x3x3x64xbf16>) -> tensor<2x32x32x64xbf16>
  return %1 : tensor<2x32x32x64xbf16>
}

// -----

// A window of one element is a product, unless it skips elements.
// CHECK-LABEL: wrapper.func @one_by_one
// CHECK:         wrapper.contraction "cublaslt"[8192, 64, 64]
// CHECK:         wrapper.convolution "cudnn"
func.func @one_by_one(%x: tensor<2x64x64x64xbf16>, %w: tensor<64x1x1x64xbf16>) -> (tensor<2x64x64x64xbf16>, tensor<2x32x32x64xbf16>) {
  %0 = graph.conv %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] groups 1 channels_last : (tensor<2x64x64x64xbf16>, tensor<64x1x1x64xbf16>) -> tensor<2x64x64x64xbf16>
  %1 = graph.conv %x, %w stride [2, 2] padding [0, 0] dilation [1, 1] groups 1 channels_last : (tensor<2x64x64x64xbf16>, tensor<64x1x1x64xbf16>) -> tensor<2x32x32x64xbf16>
  return %0, %1 : tensor<2x64x64x64xbf16>, tensor<2x32x32x64xbf16>
}

// -----

// An input in another layout is copied, not multiplied in small pieces.
// CHECK-LABEL: wrapper.func @skips_of_a_view
// CHECK:         wrapper.launch @copy_0
// CHECK-NOT:     wrapper.contraction
// CHECK:         wrapper.convolution "cudnn"
func.func @skips_of_a_view(%x: tensor<2x64x64x64xbf16>, %w: tensor<64x1x1x64xbf16>) -> tensor<2x32x32x64xbf16> {
  %0 = graph.permute %x [0, 2, 3, 1] : (tensor<2x64x64x64xbf16>) -> tensor<2x64x64x64xbf16>
  %1 = graph.conv %0, %w stride [2, 2] padding [0, 0] dilation [1, 1] groups 1 channels_last : (tensor<2x64x64x64xbf16>, tensor<64x1x1x64xbf16>) -> tensor<2x32x32x64xbf16>
  return %1 : tensor<2x32x32x64xbf16>
}

// -----

// Neither the heads' places nor those that keys share cost a copy.
// CHECK-LABEL: wrapper.func @attention
// CHECK-NOT:     wrapper.launch
// CHECK:         %[[O:.+]] = wrapper.alloc : !wrapper.buffer<[2, 64, 8, 16], f16
// CHECK:         %[[V:.+]] = wrapper.reinterpret %[[O]] {{.*}} to !wrapper.buffer<[2, 8, 64, 16], strides = [8192, 16, 128, 1], f16
// CHECK:         wrapper.attention "cudnn" ins(%arg0, %{{.*}}, %{{.*}} : !wrapper.buffer<[2, 8, 64, 16], f16{{.*}}, !wrapper.buffer<[2, 2, 64, 16], strides = [2048, 16, 32, 1], f16
// CHECK-SAME:      mask(%{{.*}} : !wrapper.buffer<[2, 8, 64, 64], strides = [0, 0, 64, 1], f16
// CHECK-SAME:      outs(%[[V]] : {{.*}}) scale 1.250000e-01
func.func @attention(%q: tensor<2x8x64x16xf16>, %k: tensor<2x64x2x16xf16>, %m: tensor<64x64xf16>) -> tensor<2x64x128xf16> {
  %0 = graph.permute %k [0, 2, 1, 3] : (tensor<2x64x2x16xf16>) -> tensor<2x2x64x16xf16>
  %1 = graph.reshape %0 : (tensor<2x2x64x16xf16>) -> tensor<2x2x1x64x16xf16>
  %2 = graph.broadcast %1 : (tensor<2x2x1x64x16xf16>) -> tensor<2x2x4x64x16xf16>
  %3 = graph.reshape %2 : (tensor<2x2x4x64x16xf16>) -> tensor<2x8x64x16xf16>
  %4 = graph.attention %q, %3, %3 mask %m scale 0.125 library "cudnn" : (tensor<2x8x64x16xf16>, tensor<2x8x64x16xf16>, tensor<2x8x64x16xf16>, tensor<64x64xf16>) -> tensor<2x8x64x16xf16>
  %5 = graph.permute %4 [0, 2, 1, 3] : (tensor<2x8x64x16xf16>) -> tensor<2x64x8x16xf16>
  %6 = graph.reshape %5 : (tensor<2x64x8x16xf16>) -> tensor<2x64x128xf16>
  return %6 : tensor<2x64x128xf16>
}

// -----

// Groups of a channel each with windows of a few elements are kernels of ours; with larger windows, with more
// channels for a group, and with the channels last they are the library's.
// CHECK-LABEL: wrapper.func @thin
// CHECK-NOT:     wrapper.convolution
// CHECK:         wrapper.launch
// CHECK-NOT:     wrapper.convolution
// CHECK:         wrapper.return
func.func @thin(%x: tensor<8x64x4096xf32>, %w: tensor<64x1x4xf32>) -> tensor<8x64x4093xf32> {
  %0 = graph.conv %x, %w stride [1] padding [0] dilation [1] groups 64 : (tensor<8x64x4096xf32>, tensor<64x1x4xf32>) -> tensor<8x64x4093xf32>
  return %0 : tensor<8x64x4093xf32>
}

// -----

// CHECK-LABEL: wrapper.func @not_thin
// CHECK-COUNT-3: wrapper.convolution "cudnn"
func.func @not_thin(%x: tensor<8x64x4096xf32>, %w: tensor<64x1x49xf32>, %v: tensor<64x16x3xf32>,
                    %y: tensor<8x64x64x32xf16>, %u: tensor<32x3x3x1xf16>)
    -> (tensor<8x64x4048xf32>, tensor<8x64x4094xf32>, tensor<8x62x62x32xf16>) {
  %0 = graph.conv %x, %w stride [1] padding [0] dilation [1] groups 64 : (tensor<8x64x4096xf32>, tensor<64x1x49xf32>) -> tensor<8x64x4048xf32>
  %1 = graph.conv %x, %v stride [1] padding [0] dilation [1] groups 4 : (tensor<8x64x4096xf32>, tensor<64x16x3xf32>) -> tensor<8x64x4094xf32>
  %2 = graph.conv %y, %u stride [1, 1] padding [0, 0] dilation [1, 1] groups 32 channels_last : (tensor<8x64x64x32xf16>, tensor<32x3x3x1xf16>) -> tensor<8x62x62x32xf16>
  return %0, %1, %2 : tensor<8x64x4048xf32>, tensor<8x64x4094xf32>, tensor<8x62x62x32xf16>
}
