// RUN: %corpus %s
// Results that do not have the layout that the program relies on.
// CASE: 5xf32=1 2 3 4 5 -> error: input 'second' has size 3 in dimension 0, expected 2

!s = !wrapper.buffer<[s], f32, #wrapper.device<"cpu">>
!h = !wrapper.buffer<[u], f32, #wrapper.device<"cpu">>

wrapper.func @main(%x: !s) -> (!h, !h) attributes {sym.symbols = {s = #sym.range<0, 8>, u = #sym.range<0, 8>}} {
  wrapper.input_symbol "s" = size 0 of %x : !s
  %0:2 = wrapper.extern_call "test::halves"(%x) : (!s) -> (!h, !h)
  wrapper.bind_symbol "u" = [#wrapper.key<size, 0>] of %0#0 : !h
  wrapper.assert_layout %0#0, "first" : !h
  wrapper.assert_layout %0#1, "second" : !h
  wrapper.return %0#0, %0#1 : !h, !h
}
