!a = tensor<?x64xf32, #sym.shape<[s0, 64]>>
!r = tensor<?x1xf32, #sym.shape<[s0, 1]>>
!b = tensor<?xf32, #sym.shape<[s1]>>
func.func @main(%x: !a, %y: !b) -> (!a, !b, !r)
    attributes {sym.symbols = {s0 = #sym.range<0, 4096, hint = 32>, s1 = #sym.range<0, 100000, hint = 100>}} {
  %e = graph.exp %x : (!a) -> !a
  %c = graph.cos %y : (!b) -> !b
  %s = graph.reduce sum, %x dims [1] keepdims : (!a) -> !r
  return %e, %c, %s : !a, !b, !r
}
