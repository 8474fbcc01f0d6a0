// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp
// RUN: coil-run %s --library=none --random-inputs --reference=interp

// Averages by divisors that are given: negative ones, in each kind of arithmetic,
// and minus one, by which the least integer has no quotient.
func.func @main(%x: tensor<2x3x9x8xf32>, %y: tensor<2x3x9x8xbf16>, %z: tensor<2x3x9x8xi64>, %v: tensor<2x3x9x8xui8>) -> (tensor<2x3x4x4xf32>, tensor<2x3x4x4xbf16>, tensor<2x3x4x4xi64>, tensor<2x3x4x4xi64>, tensor<2x3x4x4xui8>) {
  %0 = graph.pool avg, %x kernel [2, 2] stride [2, 2] padding [0, 0] dilation [1, 1] count_padding divisor -3 : (tensor<2x3x9x8xf32>) -> tensor<2x3x4x4xf32>
  %1 = graph.pool avg, %y kernel [2, 2] stride [2, 2] padding [0, 0] dilation [1, 1] count_padding divisor -3 : (tensor<2x3x9x8xbf16>) -> tensor<2x3x4x4xbf16>
  %2 = graph.pool avg, %z kernel [2, 2] stride [2, 2] padding [0, 0] dilation [1, 1] divisor -3 : (tensor<2x3x9x8xi64>) -> tensor<2x3x4x4xi64>
  %3 = graph.pool avg, %z kernel [2, 2] stride [2, 2] padding [0, 0] dilation [1, 1] divisor -1 : (tensor<2x3x9x8xi64>) -> tensor<2x3x4x4xi64>
  %4 = graph.pool avg, %v kernel [2, 2] stride [2, 2] padding [0, 0] dilation [1, 1] : (tensor<2x3x9x8xui8>) -> tensor<2x3x4x4xui8>
  return %0, %1, %2, %3, %4 : tensor<2x3x4x4xf32>, tensor<2x3x4x4xbf16>, tensor<2x3x4x4xi64>, tensor<2x3x4x4xi64>, tensor<2x3x4x4xui8>
}
