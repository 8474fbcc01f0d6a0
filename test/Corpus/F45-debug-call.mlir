// RUN: %corpus %s
// Values in front of and behind a call.
// CASE: 4xf32=1 2 3 4 -> 4xf32=2 4 6 8

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func @main(%x: !b) -> !b {
  wrapper.debug_mark before "test::scale:0"
  wrapper.debug_value print before "test::scale:0" "in0" %x : !b
  %0 = wrapper.extern_call "test::scale"(%x, 2.0, none) : (!b) -> !b
  wrapper.assert_layout %0, "a" : !b
  wrapper.debug_mark after "test::scale:0"
  wrapper.debug_value print after "test::scale:0" "out0" %0 : !b
  wrapper.return %0 : !b
}
