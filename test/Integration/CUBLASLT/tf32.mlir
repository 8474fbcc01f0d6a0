// REQUIRES: cuda-sim, fake-cublaslt, fake-cudnn
// RUN: %cuda_sim %fake_cublaslt %fake_cudnn env COIL_FAKE_CUBLASLT_TRACE=1 COIL_FAKE_CUDNN_TRACE=1 coil-run %s --target=cuda:sm_90a --library=cublaslt,cudnn --random-inputs --float32-matmul-precision=high --reference=interp --atol=0.01 2>&1 | FileCheck %s --check-prefix=MATMUL
// RUN: %cuda_sim %fake_cublaslt %fake_cudnn env COIL_FAKE_CUBLASLT_TRACE=1 COIL_FAKE_CUDNN_TRACE=1 coil-run %s --target=cuda:sm_90a --library=cublaslt,cudnn --random-inputs --float32-conv-precision=high --reference=interp --atol=0.01 2>&1 | FileCheck %s --check-prefix=CONV
// RUN: %cuda_sim %fake_cublaslt %fake_cudnn env COIL_FAKE_CUBLASLT_TRACE=1 COIL_FAKE_CUDNN_TRACE=1 coil-run %s --target=cuda:sm_90a --library=cublaslt,cudnn --random-inputs --reference=interp 2>&1 | FileCheck %s --check-prefix=EXACT --implicit-check-not=tf32

// A package keeps what it was compiled with.
// RUN: coil-compile %s --target=cuda:sm_90a --library=cublaslt,cudnn --float32-matmul-precision=high -o %t.coilpkg
// RUN: %cuda_sim %fake_cublaslt %fake_cudnn env COIL_FAKE_CUBLASLT_TRACE=1 COIL_FAKE_CUDNN_TRACE=1 coil-run %t.coilpkg --random-inputs 2>&1 | FileCheck %s --check-prefix=MATMUL

// Plain products and rounded ones of one shape are in tf32-key.mlir.
// MATMUL: fake cublaslt: 1 of 200 x 180 x 160, epilogue 1, tf32
// MATMUL: fake cublaslt: 1 of 200 x 180 x 160, epilogue 1, tf32
// MATMUL: fake cudnn: 1 operations{{$}}
// CONV: fake cublaslt: 1 of 200 x 180 x 160, epilogue 1{{$}}
// CONV: fake cublaslt: 1 of 200 x 180 x 160, epilogue 1{{$}}
// CONV: fake cudnn: 1 operations, tf32
// EXACT: fake cublaslt: 1 of 200 x 180 x 160, epilogue 1{{$}}
// EXACT: fake cudnn: 1 operations{{$}}
func.func @main(%x: tensor<180x160xf32>, %w: tensor<160x200xf32>, %z: tensor<180x160xf32>, %i: tensor<2x32x24x24xf32>, %k: tensor<64x32x3x3xf32>) -> (tensor<180x200xf32>, tensor<180x200xf32>, tensor<2x64x24x24xf32>) {
  %0 = graph.matmul %x, %w : (tensor<180x160xf32>, tensor<160x200xf32>) -> tensor<180x200xf32>
  %1 = graph.matmul %z, %w : (tensor<180x160xf32>, tensor<160x200xf32>) -> tensor<180x200xf32>
  %2 = graph.conv %i, %k stride [1, 1] padding [1, 1] dilation [1, 1] groups 1 : (tensor<2x32x24x24xf32>, tensor<64x32x3x3xf32>) -> tensor<2x64x24x24xf32>
  return %0, %1, %2 : tensor<180x200xf32>, tensor<180x200xf32>, tensor<2x64x24x24xf32>
}
