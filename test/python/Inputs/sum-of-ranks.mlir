// Sums over the ranks, in front of and behind an element that the host reads.
!x = tensor<?x4xf32, #sym.shape<[s0, 4]>>
func.func @main(%x: !x {coil.name = "x"}) -> (!x, !x)
    attributes {sym.symbols = {s0 = #sym.range<1, 64, hint = 16>, u0 = #sym.range<0, 1>}} {
  %a = graph.add %x, %x : (!x, !x) -> !x
  %s = graph.custom_call "_c10d_functional::all_reduce"(%a, "sum", "ranks") : (!x) -> !x
  %b = graph.sin %x : (!x) -> !x
  %w = graph.custom_call "_c10d_functional::wait_tensor"(%s) : (!x) -> !x
  %t = graph.reduce sum, %w dims [0, 1] : (!x) -> tensor<f32>
  %zero = graph.constant dense<0.0> : tensor<f32>
  %p = graph.compare lt, %zero, %t : (tensor<f32>, tensor<f32>) -> tensor<i1>
  graph.item "u0" = %p : tensor<i1>
  %e = graph.expr <u0> -> tensor<i64>
  %f = graph.convert %e : (tensor<i64>) -> tensor<f32>
  %g = graph.add %w, %f : (!x, tensor<f32>) -> !x
  %u = graph.custom_call "_c10d_functional::all_reduce"(%g, "max", "ranks") : (!x) -> !x
  %h = graph.mul %b, %g : (!x, !x) -> !x
  %v = graph.custom_call "_c10d_functional::wait_tensor"(%u) : (!x) -> !x
  %i = graph.sub %v, %x : (!x, !x) -> !x
  return %i, %h : !x, !x
}
