// Rows of a batch that do not depend on one another: a matrix multiplication with a bias, a softmax, a layer's norm, a
// mean over positions, a running sum.
!x = tensor<?x24x96xf32, #sym.shape<[s0, 24, 96]>>
!h = tensor<?x24x64xf32, #sym.shape<[s0, 24, 64]>>
!r = tensor<?x24x1xf32, #sym.shape<[s0, 24, 1]>>
!m = tensor<?x1x64xf32, #sym.shape<[s0, 1, 64]>>
!w = tensor<96x64xf32>
!b = tensor<1x96x64xf32>
func.func @main(%x: !x {coil.name = "x"}, %w: !w {coil.name = "w"}) -> (!h, !m, !h)
    attributes {sym.symbols = {s0 = #sym.range<1, 512, hint = 8>}} {
  %b = graph.reshape %w : (!w) -> !b
  %h = graph.matmul %x, %b : (!x, !b) -> !h
  %top = graph.reduce max, %h dims [2] keepdims : (!h) -> !r
  %d = graph.sub %h, %top : (!h, !r) -> !h
  %e = graph.exp %d : (!h) -> !h
  %s = graph.reduce sum, %e dims [2] keepdims : (!h) -> !r
  %p = graph.div %e, %s : (!h, !r) -> !h
  %m = graph.reduce sum, %p dims [1] keepdims : (!h) -> !m
  %c = graph.scan sum, %h dim 1 : (!h) -> !h
  return %p, %m, %c : !h, !m, !h
}
