// RUN: %corpus %s
// What is allocated begins at multiples of 16; a view of it may not.
// CASE: 4xf32=1 2 3 4; i64=0 -> 4xf32=1 2 3 4
// CASE: 4xf32=1 2 3 4; i64=2 -> 4xf32=1 2 3 4
// CASE: 4xf32=1 2 3 4; i64=1 -> error: buffer 'middle' does not begin at a multiple of 8 bytes
!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!v = !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>
wrapper.func @main(%x: !b, %n: !i) -> !b attributes {sym.symbols = {u0 = #sym.range<0, 2>}} {
  wrapper.item "u0" = %n : !i
  %0 = wrapper.alloc : !b
  wrapper.assert_aligned %0 to 16, "whole" : !b
  wrapper.copy %x to %0 : !b
  %1 = wrapper.reinterpret %0 at <u0> : !b to !v
  wrapper.assert_aligned %1 to 8, "middle" : !v
  wrapper.return %0 : !b
}
