// REQUIRES: cuda-sim, fake-cudnn
// RUN: %cuda_sim %fake_cudnn coil-run %s --target=cuda:sm_90a --library=cudnn --random-inputs --function=plain --reference=interp
// RUN: %cuda_sim %fake_cudnn coil-run %s --target=cuda:sm_90a --library=cudnn --random-inputs --function=epilogue --reference=interp
// RUN: %cuda_sim %fake_cudnn coil-run %s --target=cuda:sm_90a --library=cudnn --random-inputs --function=epilogue_f32 --reference=interp
// RUN: %cuda_sim %fake_cudnn coil-run %s --target=cuda:sm_90a --library=cudnn --random-inputs --function=groups --reference=interp
// RUN: %cuda_sim %fake_cudnn coil-run %s --target=cuda:sm_90a --library=cudnn --random-inputs --function=line --reference=interp
// RUN: %cuda_sim %fake_cudnn coil-run %s --target=cuda:sm_90a --library=cudnn --random-inputs --function=volume --reference=interp
// RUN: %cuda_sim %fake_cudnn coil-run %s --target=cuda:sm_90a --library=cudnn --random-inputs --function=dynamic --symbol=s0=3 --reference=interp
// RUN: %cuda_sim %fake_cudnn coil-run %s --target=cuda:sm_90a --library=cudnn --random-inputs --function=dynamic --symbol=s0=0
// RUN: %cuda_sim %fake_cudnn coil-run %s --target=cuda:sm_90a --library=cudnn --random-inputs --function=transposed_weights --reference=interp

// Errors name the place in the model.
// RUN: env COIL_FAKE_CUDNN_FAIL=engine %cuda_sim %fake_cudnn not coil-run %s --target=cuda:sm_90a --library=cudnn --random-inputs --function=plain 2>&1 | FileCheck %s --check-prefix=ENGINE
// ENGINE: library 'cudnn' has no convolution of this form: no engine was found, in convolution ({{.*}}convolution.mlir:[[#]])
// RUN: env COIL_FAKE_CUDNN_FAIL=execute %cuda_sim %fake_cudnn not coil-run %s --target=cuda:sm_90a --library=cudnn --random-inputs --function=plain 2>&1 | FileCheck %s --check-prefix=EXECUTE
// EXECUTE: library 'cudnn' failed with status 5000 (convolution): it was asked to fail, in convolution
// RUN: env COIL_FAKE_CUDNN_FAIL=workspace %cuda_sim %fake_cudnn not coil-run %s --target=cuda:sm_90a --library=cudnn --random-inputs --function=plain 2>&1 | FileCheck %s --check-prefix=WORKSPACE
// WORKSPACE: library 'cudnn' has no engine for this convolution
// RUN: %cuda_sim env COIL_CUDNN_LIBRARY=%t.none not coil-run %s --target=cuda:sm_90a --library=cudnn --random-inputs --function=plain 2>&1 | FileCheck %s --check-prefix=ABSENT
// ABSENT: library 'cudnn' is not available: {{.*}}, in convolution

// Whether there is a library decides what a program is compiled to.
// RUN: %cuda_sim env COIL_CUDNN_LIBRARY=%t.none COIL_CUBLASLT_LIBRARY=%t.none coil-run %s --target=cuda:sm_90a --random-inputs --function=epilogue --reference=interp

func.func @plain(%x: tensor<2x48x17x19xbf16>, %w: tensor<64x48x3x3xbf16>) -> tensor<2x64x9x10xbf16> {
  %0 = graph.conv %x, %w stride [2, 2] padding [1, 1] dilation [1, 1] groups 1 : (tensor<2x48x17x19xbf16>, tensor<64x48x3x3xbf16>) -> tensor<2x64x9x10xbf16>
  return %0 : tensor<2x64x9x10xbf16>
}

