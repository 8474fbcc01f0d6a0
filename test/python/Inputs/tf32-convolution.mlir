func.func @main(%i: tensor<2x32x24x24xf32>, %k: tensor<64x32x3x3xf32>) -> tensor<2x64x24x24xf32> {
  %0 = graph.conv %i, %k stride [1, 1] padding [1, 1] dilation [1, 1] groups 1 tf32 : (tensor<2x32x24x24xf32>, tensor<64x32x3x3xf32>) -> tensor<2x64x24x24xf32>
  return %0 : tensor<2x64x24x24xf32>
}
