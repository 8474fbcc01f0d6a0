// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp

// Sizes known at run time only.
func.func @main(%x: tensor<?x129xf32, #sym.shape<[s0, 129]>>) -> (tensor<?xf32, #sym.shape<[s0]>>, tensor<129xf32>) attributes {sym.symbols = {s0 = #sym.range<1, 65536>}} {
  %0 = graph.reduce sum, %x dims [1] : (tensor<?x129xf32, #sym.shape<[s0, 129]>>) -> tensor<?xf32, #sym.shape<[s0]>>
  %1 = graph.reduce max, %x dims [0] : (tensor<?x129xf32, #sym.shape<[s0, 129]>>) -> tensor<129xf32>
  return %0, %1 : tensor<?xf32, #sym.shape<[s0]>>, tensor<129xf32>
}
