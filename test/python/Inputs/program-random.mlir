func.func @main(%x: tensor<4096xf32> {coil.name = "x"}) -> tensor<4096xf32> {
  %0 = graph.aten "aten.dropout.default"(%x) ["input"] {p = 5.000000e-01 : f64, train = true} : (tensor<4096xf32>) -> tensor<4096xf32>
  return %0 : tensor<4096xf32>
}
