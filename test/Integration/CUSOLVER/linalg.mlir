// REQUIRES: cuda-sim, fake-cusolver
// RUN: %cuda_sim %fake_cusolver env COIL_FAKE_CUSOLVER_TRACE=1 coil-run %s --target=cuda:sm_90a --function=det --input='2x2xf32=2 1 3 4' 2>&1 | FileCheck %s --check-prefix=DET
// RUN: %cuda_sim %fake_cusolver env COIL_FAKE_CUSOLVER_TRACE=1 coil-run %s --target=cuda:sm_90a --function=dets --input='2x2x2xf64=2 1 3 4 0 1 1 0' 2>&1 | FileCheck %s --check-prefix=DETS
// RUN: %cuda_sim %fake_cusolver env COIL_FAKE_CUSOLVER_TRACE=1 coil-run %s --target=cuda:sm_90a --function=singular --input='2x3xf32=3 0 0 0 0 -4' 2>&1 | FileCheck %s --check-prefix=SINGULAR
// RUN: %cuda_sim %fake_cusolver sh %S/../../tools/coil-run/Inputs/status.sh 4 coil-run %s --target=cuda:sm_90a --function=inverse --input='2x2xf32=1 1 1 1' | FileCheck %s --check-prefix=INVERSE
// RUN: %cuda_sim %fake_cusolver sh %S/../../tools/coil-run/Inputs/status.sh 4 coil-run %s --target=cuda:sm_90a --function=factor --input='2x2xf32=1 2 2 1' | FileCheck %s --check-prefix=FACTOR
// RUN: %cuda_sim %fake_cusolver env COIL_FAKE_CUSOLVER_FAIL=getrf not coil-run %s --target=cuda:sm_90a --function=det --random-inputs 2>&1 | FileCheck %s --check-prefix=FAILS
// RUN: %cuda_sim env COIL_CUSOLVER_LIBRARY=libno-such.so not coil-run %s --target=cuda:sm_90a --function=det --random-inputs 2>&1 | FileCheck %s --check-prefix=MISSING
// FAILS: the function 'coil::linalg_lu' {{.*}}failed: library 'cusolver' failed with status 6 (LU factorization)
// MISSING: the function 'coil::linalg_lu' {{.*}}failed: library 'cusolver' is not available: libno-such.so: cannot open shared object file

// DET: cusolver: getrf{{$}}
// DET: f32=5
func.func @det(%a: tensor<2x2xf32>) -> tensor<f32> {
  %0 = graph.aten "aten.linalg_det.default"(%a) ["A"] {} : (tensor<2x2xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// Small matrices of a stack are one call.
// DETS: cusolver: getrfBatched
// DETS: 2xf64=[5 -1]
func.func @dets(%a: tensor<2x2x2xf64>) -> tensor<2xf64> {
  %0 = graph.aten "aten.linalg_det.default"(%a) ["A"] {} : (tensor<2x2x2xf64>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}

// The library has no singular values of matrices with more columns than rows.
// SINGULAR: cusolver: gesvd
// SINGULAR: 2xf32=[4 3]
func.func @singular(%a: tensor<2x3xf32>) -> tensor<2xf32> {
  %0 = graph.aten "aten.linalg_svdvals.default"(%a) ["A"] {} : (tensor<2x3xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// INVERSE: the function 'coil::linalg_lu' {{.*}}failed: the input matrix is singular
func.func @inverse(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = graph.aten "aten.linalg_inv.default"(%a) ["A"] {} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// FACTOR: failed: the input is not positive-definite (the leading minor of order 2 is not)
func.func @factor(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = graph.aten "aten.linalg_cholesky.default"(%a) ["self"] {} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
