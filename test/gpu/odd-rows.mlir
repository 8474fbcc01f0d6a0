// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp

// Rows of odd lengths, whose beginnings have every alignment: vectors are cut at
// aligned addresses. In registers and in loops; sums, positions, moments; results
// along the rows.
func.func @main(%x: tensor<5x50257xbf16>, %y: tensor<7x1031xf32>, %z: tensor<3x4099xf32>, %w: tensor<3x70001xf32>, %v: tensor<9x333xbf16>) -> (tensor<5x50257xbf16>, tensor<7x1031xf32>, tensor<3xf32>, tensor<3xi64>, tensor<3xf32>, tensor<3xf32>, tensor<9x333xbf16>, tensor<5xf32>) {
  %x32 = graph.convert %x : (tensor<5x50257xbf16>) -> tensor<5x50257xf32>
  %m = graph.reduce max, %x32 dims [1] keepdims : (tensor<5x50257xf32>) -> tensor<5x1xf32>
  %d = graph.sub %x32, %m : (tensor<5x50257xf32>, tensor<5x1xf32>) -> tensor<5x50257xf32>
  %e = graph.exp %d : (tensor<5x50257xf32>) -> tensor<5x50257xf32>
  %s = graph.reduce sum, %e dims [1] keepdims : (tensor<5x50257xf32>) -> tensor<5x1xf32>
  %sm = graph.div %e, %s : (tensor<5x50257xf32>, tensor<5x1xf32>) -> tensor<5x50257xf32>
  %o1 = graph.convert %sm : (tensor<5x50257xf32>) -> tensor<5x50257xbf16>
  %l = graph.reduce sum, %x32 dims [1] : (tensor<5x50257xf32>) -> tensor<5xf32>
  %mean, %m2 = graph.welford %y dims [1] keepdims : (tensor<7x1031xf32>) -> (tensor<7x1xf32>, tensor<7x1xf32>)
  %yd = graph.sub %y, %mean : (tensor<7x1031xf32>, tensor<7x1xf32>) -> tensor<7x1031xf32>
  %o2 = graph.div %yd, %m2 : (tensor<7x1031xf32>, tensor<7x1xf32>) -> tensor<7x1031xf32>
  %o3 = graph.reduce sum, %z dims [1] : (tensor<3x4099xf32>) -> tensor<3xf32>
  %o4v, %o4 = graph.arg_reduce max, %w dim 1 : (tensor<3x70001xf32>) -> (tensor<3xf32>, tensor<3xi64>)
  %o5, %o6 = graph.welford %w dims [1] : (tensor<3x70001xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  %v32 = graph.convert %v : (tensor<9x333xbf16>) -> tensor<9x333xf32>
  %vm = graph.reduce max, %v32 dims [1] keepdims : (tensor<9x333xf32>) -> tensor<9x1xf32>
  %vs = graph.sub %v32, %vm : (tensor<9x333xf32>, tensor<9x1xf32>) -> tensor<9x333xf32>
  %o7 = graph.convert %vs : (tensor<9x333xf32>) -> tensor<9x333xbf16>
  return %o1, %o2, %o3, %o4, %o5, %o6, %o7, %l : tensor<5x50257xbf16>, tensor<7x1031xf32>, tensor<3xf32>, tensor<3xi64>, tensor<3xf32>, tensor<3xf32>, tensor<9x333xbf16>, tensor<5xf32>
}
