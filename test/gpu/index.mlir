// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp

// Rows picked by an index, which the kernel checks.
func.func @main(%x: tensor<8x129xf32>, %i: tensor<33xi64>) -> tensor<33x129xf32> {
  %0 = graph.index %x[%i] dims [0] : (tensor<8x129xf32>, tensor<33xi64>) -> tensor<33x129xf32>
  return %0 : tensor<33x129xf32>
}
