func.func @main(%x: tensor<8x3xf32>, %i: tensor<8x3xi64>) -> tensor<8x3xf32> {
  %0 = graph.gather %x, %i dim 0 : (tensor<8x3xf32>, tensor<8x3xi64>) -> tensor<8x3xf32>
  return %0 : tensor<8x3xf32>
}
