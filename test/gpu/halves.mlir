// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --deterministic

// What halves have of their own: rows added to rows in place, eight elements to
// an instruction; a tangent that is rounded at once; moments and positions whose
// blocks have few threads; a conversion that two kernels do; columns of sums, two
// lanes in a thread.
func.func @main(%i: tensor<41xi64>, %x: tensor<64x128xbf16>, %v: tensor<41x128xbf16>, %y: tensor<131x4104xbf16>, %z: tensor<173x192xbf16>)
    -> (tensor<64x128xbf16>, tensor<131x4104xbf16>, tensor<131x1xbf16>, tensor<131xi64>, tensor<1x4104xbf16>, tensor<173x192xbf16>) {
  // No differences, of which rounding each sum would leave little.
  %xa = graph.abs %x : (tensor<64x128xbf16>) -> tensor<64x128xbf16>
  %va = graph.abs %v : (tensor<41x128xbf16>) -> tensor<41x128xbf16>
  %x1 = graph.convert %xa : (tensor<64x128xbf16>) -> tensor<64x128xf32>
  %v1 = graph.convert %va : (tensor<41x128xbf16>) -> tensor<41x128xf32>
  %put = graph.index_put sum %x1[%i], %v1 dims [0] : (tensor<64x128xf32>, tensor<41xi64>, tensor<41x128xf32>) -> tensor<64x128xf32>
  %sum = graph.convert %put : (tensor<64x128xf32>) -> tensor<64x128xbf16>

  %y1 = graph.convert %y : (tensor<131x4104xbf16>) -> tensor<131x4104xf32>
  %t = graph.tanh %y1 : (tensor<131x4104xf32>) -> tensor<131x4104xf32>
  %tangent = graph.convert %t : (tensor<131x4104xf32>) -> tensor<131x4104xbf16>
  %mean, %m2 = graph.welford %y1 dims [1] keepdims : (tensor<131x4104xf32>) -> (tensor<131x1xf32>, tensor<131x1xf32>)
  %means = graph.convert %mean : (tensor<131x1xf32>) -> tensor<131x1xbf16>
  %columns = graph.reduce sum, %y1 dims [0] keepdims : (tensor<131x4104xf32>) -> tensor<1x4104xf32>
  %column_sums = graph.convert %columns : (tensor<1x4104xf32>) -> tensor<1x4104xbf16>
  %most, %where = graph.arg_reduce max, %y dim 1 : (tensor<131x4104xbf16>) -> (tensor<131xbf16>, tensor<131xi64>)

  %scan = loop.kernel "scan_halves" [173, 192] (%a = %z) : (tensor<173x192xbf16>) -> tensor<173x192xbf16> schedule #loop.gpu_schedule<strategy = scan, vector_dim = 1, vector_width = 2, threads_p = 64, threads_r = 8, items_r = 16, index_bits = 32> {
    %e = loop.load %a[d0, d1] : tensor<173x192xbf16> -> bf16
    %w = arith.extf %e : bf16 to f32
    %s = loop.scan sum %w over [0] : f32
    %r = arith.truncf %s : f32 to bf16
    loop.store %r, 0 [d0, d1] : bf16
  }
  return %sum, %tangent, %means, %where, %column_sums, %scan : tensor<64x128xbf16>, tensor<131x4104xbf16>, tensor<131x1xbf16>, tensor<131xi64>, tensor<1x4104xbf16>, tensor<173x192xbf16>
}
