// RUN: %corpus %s
// Writes to indexed places: all of a dimension where there is no index, negative indices, sums.
// GPU: fallbacks
// CASE: 2x3xf32=1 2 3 4 5 6; 2xi64=0 -1; 2xf32=10 20 -> 2x3xf32=10 2 20 10 5 20; 2x3xf32=11 2 23 14 5 26; 2x3xf32=10 2 3 4 5 20
// CASE: 2x3xf32=1 2 3 4 5 6; 2xi64=0 3; 2xf32=10 20 -> error: index 3 is out of bounds for dimension 1 with size 3

!y = !wrapper.buffer<[2, 3], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[2], i64, #wrapper.device<"cpu">>
!v = !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>

wrapper.func @main(%y: !y, %i: !i, %v: !v) -> (!y, !y, !y) {
  %0 = wrapper.alloc : !y
  wrapper.copy %y to %0 : !y
  wrapper.index_put_fallback %0(none, %i) values %v : !y, !v, !i
  %1 = wrapper.alloc : !y
  wrapper.copy %y to %1 : !y
  wrapper.index_put_fallback %1(none, %i) values %v accumulate : !y, !v, !i
  %2 = wrapper.alloc : !y
  wrapper.copy %y to %2 : !y
  wrapper.index_put_fallback %2(%i, %i) values %v : !y, !v, !i, !i
  wrapper.return %0, %1, %2 : !y, !y, !y
}
