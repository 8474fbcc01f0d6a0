// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp

// Windows that overlap and reach over the edge.
func.func @main(%x: tensor<2x3x33x35xf32>) -> tensor<2x3x17x18xf32> {
  %0 = graph.pool max, %x kernel [3, 3] stride [2, 2] padding [1, 1] dilation [1, 1] : (tensor<2x3x33x35xf32>) -> tensor<2x3x17x18xf32>
  return %0 : tensor<2x3x17x18xf32>
}
