// RUN: %corpus %s
// Each step of a sum is rounded to the element type; integers wrap.
// GPU: fallbacks
// CASE: 2xbf16=1 2; 3xi64=0 1 0; 3xbf16=256 1 1; 2xi8=100 1; 3xi8=100 1 1; 2xi1=0 1; 3xi1=0 0 1; 2xf16=1 2; 3xf16=2048 1 1 -> 2xbf16=256 3; 2xi8=-55 2; 2xi1=1 1; 2xf16=2048 3

!i = !wrapper.buffer<[3], i64, #wrapper.device<"cpu">>
!a = !wrapper.buffer<[2], bf16, #wrapper.device<"cpu">>
!x = !wrapper.buffer<[3], bf16, #wrapper.device<"cpu">>
!bb = !wrapper.buffer<[2], i8, #wrapper.device<"cpu">>
!y = !wrapper.buffer<[3], i8, #wrapper.device<"cpu">>
!c = !wrapper.buffer<[2], i1, #wrapper.device<"cpu">>
!z = !wrapper.buffer<[3], i1, #wrapper.device<"cpu">>
!d = !wrapper.buffer<[2], f16, #wrapper.device<"cpu">>
!w = !wrapper.buffer<[3], f16, #wrapper.device<"cpu">>

wrapper.func @main(%a: !a, %i: !i, %x: !x, %b: !bb, %y: !y, %c: !c, %z: !z, %d: !d, %w: !w) -> (!a, !bb, !c, !d) {
  %0 = wrapper.alloc : !a
  wrapper.copy %a to %0 : !a
  wrapper.scatter_fallback %0 dim 0 at %i from %x reduce sum : !a, !i, !x
  %1 = wrapper.alloc : !bb
  wrapper.copy %b to %1 : !bb
  wrapper.scatter_fallback %1 dim 0 at %i from %y reduce sum : !bb, !i, !y
  %2 = wrapper.alloc : !c
  wrapper.copy %c to %2 : !c
  wrapper.scatter_fallback %2 dim 0 at %i from %z reduce sum : !c, !i, !z
  %3 = wrapper.alloc : !d
  wrapper.copy %d to %3 : !d
  wrapper.scatter_fallback %3 dim 0 at %i from %w reduce sum : !d, !i, !w
  wrapper.return %0, %1, %2, %3 : !a, !bb, !c, !d
}
