// RUN: %corpus %s
// The second version takes a missing factor, the first stays as it was.
// CASE: 4xf32=1 2 3 4 -> error: failed: expected a tensor and a factor

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func @main(%x: !b) -> !b {
  %0 = wrapper.extern_call "test::scale_v2"(%x) names ["x"] : (!b) -> !b
  wrapper.assert_layout %0, "a" : !b
  %1 = wrapper.extern_call "test::scale"(%0, none, none) : (!b) -> !b
  wrapper.assert_layout %1, "b" : !b
  wrapper.return %1 : !b
}
