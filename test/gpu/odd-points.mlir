// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp

// Points of several dimensions as one: rows of 1001, 7 and 5 elements with
// operands for rows, for columns and for both outer dimensions; a sum in chunks of
// which the last one is shorter; padding inside of rows.
func.func @main(%x: tensor<37x1001xf16>, %r: tensor<37x1xf16>, %c: tensor<1001xf16>, %y: tensor<2x301x7xf32>, %p: tensor<301x1xf32>, %z: tensor<1003x5xbf16>, %q: tensor<1003x1xbf16>, %w: tensor<1x1000003xf32>) -> (tensor<37x1001xf16>, tensor<2x301x7xf32>, tensor<1003x5xbf16>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<37x1004xf16>) {
  %a = graph.mul %x, %r : (tensor<37x1001xf16>, tensor<37x1xf16>) -> tensor<37x1001xf16>
  %o0 = graph.add %a, %c : (tensor<37x1001xf16>, tensor<1001xf16>) -> tensor<37x1001xf16>
  %e = graph.exp %p : (tensor<301x1xf32>) -> tensor<301x1xf32>
  %o1 = graph.mul %y, %e : (tensor<2x301x7xf32>, tensor<301x1xf32>) -> tensor<2x301x7xf32>
  %o2 = graph.maximum %z, %q : (tensor<1003x5xbf16>, tensor<1003x1xbf16>) -> tensor<1003x5xbf16>
  %sq = graph.mul %w, %w : (tensor<1x1000003xf32>, tensor<1x1000003xf32>) -> tensor<1x1000003xf32>
  %o3 = graph.reduce sum, %sq dims [1] : (tensor<1x1000003xf32>) -> tensor<1xf32>
  %o4, %o5 = graph.welford %w dims [1] : (tensor<1x1000003xf32>) -> (tensor<1xf32>, tensor<1xf32>)
  %o6 = graph.pad %o0 low [0, 1] high [0, 2] value 0.000000e+00 : f16 : (tensor<37x1001xf16>) -> tensor<37x1004xf16>
  return %o0, %o1, %o2, %o3, %o4, %o5, %o6 : tensor<37x1001xf16>, tensor<2x301x7xf32>, tensor<1003x5xbf16>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<37x1004xf16>
}
