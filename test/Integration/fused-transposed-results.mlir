// RUN: coil-run %s --random-inputs --reference=interp
// RUN: coil-run %s --random-inputs --reference=interp --fuse=false

// The kernel that has both halves of the sum stores one of them transposed, so that reads at equal indices want it at different
// points.
func.func @main(%p: tensor<2x5x5xf32>, %q: tensor<2x5x5xf32>) -> tensor<2x5x5x2xf32> {
  %columns = graph.iota 0 : i64 step 1 : i64 dim 0 -> tensor<5xi64>
  %rows = graph.reshape %columns : (tensor<5xi64>) -> tensor<5x1xi64>
  %isLower = graph.compare le, %columns, %rows : (tensor<5xi64>, tensor<5x1xi64>) -> tensor<5x5xi1>
  %zero = graph.full 0.000000e+00 : f32 -> tensor<f32>
  %lower = graph.select %isLower, %p, %zero : (tensor<5x5xi1>, tensor<2x5x5xf32>, tensor<f32>) -> tensor<2x5x5xf32>
  %turned = graph.permute %lower [0, 2, 1] : (tensor<2x5x5xf32>) -> tensor<2x5x5xf32>
  %negative = graph.neg %turned : (tensor<2x5x5xf32>) -> tensor<2x5x5xf32>
  %sum = graph.add %lower, %negative : (tensor<2x5x5xf32>, tensor<2x5x5xf32>) -> tensor<2x5x5xf32>
  %first = graph.reshape %q : (tensor<2x5x5xf32>) -> tensor<2x5x5x1xf32>
  %second = graph.reshape %sum : (tensor<2x5x5xf32>) -> tensor<2x5x5x1xf32>
  %both = graph.cat %first, %second dim 3 : (tensor<2x5x5x1xf32>, tensor<2x5x5x1xf32>) -> tensor<2x5x5x2xf32>
  return %both : tensor<2x5x5x2xf32>
}
