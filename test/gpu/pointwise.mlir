// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp

// Broadcast, odd sizes, a transcendental function, and a second element type.
func.func @main(%x: tensor<129x257xf32>, %b: tensor<257xf32>) -> (tensor<129x257xf32>, tensor<129x257xbf16>) {
  %0 = graph.broadcast %b : (tensor<257xf32>) -> tensor<129x257xf32>
  %1 = graph.add %x, %0 : (tensor<129x257xf32>, tensor<129x257xf32>) -> tensor<129x257xf32>
  %2 = graph.tanh %1 : (tensor<129x257xf32>) -> tensor<129x257xf32>
  %3 = graph.exp %1 : (tensor<129x257xf32>) -> tensor<129x257xf32>
  %4 = graph.mul %2, %3 : (tensor<129x257xf32>, tensor<129x257xf32>) -> tensor<129x257xf32>
  %5 = graph.convert %4 : (tensor<129x257xf32>) -> tensor<129x257xbf16>
  return %4, %5 : tensor<129x257xf32>, tensor<129x257xbf16>
}
