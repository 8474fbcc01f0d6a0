// A step of an optimizer and a cache, as the importer writes them.
func.func @main(%p: tensor<64x4xf32> {coil.name = "p"}, %m: tensor<64x4xf32> {coil.name = "m"}, %g: tensor<64x4xf32> {coil.name = "g"})
    -> (tensor<64x4xf32> {coil.user_input_mutation = "p"}, tensor<64x4xf32> {coil.user_input_mutation = "m"}, tensor<64x4xf32>) {
  %0 = graph.add %m, %g : tensor<64x4xf32>
  %1 = graph.add %p, %0 : tensor<64x4xf32>
  %2 = graph.mul %1, %g : tensor<64x4xf32>
  return %1, %0, %2 : tensor<64x4xf32>, tensor<64x4xf32>, tensor<64x4xf32>
}
