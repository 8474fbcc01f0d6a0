// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp

// A contraction by a kernel of our own, with what follows it.
func.func @main(%x: tensor<65x33xf32>, %w: tensor<33x47xf32>, %b: tensor<47xf32>) -> tensor<65x47xf32> {
  %0 = graph.matmul %x, %w : (tensor<65x33xf32>, tensor<33x47xf32>) -> tensor<65x47xf32>
  %1 = graph.broadcast %b : (tensor<47xf32>) -> tensor<65x47xf32>
  %2 = graph.add %0, %1 : (tensor<65x47xf32>, tensor<65x47xf32>) -> tensor<65x47xf32>
  %3 = graph.tanh %2 : (tensor<65x47xf32>) -> tensor<65x47xf32>
  return %3 : tensor<65x47xf32>
}