func.func @epilogue(%x: tensor<2x32x17x19xf16>, %w: tensor<32x32x3x3xf16>, %b: tensor<32xf16>) -> tensor<2x32x15x17xf16> {
  %0 = graph.conv %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] groups 1 : (tensor<2x32x17x19xf16>, tensor<32x32x3x3xf16>) -> tensor<2x32x15x17xf16>
  %1 = graph.reshape %b : (tensor<32xf16>) -> tensor<32x1x1xf16>
  %2 = graph.broadcast %1 : (tensor<32x1x1xf16>) -> tensor<2x32x15x17xf16>
  %3 = graph.add %0, %2 : (tensor<2x32x15x17xf16>, tensor<2x32x15x17xf16>) -> tensor<2x32x15x17xf16>
  %4 = graph.relu %3 : (tensor<2x32x15x17xf16>) -> tensor<2x32x15x17xf16>
  return %4 : tensor<2x32x15x17xf16>
}

func.func @epilogue_f32(%x: tensor<2x32x17x19xf32>, %w: tensor<32x32x3x3xf32>, %b: tensor<32xf32>) -> tensor<2x32x15x17xf32> {
  %0 = graph.conv %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] groups 1 : (tensor<2x32x17x19xf32>, tensor<32x32x3x3xf32>) -> tensor<2x32x15x17xf32>
  %1 = graph.reshape %b : (tensor<32xf32>) -> tensor<32x1x1xf32>
  %2 = graph.broadcast %1 : (tensor<32x1x1xf32>) -> tensor<2x32x15x17xf32>
  %3 = graph.add %0, %2 : (tensor<2x32x15x17xf32>, tensor<2x32x15x17xf32>) -> tensor<2x32x15x17xf32>
  %4 = graph.relu %3 : (tensor<2x32x15x17xf32>) -> tensor<2x32x15x17xf32>
  return %4 : tensor<2x32x15x17xf32>
}

func.func @groups(%x: tensor<2x64x21x20xbf16>, %w: tensor<64x16x5x5xbf16>) -> tensor<2x64x17x16xbf16> {
  %0 = graph.conv %x, %w stride [1, 1] padding [2, 2] dilation [2, 2] groups 4 : (tensor<2x64x21x20xbf16>, tensor<64x16x5x5xbf16>) -> tensor<2x64x17x16xbf16>
  return %0 : tensor<2x64x17x16xbf16>
}

func.func @line(%x: tensor<8x64x151xf32>, %w: tensor<32x64x5xf32>) -> tensor<8x32x75xf32> {
  %0 = graph.conv %x, %w stride [2] padding [1] dilation [1] groups 1 : (tensor<8x64x151xf32>, tensor<32x64x5xf32>) -> tensor<8x32x75xf32>
  return %0 : tensor<8x32x75xf32>
}

func.func @volume(%x: tensor<2x16x9x8x7xbf16>, %w: tensor<16x16x3x3x3xbf16>) -> tensor<2x16x9x8x7xbf16> {
  %0 = graph.conv %x, %w stride [1, 1, 1] padding [1, 1, 1] dilation [1, 1, 1] groups 1 : (tensor<2x16x9x8x7xbf16>, tensor<16x16x3x3x3xbf16>) -> tensor<2x16x9x8x7xbf16>
  return %0 : tensor<2x16x9x8x7xbf16>
}

