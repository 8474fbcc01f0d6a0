// RUN: %corpus %s
// Two calls write the columns of one larger buffer; operands are views, too.
// CASE: 4xf32=1 2 3 4; 2x3xf32=1 2 3 4 5 6 -> 2x5xf32=1 2 2 4 6 3 4 8 10 12

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!y = !wrapper.buffer<[2, 3], f32, #wrapper.device<"cpu">>
!h = !wrapper.buffer<[2, 2], f32, #wrapper.device<"cpu">>
!w = !wrapper.buffer<[2, 5], f32, #wrapper.device<"cpu">>
!l = !wrapper.buffer<[2, 2], strides = [5, 1], f32, #wrapper.device<"cpu">>
!r = !wrapper.buffer<[2, 3], strides = [5, 1], f32, #wrapper.device<"cpu">>

wrapper.func @main(%x: !b, %y: !y) -> !w {
  %0 = wrapper.alloc : !w
  %1 = wrapper.reinterpret %0 at <0> : !w to !l
  %2 = wrapper.reinterpret %0 at <2> : !w to !r
  %3 = wrapper.reinterpret %x at <0> : !b to !h
  wrapper.extern_call_out "test::scale"(%3, 1.0, none) outs(%1 : !l) : !h
  wrapper.extern_call_out "test::scale"(%y, 2.0, none) outs(%2 : !r) : !y
  wrapper.return %0 : !w
}
