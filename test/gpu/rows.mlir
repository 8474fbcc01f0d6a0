// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp

// Sums over ranges of rows, at positions and without, as vectors and as elements; what is around them is fused.
func.func @main(%x: tensor<517x128xbf16>, %y: tensor<517x129xf32>, %lo: tensor<203xi64>, %n: tensor<203xi64>, %p: tensor<517xi64>) -> (tensor<203x128xbf16>, tensor<203x129xf32>) {
  %step = graph.iota 0 : i64 step 2 : i64 dim 0 -> tensor<203xi64>
  %from = graph.add %lo, %step : (tensor<203xi64>, tensor<203xi64>) -> tensor<203xi64>
  %to = graph.add %from, %n : (tensor<203xi64>, tensor<203xi64>) -> tensor<203xi64>
  %0 = graph.segment_reduce sum %x at %p from %from to %to : (tensor<517x128xbf16>, tensor<203xi64>, tensor<203xi64>, tensor<517xi64>) -> tensor<203x128xf32>
  %1 = graph.convert %0 : (tensor<203x128xf32>) -> tensor<203x128xbf16>
  %2 = graph.segment_reduce sum %y from %from to %to : (tensor<517x129xf32>, tensor<203xi64>, tensor<203xi64>) -> tensor<203x129xf32>
  return %1, %2 : tensor<203x128xbf16>, tensor<203x129xf32>
}
