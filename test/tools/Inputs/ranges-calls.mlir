func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.custom_call "test::scale"(%x, 2.0) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.custom_call "test::scale"(%0, 2.0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
