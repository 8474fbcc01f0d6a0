// RUN: coil-run %s --random-inputs --reference=interp
// Means and squared deviations over rows of a warp and of a block, over long
// rows in a loop, over columns, over all, and of one element.
func.func @main(%x: tensor<37x131xf32>, %y: tensor<5x9001xf32>, %z: tensor<1031x67xf64>, %w: tensor<3x70001xf32>, %one: tensor<1x1xf32>)
    -> (tensor<37xf32>, tensor<37xf32>, tensor<5x9001xf32>, tensor<1x67xf64>, tensor<1x67xf64>, tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<f32>, tensor<1xf32>, tensor<1xf32>) {
  %a, %b = graph.welford %x dims [1] : (tensor<37x131xf32>) -> (tensor<37xf32>, tensor<37xf32>)
  %c, %d = graph.welford %y dims [1] keepdims : (tensor<5x9001xf32>) -> (tensor<5x1xf32>, tensor<5x1xf32>)
  %e = graph.sub %y, %c : (tensor<5x9001xf32>, tensor<5x1xf32>) -> tensor<5x9001xf32>
  %f = graph.div %e, %d : (tensor<5x9001xf32>, tensor<5x1xf32>) -> tensor<5x9001xf32>
  %g, %h = graph.welford %z dims [0] keepdims : (tensor<1031x67xf64>) -> (tensor<1x67xf64>, tensor<1x67xf64>)
  %i, %j = graph.welford %w dims [1] : (tensor<3x70001xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  %k, %l = graph.welford %w dims [0, 1] : (tensor<3x70001xf32>) -> (tensor<f32>, tensor<f32>)
  %m, %n = graph.welford %one dims [0] : (tensor<1x1xf32>) -> (tensor<1xf32>, tensor<1xf32>)
  return %a, %b, %f, %g, %h, %i, %j, %k, %l, %m, %n : tensor<37xf32>, tensor<37xf32>, tensor<5x9001xf32>, tensor<1x67xf64>, tensor<1x67xf64>, tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<f32>, tensor<1xf32>, tensor<1xf32>
}
