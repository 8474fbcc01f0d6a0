// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp

// A transposed operand beside one that is not.
func.func @main(%x: tensor<131x67xf32>, %y: tensor<67x131xf32>) -> tensor<67x131xf32> {
  %0 = graph.permute %x [1, 0] : (tensor<131x67xf32>) -> tensor<67x131xf32>
  %1 = graph.add %0, %y : (tensor<67x131xf32>, tensor<67x131xf32>) -> tensor<67x131xf32>
  return %1 : tensor<67x131xf32>
}
