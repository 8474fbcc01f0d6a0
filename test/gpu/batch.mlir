// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp

// Three independent launches of one kernel, which become one.
func.func @main(%x: tensor<1023xf32>, %y: tensor<1023xf32>, %z: tensor<1023xf32>) -> (tensor<1023xf32>, tensor<1023xf32>, tensor<1023xf32>) {
  %0 = graph.exp %x : (tensor<1023xf32>) -> tensor<1023xf32>
  %1 = graph.exp %y : (tensor<1023xf32>) -> tensor<1023xf32>
  %2 = graph.exp %z : (tensor<1023xf32>) -> tensor<1023xf32>
  return %0, %1, %2 : tensor<1023xf32>, tensor<1023xf32>, tensor<1023xf32>
}
