// RUN: %corpus %s
// A mask says which elements are written.
// GPU: fallbacks
// CASE: 2x3xf32=1 2 3 4 5 6; 2x3xi1=0 1 0 1 0 1; 3xf32=7 8 9 -> 2x3xf32=1 7 3 8 5 9

!y = !wrapper.buffer<[2, 3], f32, #wrapper.device<"cpu">>
!m = !wrapper.buffer<[2, 3], i1, #wrapper.device<"cpu">>
!v = !wrapper.buffer<[3], f32, #wrapper.device<"cpu">>

wrapper.func @main(%y: !y, %m: !m, %v: !v) -> !y {
  %0 = wrapper.alloc : !y
  wrapper.copy %y to %0 : !y
  wrapper.index_put_fallback %0(%m) values %v : !y, !v, !m
  wrapper.return %0 : !y
}
