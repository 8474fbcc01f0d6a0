// RUN: %corpus %s
// Bytes of buffers are set: zeros of all types are zero, and all ones are -1 or nan; an
// empty buffer has none, and a slice leaves the rest.
// CASE: 4xf32=1 2 3 4 -> 4xf32=1 0 0 4; 2xi64=-1 -1; 3xi1=false false false; 0xf32=

!x = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!s = !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[2], i64, #wrapper.device<"cpu">>
!b = !wrapper.buffer<[3], i1, #wrapper.device<"cpu">>
!n = !wrapper.buffer<[0], f32, #wrapper.device<"cpu">>
wrapper.func @main(%x: !x) -> (!x, !i, !b, !n) {
  %0 = wrapper.alloc : !x
  wrapper.copy %x to %0 : !x
  %s = wrapper.reinterpret %0 at <1> : !x to !s
  wrapper.fill %s bytes 0 : !s
  %1 = wrapper.alloc : !i
  wrapper.fill %1 bytes 255 : !i
  %2 = wrapper.alloc : !b
  wrapper.fill %2 bytes 0 : !b
  %3 = wrapper.alloc : !n
  wrapper.fill %3 bytes 7 : !n
  wrapper.return %0, %1, %2, %3 : !x, !i, !b, !n
}
