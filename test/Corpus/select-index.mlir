// RUN: %corpus %s
// An element selects a row, from the end where it is negative: a view at an offset
// that data says (a dynamic select index).
// CASE: 4x2xf32=0 1 2 3 4 5 6 7; i64=2 -> 2xf32=4 5
// CASE: 4x2xf32=0 1 2 3 4 5 6 7; i64=-1 -> 2xf32=6 7
// CASE: 4x2xf32=0 1 2 3 4 5 6 7; i64=-4 -> 2xf32=0 1
// CASE: 1x2xf32=8 9; i64=-1 -> 2xf32=8 9
// CASE: 4x2xf32=0; i64=4 -> error: the index is in the dimension (got 4 and 3)
// CASE: 4x2xf32=0; i64=-5 -> error: the index is in the dimension (got -4 and -5)

!x = !wrapper.buffer<[s0, 2], f32, #wrapper.device<"cpu">>
!r = !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>
wrapper.func @main(%x: !x, %i: !i) -> !r attributes {sym.symbols = {s0 = #sym.range<1, 64>, i = #sym.range<-64, 64>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !x
  wrapper.item "i" = %i : !i
  wrapper.assert <i> le <s0 - 1>, "the index is in the dimension"
  wrapper.assert <-s0> le <i>, "the index is in the dimension"
  wrapper.sym_expr "row" = <i mod s0>
  %0 = wrapper.reinterpret %x at <row * 2> : !x to !r
  %1 = wrapper.alloc : !r
  wrapper.copy %0 to %1 : !r
  wrapper.return %1 : !r
}
