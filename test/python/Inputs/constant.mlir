!t = tensor<?x4xf32, #sym.shape<[s0, 4]>>
func.func @main(%a: !t {coil.name = "a"}) -> !t attributes {sym.symbols = {s0 = #sym.range<1, 64, hint = 8>}} {
  %0 = graph.constant dense<[1.0, 2.0, 3.0, 5.0]> : tensor<4xf32>
  %1 = graph.add %a, %0 : (!t, tensor<4xf32>) -> !t
  return %1 : !t
}
