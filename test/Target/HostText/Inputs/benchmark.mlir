func.func @main(%x: tensor<?x8xf32, #sym.shape<[s0, 8]>>) -> tensor<?x8xf32, #sym.shape<[s0, 8]>> attributes {sym.symbols = {s0 = #sym.range<1, 64, hint = 16>}} {
  %0 = graph.exp %x : tensor<?x8xf32, #sym.shape<[s0, 8]>>
  return %0 : tensor<?x8xf32, #sym.shape<[s0, 8]>>
}
