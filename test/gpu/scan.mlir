// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --atol=1e-3

// Sums of a million elements of up to one reach some hundreds, which f32 rounds to 3e-5; the interpreter adds in another order.

// Rows that a warp and a block keep, one row of many blocks, and columns.
func.func @main(%x: tensor<37x131xf32>, %y: tensor<5x4099xf32>, %z: tensor<1000003xf32>, %c: tensor<5003x40xf32>) -> (tensor<37x131xf32>, tensor<5x4099xf32>, tensor<1000003xf32>, tensor<5003x40xf32>) {
  %0 = graph.scan sum, %x dim 1 : (tensor<37x131xf32>) -> tensor<37x131xf32>
  %1 = graph.scan max, %y dim 1 : (tensor<5x4099xf32>) -> tensor<5x4099xf32>
  %2 = graph.scan sum, %z dim 0 : (tensor<1000003xf32>) -> tensor<1000003xf32>
  %3 = graph.scan sum, %c dim 0 : (tensor<5003x40xf32>) -> tensor<5003x40xf32>
  return %0, %1, %2, %3 : tensor<37x131xf32>, tensor<5x4099xf32>, tensor<1000003xf32>, tensor<5003x40xf32>
}
