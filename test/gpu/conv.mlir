// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --function=groups --reference=interp
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --function=one_by_one --reference=interp
// RUN: coil-opt %s --coil-graph-pipeline --coil-loop-pipeline="target=cuda:sm_90a library=cublaslt" --coil-wrapper-pipeline="target=cuda:sm_90a" | FileCheck %s

// Where no library has convolutions they are kernels of our own.
// CHECK-LABEL: wrapper.func @main
// CHECK-NOT:     wrapper.convolution
// CHECK:         wrapper.launch
func.func @main(%x: tensor<2x5x9x7xbf16>, %w: tensor<6x5x3x3xbf16>, %b: tensor<6xbf16>) -> tensor<2x6x5x4xbf16> {
  %0 = graph.conv %x, %w stride [2, 2] padding [1, 1] dilation [1, 1] groups 1 : (tensor<2x5x9x7xbf16>, tensor<6x5x3x3xbf16>) -> tensor<2x6x5x4xbf16>
  %1 = graph.reshape %b : (tensor<6xbf16>) -> tensor<6x1x1xbf16>
  %2 = graph.broadcast %1 : (tensor<6x1x1xbf16>) -> tensor<2x6x5x4xbf16>
  %3 = graph.add %0, %2 : (tensor<2x6x5x4xbf16>, tensor<2x6x5x4xbf16>) -> tensor<2x6x5x4xbf16>
  %4 = graph.relu %3 : (tensor<2x6x5x4xbf16>) -> tensor<2x6x5x4xbf16>
  return %4 : tensor<2x6x5x4xbf16>
}

func.func @groups(%x: tensor<2x6x11xf32>, %w: tensor<4x3x3xf32>) -> tensor<2x4x9xf32> {
  %0 = graph.conv %x, %w stride [1] padding [1] dilation [2] groups 2 : (tensor<2x6x11xf32>, tensor<4x3x3xf32>) -> tensor<2x4x9xf32>
  return %0 : tensor<2x4x9xf32>
}

// A window of one element is a matrix product, which cuBLASLt has.
// CHECK-LABEL: wrapper.func @one_by_one
// CHECK-NOT:     wrapper.convolution
// CHECK:         wrapper.contraction "cublaslt"
func.func @one_by_one(%x: tensor<2x64x32x32xf32>, %w: tensor<64x64x1x1xf32>) -> tensor<2x64x32x32xf32> {
  %0 = graph.conv %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] groups 1 : (tensor<2x64x32x32xf32>, tensor<64x64x1x1xf32>) -> tensor<2x64x32x32xf32>
  return %0 : tensor<2x64x32x32xf32>
}
