func.func @main(%x: tensor<4xf32> {coil.name = "x"}) -> tensor<4xf32> {
  %0 = graph.custom_call "mylib::scale"(%x, 2.0, none) names ["x", "f", "b"] : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
