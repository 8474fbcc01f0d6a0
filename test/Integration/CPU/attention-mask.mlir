// RUN: coil-run %s --library=none --random-inputs --reference=interp

// Attention whose masks are recognised as causal or as hiding nothing, with more
// and with fewer keys than queries, and one that is neither.

func.func @main(%q: tensor<2x3x5x8xf32>, %k: tensor<2x3x7x8xf32>, %l: tensor<2x3x4x8xf32>) -> (tensor<2x3x5x8xf32>, tensor<2x3x5x8xf32>, tensor<2x3x5x8xf32>, tensor<2x3x5x8xf32>) {
  %row = graph.iota 0 : i64 step 1 : i64 dim 0 -> tensor<5x1xi64>
  %seven = graph.iota 0 : i64 step 1 : i64 dim 0 -> tensor<7xi32>
  %column = graph.convert %seven : (tensor<7xi32>) -> tensor<7xi64>
  %four = graph.iota 3 : i64 step 1 : i64 dim 0 -> tensor<4xi64>
  %three = graph.full 3 : i64 -> tensor<i64>
  %zero = graph.full 0.0 : f32 -> tensor<f32>
  %hidden = graph.full 0xFF800000 : f32 -> tensor<f32>

  %more = graph.compare le, %column, %row : (tensor<7xi64>, tensor<5x1xi64>) -> tensor<5x7xi1>
  %0 = graph.attention %q, %k, %k mask %more scale 0.35 : (tensor<2x3x5x8xf32>, tensor<2x3x7x8xf32>, tensor<2x3x7x8xf32>, tensor<5x7xi1>) -> tensor<2x3x5x8xf32>

  %shifted = graph.add %row, %three : (tensor<5x1xi64>, tensor<i64>) -> tensor<5x1xi64>
  %fewer = graph.compare ge, %shifted, %four : (tensor<5x1xi64>, tensor<4xi64>) -> tensor<5x4xi1>
  %added = graph.select %fewer, %zero, %hidden : (tensor<5x4xi1>, tensor<f32>, tensor<f32>) -> tensor<5x4xf32>
  %1 = graph.attention %q, %l, %l mask %added scale 0.35 : (tensor<2x3x5x8xf32>, tensor<2x3x4x8xf32>, tensor<2x3x4x8xf32>, tensor<5x4xf32>) -> tensor<2x3x5x8xf32>

  %some = graph.compare gt, %four, %three : (tensor<4xi64>, tensor<i64>) -> tensor<4xi1>
  %everything = graph.compare ge, %four, %three : (tensor<4xi64>, tensor<i64>) -> tensor<4xi1>
  %2 = graph.attention %q, %l, %l mask %everything scale 0.35 : (tensor<2x3x5x8xf32>, tensor<2x3x4x8xf32>, tensor<2x3x4x8xf32>, tensor<4xi1>) -> tensor<2x3x5x8xf32>
  %3 = graph.attention %q, %l, %l mask %some scale 0.35 : (tensor<2x3x5x8xf32>, tensor<2x3x4x8xf32>, tensor<2x3x4x8xf32>, tensor<4xi1>) -> tensor<2x3x5x8xf32>
  return %0, %1, %2, %3 : tensor<2x3x5x8xf32>, tensor<2x3x5x8xf32>, tensor<2x3x5x8xf32>, tensor<2x3x5x8xf32>
}
