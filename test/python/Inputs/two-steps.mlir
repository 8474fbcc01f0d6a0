// Two steps on one input, and an input that nothing uses.
func.func @main(%x: tensor<4xf32> {coil.name = "x"}, %unused: tensor<4xf32> {coil.name = "unused"}) -> tensor<4xf32> {
  %0 = graph.exp %x : (tensor<4xf32>) -> tensor<4xf32> loc("exp"("model.py":3:0))
  %1 = graph.neg %0 : (tensor<4xf32>) -> tensor<4xf32> loc("neg"("model.py":4:0))
  return %1 : tensor<4xf32>
}
