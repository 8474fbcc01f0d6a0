// RUN: %corpus %s
// Splits that do not fit rows are an error of the run.
// CASE: i64=3; 3x2xf32=1 2 3 4 5 6 -> 3x2xf32=1 2 3 4 5 6
// CASE: i64=2; 3x2xf32=1 2 3 4 5 6 -> error: failed: the splits do not add up to 3 rows

!s = !wrapper.buffer<[s0, 2], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>

wrapper.func @main(%i: !i, %x: !s) -> !s attributes {sym.symbols = {s0 = #sym.range<0, 64>, n = #sym.range<0, 9>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !s
  wrapper.item "n" = %i : !i
  %a = wrapper.alloc : !s
  %t = wrapper.collective all_to_all %x to %a splits [n] to [s0] group "test::world" : !s to !s
  wrapper.wait %t of %x to %a : !s to !s
  wrapper.return %a : !s
}
