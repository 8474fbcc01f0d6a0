// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp

// Sums over the inner, the outer, the middle and all dimensions.
func.func @main(%x: tensor<37x65x131xf32>) -> (tensor<37x65xf32>, tensor<65x131xf32>, tensor<37x131xf32>, tensor<f32>) {
  %0 = graph.reduce sum, %x dims [2] : (tensor<37x65x131xf32>) -> tensor<37x65xf32>
  %1 = graph.reduce max, %x dims [0] : (tensor<37x65x131xf32>) -> tensor<65x131xf32>
  %2 = graph.reduce sum, %x dims [1] : (tensor<37x65x131xf32>) -> tensor<37x131xf32>
  %3 = graph.reduce sum, %x dims [0, 1, 2] : (tensor<37x65x131xf32>) -> tensor<f32>
  return %0, %1, %2, %3 : tensor<37x65xf32>, tensor<65x131xf32>, tensor<37x131xf32>, tensor<f32>
}
