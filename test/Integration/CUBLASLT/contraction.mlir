// REQUIRES: cuda-sim, fake-cublaslt
// RUN: %cuda_sim %fake_cublaslt env COIL_FAKE_CUBLASLT_TRACE=1 coil-run %s --target=cuda:sm_90a --library=cublaslt --random-inputs --function=linear --reference=interp 2>&1 | FileCheck %s --check-prefix=LINEAR
// RUN: %cuda_sim %fake_cublaslt coil-run %s --target=cuda:sm_90a --library=cublaslt --random-inputs --function=batches --reference=interp
// RUN: %cuda_sim %fake_cublaslt coil-run %s --target=cuda:sm_90a --library=cublaslt --random-inputs --function=packed --reference=interp
// RUN: %cuda_sim %fake_cublaslt coil-run %s --target=cuda:sm_90a --library=cublaslt --random-inputs --function=dynamic --symbol=s0=200 --reference=interp
// RUN: %cuda_sim %fake_cublaslt coil-run %s --target=cuda:sm_90a --library=cublaslt --random-inputs --function=dynamic --symbol=s0=0
// RUN: env COIL_FAKE_CUBLASLT_FAIL=heuristic %cuda_sim %fake_cublaslt not coil-run %s --target=cuda:sm_90a --library=cublaslt --random-inputs --function=linear 2>&1 | FileCheck %s --check-prefix=HEURISTIC
// HEURISTIC: library 'cublaslt' has no kernel for this contraction on this device, in contraction ({{.*}}contraction.mlir:[[#]])
// RUN: env COIL_FAKE_CUBLASLT_FAIL=execute %cuda_sim %fake_cublaslt not coil-run %s --target=cuda:sm_90a --library=cublaslt --random-inputs --function=linear 2>&1 | FileCheck %s --check-prefix=EXECUTE
// EXECUTE: library 'cublaslt' failed with status 13 (contraction), in contraction

// Bias and ReLU are the library's.
// LINEAR: fake cublaslt: 1 of 200 x 180 x 160, epilogue 6
func.func @linear(%x: tensor<180x160xf32>, %w: tensor<200x160xf32>, %b: tensor<200xf32>) -> tensor<180x200xf32> {
  %0 = graph.permute %w [1, 0] : (tensor<200x160xf32>) -> tensor<160x200xf32>
  %1 = graph.matmul %x, %0 : (tensor<180x160xf32>, tensor<160x200xf32>) -> tensor<180x200xf32>
  %2 = graph.add %1, %b : (tensor<180x200xf32>, tensor<200xf32>) -> tensor<180x200xf32>
  %3 = graph.relu %2 : (tensor<180x200xf32>) -> tensor<180x200xf32>
  return %3 : tensor<180x200xf32>
}

func.func @batches(%x: tensor<3x5x70x80xf16>, %y: tensor<3x5x80x64xf16>) -> tensor<3x5x70x64xf16> {
  %0 = graph.matmul %x, %y : (tensor<3x5x70x80xf16>, tensor<3x5x80x64xf16>) -> tensor<3x5x70x64xf16>
  return %0 : tensor<3x5x70x64xf16>
}

// Rows and columns of the first factor are both strided.
func.func @packed(%x: tensor<160x180x2xf32>, %y: tensor<180x150xf32>) -> tensor<160x150xf32> {
  %0 = graph.slice %x starts <[0, 0, 1]> steps [1, 1, 1] : (tensor<160x180x2xf32>) -> tensor<160x180x1xf32>
  %1 = graph.reshape %0 : (tensor<160x180x1xf32>) -> tensor<160x180xf32>
  %2 = graph.matmul %1, %y : (tensor<160x180xf32>, tensor<180x150xf32>) -> tensor<160x150xf32>
  return %2 : tensor<160x150xf32>
}

func.func @dynamic(%x: tensor<?x160xf32, #sym.shape<[s0, 160]>>, %y: tensor<160x150xf32>) -> tensor<?x150xf32, #sym.shape<[s0, 150]>>
    attributes {sym.symbols = {s0 = #sym.range<0, 4096>}} {
  %0 = graph.matmul %x, %y : (tensor<?x160xf32, #sym.shape<[s0, 160]>>, tensor<160x150xf32>) -> tensor<?x150xf32, #sym.shape<[s0, 150]>>
  return %0 : tensor<?x150xf32, #sym.shape<[s0, 150]>>
}
