// RUN: %corpus %s
// F02: functions of the host on two GPUs: one writes where the program says, one brings
// memory of its own, on either GPU. Each is told the GPU that its tensors are on.
// GPU: only
// SECOND: 1
// CASE: 4xf32=1 2 3 4; 4xf32=10 20 30 40 -> 4xf32=2 4 6 8; 4xf32=30 60 90 120; 4xf32=31 62 93 124
// CASE: 1xf32=5; 1xf32=0 -> 1xf32=10; 1xf32=0; 1xf32=5

!a = !wrapper.buffer<[s0], f32, #wrapper.device<"cuda">>
!b = !wrapper.buffer<[s0], f32, #wrapper.device<"cuda", 1>>

wrapper.func @main(%x: !a, %y: !b) -> (!a, !b, !b) attributes {sym.symbols = {s0 = #sym.range<1, 64>}} {
  wrapper.input_symbol "s0" = size 0 of %y : !b
  wrapper.assert_layout %x, "x" : !a
  wrapper.assert_layout %y, "y" : !b
  %0 = wrapper.extern_call "test::scale"(%x, 2.0, none) : (!a) -> !a
  %1 = wrapper.alloc : !b
  wrapper.extern_call_out "test::scale"(%y, 3.0, none) outs(%1 : !b) : !b
  %2 = wrapper.alloc : !b
  wrapper.transfer %x to %2 : !a to !b
  %3 = wrapper.extern_call "test::scale"(%1, 1.0, %2) : (!b, !b) -> !b
  wrapper.return %0, %1, %3 : !a, !b, !b
}
