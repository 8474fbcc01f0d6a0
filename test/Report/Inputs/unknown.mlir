func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // Nobody knows this one.
  %0 = graph.aten "aten.no_such.default"(%x) ["self"] {} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
