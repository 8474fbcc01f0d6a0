// Two kernels, an element that the host reads, two kernels that depend on it.
!x = tensor<?x4xf32, #sym.shape<[s0, 4]>>
!s = tensor<1x4xf32>
func.func @main(%x: !x {coil.name = "x"}) -> !x
    attributes {sym.symbols = {s0 = #sym.range<1, 64, hint = 16>, u0 = #sym.range<0, 1>}} {
  %a = graph.reduce sum, %x dims [0] keepdims : (!x) -> !s
  %b = graph.sub %x, %a : (!x, !s) -> !x
  %t = graph.reduce sum, %b dims [0, 1] : (!x) -> tensor<f32>
  %zero = graph.constant dense<0.0> : tensor<f32>
  %p = graph.compare lt, %zero, %t : (tensor<f32>, tensor<f32>) -> tensor<i1>
  graph.item "u0" = %p : tensor<i1>
  %e = graph.expr <u0> -> tensor<i64>
  %f = graph.convert %e : (tensor<i64>) -> tensor<f32>
  %g = graph.add %b, %f : (!x, tensor<f32>) -> !x
  %c = graph.reduce sum, %g dims [0] keepdims : (!x) -> !s
  %d = graph.sub %g, %c : (!x, !s) -> !x
  %h = graph.reduce sum, %d dims [0, 1] : (!x) -> tensor<f32>
  %i = graph.sub %d, %h : (!x, tensor<f32>) -> !x
  return %i : !x
}
