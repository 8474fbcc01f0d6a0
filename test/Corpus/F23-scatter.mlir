// RUN: %corpus %s
// Scatters in place, in order: the last of several writes counts; sums and others with and
// without what was there; one value for all; an index that is out of range.
// GPU: fallbacks
// CASE: 4xf32=1 2 3 4; 3xi64=0 2 0; 3xf32=5 1 7 -> 4xf32=7 2 1 4; 4xf32=13 2 4 4; 4xf32=7 2 3 4; 4xf32=35 2 1 4; 4xf32=6 2 1 4; 4xf32=9 2 9 4
// CASE: 4xf32=1 2 3 4; 3xi64=0 4 0; 3xf32=5 1 7 -> error: index 4 is out of bounds for dimension 0 with size 4

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[3], i64, #wrapper.device<"cpu">>
!x = !wrapper.buffer<[3], f32, #wrapper.device<"cpu">>

wrapper.func @main(%y: !b, %i: !i, %x: !x) -> (!b, !b, !b, !b, !b, !b) {
  %0 = wrapper.alloc : !b
  wrapper.copy %y to %0 : !b
  wrapper.scatter_fallback %0 dim 0 at %i from %x reduce none : !b, !i, !x
  %1 = wrapper.alloc : !b
  wrapper.copy %y to %1 : !b
  wrapper.scatter_fallback %1 dim 0 at %i from %x reduce sum : !b, !i, !x
  %2 = wrapper.alloc : !b
  wrapper.copy %y to %2 : !b
  wrapper.scatter_fallback %2 dim 0 at %i from %x reduce amax : !b, !i, !x
  %3 = wrapper.alloc : !b
  wrapper.copy %y to %3 : !b
  wrapper.scatter_fallback %3 dim 0 at %i from %x reduce prod exclude_self : !b, !i, !x
  %4 = wrapper.alloc : !b
  wrapper.copy %y to %4 : !b
  wrapper.scatter_fallback %4 dim 0 at %i from %x reduce mean exclude_self : !b, !i, !x
  %5 = wrapper.alloc : !b
  wrapper.copy %y to %5 : !b
  wrapper.scatter_fallback %5 dim 0 at %i value 9.0 reduce none : !b, !i
  wrapper.return %0, %1, %2, %3, %4, %5 : !b, !b, !b, !b, !b, !b
}
