// REQUIRES: cuda-sim, fake-cufft
// RUN: %cuda_sim %fake_cufft env COIL_FAKE_CUFFT_TRACE=1 coil-run %s --target=cuda:sm_90a --function=lines --input='2x4xf32=1 2 3 4 0 1 0 -1' 2>&1 | FileCheck %s --check-prefix=LINES
// RUN: %cuda_sim %fake_cufft env COIL_FAKE_CUFFT_TRACE=1 coil-run %s --target=cuda:sm_90a --function=columns --input='2x2x2xf32=1 0 2 0 3 0 5 0' 2>&1 | FileCheck %s --check-prefix=COLUMNS
// RUN: %cuda_sim %fake_cufft env COIL_FAKE_CUFFT_TRACE=1 coil-run %s --target=cuda:sm_90a --function=back --input='2x3x2xf64=10 0 -2 2 -2 0 0 0 0 -2 0 0' 2>&1 | FileCheck %s --check-prefix=BACK
// RUN: %cuda_sim env COIL_CUFFT_LIBRARY=libno-such.so sh %S/../../tools/coil-run/Inputs/status.sh 4 coil-run %s --target=cuda:sm_90a --function=lines --random-inputs | FileCheck %s --check-prefix=MISSING
// RUN: %cuda_sim %fake_cufft env COIL_FAKE_CUFFT_FAIL=plan not coil-run %s --target=cuda:sm_90a --function=lines --random-inputs 2>&1 | FileCheck %s --check-prefix=PLAN
// RUN: %cuda_sim %fake_cufft env COIL_FAKE_CUFFT_FAIL=execute not coil-run %s --target=cuda:sm_90a --function=lines --random-inputs 2>&1 | FileCheck %s --check-prefix=EXECUTE
// MISSING: the function 'coil::fft_r2c' {{.*}}failed: library 'cufft' is not available: libno-such.so: cannot open shared object file
// PLAN: failed: out of memory in library 'cufft' (plan of a Fourier transform)
// EXECUTE: failed: library 'cufft' failed with status 6 (Fourier transform)

// The innermost dimension is transformed where it lies.
// LINES: cufft: 2a of 4, 2 times
// LINES: 2x3x2xf32={{\[\[\[}}10 0][-2 2][-2 0]]{{\[\[}}0 0][0 -2][0 0]]]
func.func @lines(%x: tensor<2x4xf32>) -> tensor<2x3x2xf32> {
  %0 = graph.custom_call "coil::fft_r2c"(%x, [<1>], true, 1.0) : (tensor<2x4xf32>) -> tensor<2x3x2xf32>
  return %0 : tensor<2x3x2xf32>
}

// Others move there and back, and the factor comes behind.
// COLUMNS: cufft: 29 of 2, 2 times
// COLUMNS: 2x2x2xf32={{\[\[\[}}2 0][3.5 0]]{{\[\[}}-1 0][-1.5 0]]]
func.func @columns(%x: tensor<2x2x2xf32>) -> tensor<2x2x2xf32> {
  %0 = graph.custom_call "coil::fft_c2c"(%x, [<0>], false, 0.5) : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
  return %0 : tensor<2x2x2xf32>
}

// What a transform to real numbers destroys is a copy.
// BACK: cufft: 6c of 4, 2 times
// BACK: 2x4xf64={{\[\[}}1 2 3 4][0 1 0 -1]]
// BACK: 2x3x2xf64={{\[\[\[}}10 0][-2 2][-2 0]]{{\[\[}}0 0][0 -2][0 0]]]
func.func @back(%x: tensor<2x3x2xf64>) -> (tensor<2x4xf64>, tensor<2x3x2xf64>) {
  %0 = graph.custom_call "coil::fft_c2r"(%x, [<1>], <4>, 0.25) : (tensor<2x3x2xf64>) -> tensor<2x4xf64>
  return %0, %x : tensor<2x4xf64>, tensor<2x3x2xf64>
}
