// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --deterministic

// Rows that are added to rows, several to one, as vectors and as elements.
func.func @main(%i: tensor<517xi64>, %x: tensor<16x128xf32>, %v: tensor<517x128xf32>, %y: tensor<16x129xbf16>, %w: tensor<517x129xbf16>) -> (tensor<16x128xf32>, tensor<16x129xbf16>) {
  %0 = graph.index_put sum %x[%i], %v dims [0] : (tensor<16x128xf32>, tensor<517xi64>, tensor<517x128xf32>) -> tensor<16x128xf32>
  %1 = graph.index_put max %y[%i], %w dims [0] : (tensor<16x129xbf16>, tensor<517xi64>, tensor<517x129xbf16>) -> tensor<16x129xbf16>
  return %0, %1 : tensor<16x128xf32>, tensor<16x129xbf16>
}
