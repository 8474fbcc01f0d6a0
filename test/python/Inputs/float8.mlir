func.func @main(%x: tensor<6xf32>) -> (tensor<6xf8E4M3FN>, tensor<6xf8E5M2>) {
  %0 = graph.convert %x : (tensor<6xf32>) -> tensor<6xf8E4M3FN>
  %1 = graph.convert %x : (tensor<6xf32>) -> tensor<6xf8E5M2>
  return %0, %1 : tensor<6xf8E4M3FN>, tensor<6xf8E5M2>
}