func.func @dynamic(%x: tensor<?x16x9x9xbf16, #sym.shape<[s0, 16, 9, 9]>>, %w: tensor<16x16x3x3xbf16>) -> tensor<?x16x7x7xbf16, #sym.shape<[s0, 16, 7, 7]>>
    attributes {sym.symbols = {s0 = #sym.range<0, 64>}} {
  %0 = graph.conv %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] groups 1 : (tensor<?x16x9x9xbf16, #sym.shape<[s0, 16, 9, 9]>>, tensor<16x16x3x3xbf16>) -> tensor<?x16x7x7xbf16, #sym.shape<[s0, 16, 7, 7]>>
  return %0 : tensor<?x16x7x7xbf16, #sym.shape<[s0, 16, 7, 7]>>
}

// What is not dense is copied first.
func.func @transposed_weights(%x: tensor<2x32x17x19xbf16>, %w: tensor<32x32x3x3xbf16>) -> tensor<2x32x15x17xbf16> {
  %0 = graph.permute %w [1, 0, 2, 3] : (tensor<32x32x3x3xbf16>) -> tensor<32x32x3x3xbf16>
  %1 = graph.conv %x, %0 stride [1, 1] padding [0, 0] dilation [1, 1] groups 1 : (tensor<2x32x17x19xbf16>, tensor<32x32x3x3xbf16>) -> tensor<2x32x15x17xbf16>
  return %1 : tensor<2x32x15x17xbf16>
}

// A chain keeps its channels innermost.
// RUN: %cuda_sim %fake_cudnn env COIL_FAKE_CUDNN_TRACE=1 coil-run %s --target=cuda:sm_90a --library=cudnn --random-inputs --function=chain --reference=interp 2>&1 | FileCheck %s --check-prefix=CHAIN
// CHAIN: tensor 1 [2, 16, 24, 24] strides [9216, 1, 384, 16]
// CHAIN: tensor 2 [32, 16, 3, 3] strides [144, 1, 48, 16]
// CHAIN: tensor 3 [2, 32, 24, 24] strides [18432, 1, 768, 32]
// CHAIN: tensor 1 [2, 32, 12, 12] strides [4608, 1, 384, 32]
func.func @chain(%x: tensor<2x16x24x24xbf16>, %w: tensor<32x16x3x3xbf16>, %v: tensor<64x32x3x3xbf16>, %s: tensor<32x1x1xbf16>) -> tensor<2x64xbf16> {
  %0 = graph.conv %x, %w stride [1, 1] padding [1, 1] dilation [1, 1] groups 1 : (tensor<2x16x24x24xbf16>, tensor<32x16x3x3xbf16>) -> tensor<2x32x24x24xbf16>
  %1 = graph.mul %0, %s : (tensor<2x32x24x24xbf16>, tensor<32x1x1xbf16>) -> tensor<2x32x24x24xbf16>
  %2 = graph.relu %1 : (tensor<2x32x24x24xbf16>) -> tensor<2x32x24x24xbf16>
  %3 = graph.pool max, %2 kernel [3, 3] stride [2, 2] padding [1, 1] dilation [1, 1] : (tensor<2x32x24x24xbf16>) -> tensor<2x32x12x12xbf16>
  %4 = graph.conv %3, %v stride [1, 1] padding [1, 1] dilation [1, 1] groups 1 : (tensor<2x32x12x12xbf16>, tensor<64x32x3x3xbf16>) -> tensor<2x64x12x12xbf16>
  %5 = graph.reduce max, %4 dims [2, 3] : (tensor<2x64x12x12xbf16>) -> tensor<2x64xbf16>
  return %5 : tensor<2x64xbf16>
}

// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --function=patches --reference=interp
// RUN: coil-run %s --random-inputs --function=patches --reference=interp
func.func @patches(%x: tensor<?x3x16x24xf32, #sym.shape<[s0, 3, 16, 24]>>, %w: tensor<10x3x4x8xf32>, %b: tensor<10x1x1xf32>) -> tensor<?x10x4x3xf32, #sym.shape<[s0, 10, 4, 3]>>
    attributes {sym.symbols = {s0 = #sym.range<1, 64>}} {
  %0 = graph.conv %x, %w stride [4, 8] padding [0, 0] dilation [1, 1] groups 1 : (tensor<?x3x16x24xf32, #sym.shape<[s0, 3, 16, 24]>>, tensor<10x3x4x8xf32>) -> tensor<?x10x4x3xf32, #sym.shape<[s0, 10, 4, 3]>>
  %1 = graph.add %0, %b : (tensor<?x10x4x3xf32, #sym.shape<[s0, 10, 4, 3]>>, tensor<10x1x1xf32>) -> tensor<?x10x4x3xf32, #sym.shape<[s0, 10, 4, 3]>>
  return %1 : tensor<?x10x4x3xf32, #sym.shape<[s0, 10, 4, 3]>>
}
