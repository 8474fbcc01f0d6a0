// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --random-seed=81985529216486895 --random-offset=8

// Dropout of all numbers of neighbours, also where the threads of the framework's
// kernel draw more than once; uniform numbers and integers; a dynamic size.
func.func @main(%x: tensor<64x96xf32>, %y: tensor<5x7xf32>, %z: tensor<300000xbf16>, %w: tensor<?x6xf16, #sym.shape<[s0, 6]>>) -> (tensor<64x96xf32>, tensor<64x96xi1>, tensor<5x7xf32>, tensor<300000xbf16>, tensor<7x10xf32>, tensor<1000xi64>, tensor<?x6xf16, #sym.shape<[s0, 6]>>) attributes {sym.symbols = {s0 = #sym.range<1, 4096, hint = 33>}} {
  %0:2 = graph.aten "aten.native_dropout.default"(%x) ["input"] {p = 0.25 : f64, train = true} : (tensor<64x96xf32>) -> (tensor<64x96xf32>, tensor<64x96xi1>)
  %1 = graph.aten "aten.dropout.default"(%y) ["input"] {p = 0.5 : f64, train = true} : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %2 = graph.aten "aten.dropout.default"(%z) ["input"] {p = 0.1 : f64, train = true} : (tensor<300000xbf16>) -> tensor<300000xbf16>
  %3 = graph.aten "aten.rand.default"() [] {size = array<i64: 7, 10>} : () -> tensor<7x10xf32>
  %4 = graph.aten "aten.randint.low"() [] {low = -5 : i64, high = 12 : i64, size = array<i64: 1000>} : () -> tensor<1000xi64>
  %5 = graph.aten "aten.dropout.default"(%w) ["input"] {p = 0.5 : f64, train = true} : (tensor<?x6xf16, #sym.shape<[s0, 6]>>) -> tensor<?x6xf16, #sym.shape<[s0, 6]>>
  return %0#0, %0#1, %1, %2, %3, %4, %5 : tensor<64x96xf32>, tensor<64x96xi1>, tensor<5x7xf32>, tensor<300000xbf16>, tensor<7x10xf32>, tensor<1000xi64>, tensor<?x6xf16, #sym.shape<[s0, 6]>>
}
