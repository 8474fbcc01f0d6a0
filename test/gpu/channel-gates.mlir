// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp
// RUN: %cuda_sim coil-run %s --target=cuda:sm_80 --library=none --random-inputs --reference=interp

// Squeeze and excite: windows of one element over images of one element leave
// dimensions of size one, among them reduced ones, next to the channels that are
// summed. They hide no alignment, and no row begins at a reduced position. An odd
// number of channels, too, whose rows are cut at aligned addresses.
func.func @main(%x: tensor<2x96x7x7xf32>, %w: tensor<24x96x1x1xf32>, %v: tensor<96x24x1x1xf32>,
                %y: tensor<3x131x1x1xf32>, %u: tensor<5x131x1x1xf32>) -> (tensor<2x96x7x7xf32>, tensor<3x5x1x1xf32>) {
  %s = graph.reduce sum, %x dims [2, 3] keepdims : (tensor<2x96x7x7xf32>) -> tensor<2x96x1x1xf32>
  %c = graph.conv %s, %w stride [1, 1] padding [0, 0] dilation [1, 1] groups 1 : (tensor<2x96x1x1xf32>, tensor<24x96x1x1xf32>) -> tensor<2x24x1x1xf32>
  %t = graph.tanh %c : (tensor<2x24x1x1xf32>) -> tensor<2x24x1x1xf32>
  %d = graph.conv %t, %v stride [1, 1] padding [0, 0] dilation [1, 1] groups 1 : (tensor<2x24x1x1xf32>, tensor<96x24x1x1xf32>) -> tensor<2x96x1x1xf32>
  %g = graph.sigmoid %d : (tensor<2x96x1x1xf32>) -> tensor<2x96x1x1xf32>
  %r = graph.mul %g, %x : (tensor<2x96x1x1xf32>, tensor<2x96x7x7xf32>) -> tensor<2x96x7x7xf32>
  %o = graph.conv %y, %u stride [1, 1] padding [0, 0] dilation [1, 1] groups 1 : (tensor<3x131x1x1xf32>, tensor<5x131x1x1xf32>) -> tensor<3x5x1x1xf32>
  return %r, %o : tensor<2x96x7x7xf32>, tensor<3x5x1x1xf32>
}
