// Kernels for operators of map-operators.mlir.
wrapper.kernel @scale() attributes {parameters = [
    #wrapper.param<"x", read, f32>, #wrapper.param<"factor", value, f32>, #wrapper.param<"y", write, f32>,
    #wrapper.param<"n", value, i64>, #wrapper.param<"k", value, i64>]} {
  func.func @scale(%x: !llvm.ptr, %f: f32, %y: !llvm.ptr, %n: i64, %k: i64, %i: i64, %j: i64, %l: i64) {
    return
  }
}
wrapper.kernel @add() attributes {parameters = [#wrapper.param<"x", update, f32>, #wrapper.param<"n", value, i64>]} {
  func.func @add(%x: !llvm.ptr, %n: i64, %i: i64, %j: i64, %l: i64) {
    return
  }
}
wrapper.grid @one["n"] cases [#wrapper.grid_case<{}, <[n, 1, 1]>>]

!v = !wrapper.buffer<[n], f32, #wrapper.device<"cpu">>
!m = !wrapper.buffer<[n, k2], f32, #wrapper.device<"cpu">>
wrapper.func private @scale_plain(%x: !v {coil.name = "x"}) -> !v
    attributes {wrapper.operator = "test::scale", wrapper.when = {mode = "plain"},
                sym.symbols = {n = #sym.range<1, 64>, times = #sym.range<0, 100>}} {
  wrapper.input_symbol "n" = size 0 of %x : !v
  wrapper.sym_expr "times" = <7>
  %y = wrapper.alloc : !v
  wrapper.launch_user @scale grid @one[n] config {} arguments [unit, 2.0 : f32, unit, #sym.expr<n>, #sym.expr<times>]
      ins(%x : !v) outs(%y : !v) {wrapper.numbers = {factor = 1 : i64}}
  wrapper.return %y : !v
}
wrapper.func private @scale_rows(%x: !m) -> !m
    attributes {wrapper.operator = "test::scale", sym.symbols = {n = #sym.range<0, 64>, k2 = #sym.range<0, 64>}} {
  wrapper.input_symbol "n" = size 0 of %x : !m
  wrapper.input_symbol "k2" = size 1 of %x : !m
  %y = wrapper.alloc : !m
  wrapper.launch_user @scale grid @one[n] config {} arguments [unit, 2.0 : f32, unit, #sym.expr<n * k2>, #sym.expr<0>]
      ins(%x : !m) outs(%y : !m) {wrapper.numbers = {factor = 1 : i64}}
  wrapper.return %y : !m
}
wrapper.func private @add_into(%x: !v) attributes {wrapper.operator = "test::add", sym.symbols = {n = #sym.range<1, 64>}} {
  wrapper.input_symbol "n" = size 0 of %x : !v
  wrapper.launch_user @add grid @one[n] config {} arguments [unit, #sym.expr<n>] updates(%x : !v)
  wrapper.return
}
