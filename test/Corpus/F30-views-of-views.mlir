// RUN: %corpus %s
// A view of a view begins where both offsets lead; what is written through it is seen in all.
// CASE: 8xf32=0 1 2 3 4 5 6 7; 2xf32=-1 -2 -> 8xf32=0 1 2 3 4 -1 -2 7; 2xf32=-1 -2

!e = !wrapper.buffer<[8], f32, #wrapper.device<"cpu">>
!f = !wrapper.buffer<[5], f32, #wrapper.device<"cpu">>
!h = !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>

wrapper.func @main(%x: !e, %y: !h) -> (!e, !h) {
  %0 = wrapper.alloc : !e
  wrapper.copy %x to %0 : !e
  %1 = wrapper.reinterpret %0 at <3> : !e to !f
  %2 = wrapper.reinterpret %1 at <2> : !f to !h
  wrapper.copy %y to %2 : !h
  %3 = wrapper.alloc : !h
  wrapper.copy %2 to %3 : !h
  wrapper.return %0, %3 : !e, !h
}
