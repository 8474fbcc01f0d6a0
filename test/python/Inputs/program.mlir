!t = tensor<?x4xf32, #sym.shape<[s0, 4]>>
func.func @main(%a: !t {coil.name = "a"}, %b: tensor<4xf32> {coil.name = "b"}) -> (!t, tensor<?xf32, #sym.shape<[s0]>>)
    attributes {sym.symbols = {s0 = #sym.range<1, 64, hint = 8>}} {
  %0 = graph.add %a, %b : (!t, tensor<4xf32>) -> !t
  %1 = graph.reduce sum, %0 dims [1] : (!t) -> tensor<?xf32, #sym.shape<[s0]>>
  return %0, %1 : !t, tensor<?xf32, #sym.shape<[s0]>>
}
