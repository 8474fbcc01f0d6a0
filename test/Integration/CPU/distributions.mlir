// RUN: coil-run %s --random-inputs --reference=interp --random-seed=81985529216486895 --random-offset=8
// RUN: coil-run %s --random-inputs --reference=interp --symbol=s0=1

// B14: every distribution, permutations and samples.
func.func @main(%x: tensor<7x11xf32>, %y: tensor<300xf64>, %z: tensor<999xbf16>, %w: tensor<?x6xf16, #sym.shape<[s0, 6]>>, %i: tensor<1000xi64>, %q: tensor<5x13xf32>) -> (tensor<1000x301xf32>, tensor<300000xf64>, tensor<999xbf16>, tensor<?x6xf16, #sym.shape<[s0, 6]>>, tensor<7x11xf32>, tensor<7x11xf32>, tensor<300xf64>, tensor<7x11xf32>, tensor<300xf64>, tensor<300xf64>, tensor<300xf64>, tensor<300xi64>, tensor<1000xi64>, tensor<5x13xf32>, tensor<5x1xi64>, tensor<5x40xi64>, tensor<0xf32>, tensor<1xf64>, tensor<7x11xf32>, tensor<7x11xf32>, tensor<300xf64>, tensor<999xbf16>, tensor<5x3xi64>, tensor<101xi64>) attributes {sym.symbols = {s0 = #sym.range<1, 4096, hint = 33>}} {
  %r0 = graph.aten "aten.randn.default"() [] {size = array<i64: 1000, 301>} : () -> tensor<1000x301xf32>
  %r1 = graph.aten "aten.randn.default"() [] {size = array<i64: 300000>} : () -> tensor<300000xf64>
  %r2 = graph.aten "aten.normal_functional.default"(%z) ["self"] {mean = 1.5 : f64, std = 0.1 : f64} : (tensor<999xbf16>) -> tensor<999xbf16>
  %r3 = graph.aten "aten.randn_like.default"(%w) ["self"] {} : (tensor<?x6xf16, #sym.shape<[s0, 6]>>) -> tensor<?x6xf16, #sym.shape<[s0, 6]>>
  %r4 = graph.aten "aten.normal.Tensor_Tensor"(%x, %x) ["mean", "std"] {} : (tensor<7x11xf32>, tensor<7x11xf32>) -> tensor<7x11xf32>
  %r5 = graph.aten "aten.exponential.default"(%x) ["self"] {lambd = 3.0 : f64} : (tensor<7x11xf32>) -> tensor<7x11xf32>
  %r6 = graph.aten "aten.exponential.default"(%y) ["self"] {lambd = 0.3 : f64} : (tensor<300xf64>) -> tensor<300xf64>
  %r7 = graph.aten "aten.log_normal.default"(%x) ["self"] {mean = 0.5 : f64, std = 0.25 : f64} : (tensor<7x11xf32>) -> tensor<7x11xf32>
  %r8 = graph.aten "aten.log_normal.default"(%y) ["self"] {mean = 0.5 : f64, std = 0.25 : f64} : (tensor<300xf64>) -> tensor<300xf64>
  %r9 = graph.aten "aten.uniform.default"(%y) ["self"] {from = -2.0 : f64, to = 3.0 : f64} : (tensor<300xf64>) -> tensor<300xf64>
  %r10 = graph.aten "aten.cauchy.default"(%y) ["self"] {median = 0.5 : f64, sigma = 2.0 : f64} : (tensor<300xf64>) -> tensor<300xf64>
  %r11 = graph.aten "aten.randint.low"() [] {size = array<i64: 300>, low = -5 : i64, high = 1000000000000 : i64} : () -> tensor<300xi64>
  %r12 = graph.aten "aten.random.default"(%i) ["self"] {} : (tensor<1000xi64>) -> tensor<1000xi64>
  %p = graph.abs %q : (tensor<5x13xf32>) -> tensor<5x13xf32>
  %r14 = graph.aten "aten.bernoulli.default"(%p) ["self"] {} : (tensor<5x13xf32>) -> tensor<5x13xf32>
  %r15 = graph.aten "aten.multinomial.default"(%p) ["self"] {num_samples = 1 : i64, replacement = false} : (tensor<5x13xf32>) -> tensor<5x1xi64>
  %r16 = graph.aten "aten.multinomial.default"(%p) ["self"] {num_samples = 40 : i64, replacement = true} : (tensor<5x13xf32>) -> tensor<5x40xi64>
  %r17 = graph.aten "aten.randn.default"() [] {size = array<i64: 0>} : () -> tensor<0xf32>
  %r18 = graph.aten "aten.randn.default"() [] {size = array<i64: 1>} : () -> tensor<1xf64>
  %r20 = graph.aten "aten.cauchy.default"(%x) ["self"] {median = 0.5 : f64, sigma = 2.0 : f64} : (tensor<7x11xf32>) -> tensor<7x11xf32>
  %r21 = graph.aten "aten.geometric.default"(%x) ["self"] {p = 0.2 : f64} : (tensor<7x11xf32>) -> tensor<7x11xf32>
  %r22 = graph.aten "aten.geometric.default"(%y) ["self"] {p = 0.2 : f64} : (tensor<300xf64>) -> tensor<300xf64>
  %r23 = graph.aten "aten.cauchy.default"(%z) ["self"] {median = 0.5 : f64, sigma = 2.0 : f64} : (tensor<999xbf16>) -> tensor<999xbf16>
  %r30 = graph.aten "aten.multinomial.default"(%p) ["self"] {num_samples = 3 : i64, replacement = false} : (tensor<5x13xf32>) -> tensor<5x3xi64>
  %r31 = graph.aten "aten.randperm.default"() [] {n = 101 : i64} : () -> tensor<101xi64>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r14, %r15, %r16, %r17, %r18, %r20, %r21, %r22, %r23, %r30, %r31 : tensor<1000x301xf32>, tensor<300000xf64>, tensor<999xbf16>, tensor<?x6xf16, #sym.shape<[s0, 6]>>, tensor<7x11xf32>, tensor<7x11xf32>, tensor<300xf64>, tensor<7x11xf32>, tensor<300xf64>, tensor<300xf64>, tensor<300xf64>, tensor<300xi64>, tensor<1000xi64>, tensor<5x13xf32>, tensor<5x1xi64>, tensor<5x40xi64>, tensor<0xf32>, tensor<1xf64>, tensor<7x11xf32>, tensor<7x11xf32>, tensor<300xf64>, tensor<999xbf16>, tensor<5x3xi64>, tensor<101xi64>
}
