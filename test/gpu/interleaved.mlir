// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --rtol=1e-3 --atol=1e-2

// Long reductions whose chunks have points that lie apart: numbers that the
// chunks do not divide, and sizes known at run time only.
func.func @main(%x: tensor<1031x2x15x17xf32>, %y: tensor<?x3x512xf32, #sym.shape<[s0, 3, 512]>>) -> (tensor<1x2x1x1xf32>, tensor<3xf32>, tensor<3xf32>) attributes {sym.symbols = {s0 = #sym.range<1100, 65536>}} {
  %0 = graph.reduce sum, %x dims [0, 2, 3] keepdims : (tensor<1031x2x15x17xf32>) -> tensor<1x2x1x1xf32>
  %1 = graph.reduce max, %y dims [0, 2] : (tensor<?x3x512xf32, #sym.shape<[s0, 3, 512]>>) -> tensor<3xf32>
  %2 = graph.reduce sum, %y dims [0, 2] : (tensor<?x3x512xf32, #sym.shape<[s0, 3, 512]>>) -> tensor<3xf32>
  return %0, %1, %2 : tensor<1x2x1x1xf32>, tensor<3xf32>, tensor<3xf32>
}
