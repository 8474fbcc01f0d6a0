// REQUIRES: cuda-sim, fake-cublaslt
// RUN: %cuda_sim %fake_cublaslt env COIL_FAKE_CUBLASLT_TRACE=1 coil-run %s --target=cuda:sm_90a --library=cublaslt --random-inputs --reference=interp --atol=0.01 2>&1 | FileCheck %s

// Two products of one shape, of which only one may round: what is kept for one
// does not serve the other.
// CHECK-DAG: fake cublaslt: 1 of 200 x 180 x 160, epilogue 1, tf32
// CHECK-DAG: fake cublaslt: 1 of 200 x 180 x 160, epilogue 1{{$}}
func.func @main(%x: tensor<180x160xf32>, %w: tensor<160x200xf32>) -> (tensor<180x200xf32>, tensor<180x200xf32>) {
  %0 = graph.matmul %x, %w tf32 : (tensor<180x160xf32>, tensor<160x200xf32>) -> tensor<180x200xf32>
  %1 = graph.matmul %x, %w : (tensor<180x160xf32>, tensor<160x200xf32>) -> tensor<180x200xf32>
  return %0, %1 : tensor<180x200xf32>, tensor<180x200xf32>
}
