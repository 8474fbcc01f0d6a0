// RUN: %corpus %s
// The operand that is changed is in the middle of its storage.
// CASE: 2xf32=1 2 -> 4xf32=0 1 2 0

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!h = !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>

wrapper.func @main(%x: !h) -> !b {
  %0 = wrapper.extern_call "test::fill"([<4>], 0.0, f32) : () -> !b
  wrapper.assert_layout %0, "zeros" : !b
  %1 = wrapper.reinterpret %0 at <1> : !b to !h
  wrapper.extern_call_out "test::accumulate"(%x, %1) mutates [1] : !h, !h
  wrapper.return %0 : !b
}
