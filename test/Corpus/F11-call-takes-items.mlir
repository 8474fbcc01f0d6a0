// RUN: %corpus %s
// Numbers that elements give as arguments: a float, a bool, and a symbol.
// CASE: f32=2.5; i1=1; i64=3; 4xf32=1 2 3 4 -> 4xf32=2.5 5 7.5 10; 1xf32=23

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!f = !wrapper.buffer<[], f32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>
!o = !wrapper.buffer<[1], f32, #wrapper.device<"cpu">>

wrapper.func @main(%f: !f, %p: !p, %i: !i, %x: !b) -> (!b, !o) attributes {sym.symbols = {n = #sym.range<0, 9>}} {
  wrapper.item "n" = %i : !i
  %0 = wrapper.item %f : !f -> f64
  %1 = wrapper.item %p : !p -> i1
  %2 = wrapper.extern_call "test::scale"(%x, %0, none) : (!b, f64) -> !b
  wrapper.assert_layout %2, "a" : !b
  %3 = wrapper.extern_call "test::mix"([%x], [none], "plus", %1, [<n>]) : (!b, i1) -> !o
  wrapper.assert_layout %3, "b" : !o
  wrapper.return %2, %3 : !b, !o
}
