// RUN: %corpus %s
// Absent tensors and numbers in lists, an absent list, an empty one; a text and a bool.
// CASE: 4xf32=1 2 3 4; 2xf32=5 6 -> 3xf32=30 7 25; 2xf32=10 11

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!h = !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>
!t = !wrapper.buffer<[3], f32, #wrapper.device<"cpu">>

wrapper.func @main(%x: !b, %y: !h) -> (!t, !h) attributes {sym.symbols = {}} {
  %0 = wrapper.extern_call "test::mix"([%x, none, %y], [1.5, 2.0, none], "plus", true, [<0>, <7>, <3>]) : (!b, !h) -> !t
  wrapper.assert_layout %0, "a" : !t
  %1 = wrapper.extern_call "test::mix"([%x, %y], none, "plus", false, []) : (!b, !h) -> !h
  wrapper.assert_layout %1, "b" : !h
  wrapper.return %0, %1 : !t, !h
}
