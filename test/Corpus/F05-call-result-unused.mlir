// RUN: %corpus %s
// A result that nobody needs is made all the same.
// CASE: 4xf32=1 -2 3 -4 -> 4xf32=0 -2 0 -4

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func @main(%x: !b) -> !b {
  %0 = wrapper.alloc : !b
  %1 = wrapper.alloc : !b
  wrapper.extern_call_out "test::split"(%x) outs(%0, %1 : !b, !b) : !b
  wrapper.return %1 : !b
}
