// RUN: %corpus %s
// Optional numbers and tensors, there and absent; an integer for a float; arguments by name.
// CASE: 4xf32=1 2 3 4; 4xf32=1 1 1 1 -> 4xf32=3 6 9 12; 4xf32=4 7 10 13; 4xf32=2 4 6 8; 4xf32=3 5 7 9

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func @main(%x: !b, %y: !b) -> (!b, !b, !b, !b) {
  %0 = wrapper.extern_call "test::scale_v2"(%x, none, none) names ["x", "factor", "bias"] : (!b) -> !b
  wrapper.assert_layout %0, "a" : !b
  %1 = wrapper.extern_call "test::scale_v2"(%x, none, %y) names ["x", "factor", "bias"] : (!b, !b) -> !b
  wrapper.assert_layout %1, "b" : !b
  %2 = wrapper.extern_call "test::scale_v2"(2.0, %x) names ["factor", "x"] : (!b) -> !b
  wrapper.assert_layout %2, "c" : !b
  %3 = wrapper.extern_call "test::scale_v2"(%x, <2>, %y) names ["x", "factor", "bias"] : (!b, !b) -> !b
  wrapper.assert_layout %3, "d" : !b
  wrapper.return %0, %1, %2, %3 : !b, !b, !b, !b
}
