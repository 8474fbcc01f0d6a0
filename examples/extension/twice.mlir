// The sum of 2 * a * b.
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<f32> {
  %0 = toy.twice %a : tensor<4xf32>
  %1 = graph.mul %0, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = graph.reduce sum, %1 dims [0] : (tensor<4xf32>) -> tensor<f32>
  return %2 : tensor<f32>
}
