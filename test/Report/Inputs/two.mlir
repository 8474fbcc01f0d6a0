func.func @main(%x: tensor<64x32xf32>) -> tensor<64xf32> {
  %0 = graph.aten "aten.exp.default"(%x) ["self"] {} : (tensor<64x32xf32>) -> tensor<64x32xf32>
  %1 = graph.aten "aten.sum.dim_IntList"(%0) ["self"] {dim = array<i64: 1>, keepdim = false} : (tensor<64x32xf32>) -> tensor<64xf32>
  return %1 : tensor<64xf32>
}
