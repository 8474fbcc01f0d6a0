// REQUIRES: cuda-sim, fake-cub
// RUN: %cuda_sim %fake_cub coil-run %s --target=cuda:sm_90a --library=cub --random-inputs --reference=interp --random-seed=81985529216486895 --random-offset=8
// RUN: %cuda_sim %fake_cub coil-run %s --target=cuda:sm_90a --library=cub --fast-math=off --random-inputs --reference=interp

// B14: distributions with steps and poles, and what sorts.
func.func @main(%x: tensor<7x11xf32>, %y: tensor<300xf64>, %z: tensor<999xbf16>, %w: tensor<?x6xf16, #sym.shape<[s0, 6]>>, %i: tensor<1000xi64>, %q: tensor<5x13xf32>) -> (tensor<7x11xf32>, tensor<7x11xf32>, tensor<300xf64>, tensor<999xbf16>, tensor<5x3xi64>, tensor<101xi64>) attributes {sym.symbols = {s0 = #sym.range<1, 4096, hint = 33>}} {
  %r20 = graph.aten "aten.cauchy.default"(%x) ["self"] {median = 0.5 : f64, sigma = 2.0 : f64} : (tensor<7x11xf32>) -> tensor<7x11xf32>
  %r21 = graph.aten "aten.geometric.default"(%x) ["self"] {p = 0.2 : f64} : (tensor<7x11xf32>) -> tensor<7x11xf32>
  %r22 = graph.aten "aten.geometric.default"(%y) ["self"] {p = 0.2 : f64} : (tensor<300xf64>) -> tensor<300xf64>
  %r23 = graph.aten "aten.cauchy.default"(%z) ["self"] {median = 0.5 : f64, sigma = 2.0 : f64} : (tensor<999xbf16>) -> tensor<999xbf16>
  %p = graph.abs %q : (tensor<5x13xf32>) -> tensor<5x13xf32>
  %r30 = graph.aten "aten.multinomial.default"(%p) ["self"] {num_samples = 3 : i64, replacement = false} : (tensor<5x13xf32>) -> tensor<5x3xi64>
  %r31 = graph.aten "aten.randperm.default"() [] {n = 101 : i64} : () -> tensor<101xi64>
  return %r20, %r21, %r22, %r23, %r30, %r31 : tensor<7x11xf32>, tensor<7x11xf32>, tensor<300xf64>, tensor<999xbf16>, tensor<5x3xi64>, tensor<101xi64>
}
