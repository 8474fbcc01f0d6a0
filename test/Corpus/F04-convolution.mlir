// RUN: %corpus %s
// A convolution by a library, in a branch.
// GPU: no
// CASE: i1=true; 1x1x3x3xf32=1 2 3 4 5 6 7 8 9; 1x1x2x2xf32=1 0 0 1 -> 1x1x2x2xf32=6 8 12 14
// CASE: i1=false; 1x1x3x3xf32=1 2 3 4 5 6 7 8 9; 1x1x2x2xf32=1 0 0 1 -> 1x1x2x2xf32=1 0 0 1

!x = !wrapper.buffer<[1, 1, 3, 3], f32, #wrapper.device<"cpu">>
!w = !wrapper.buffer<[1, 1, 2, 2], f32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>

wrapper.func @main(%p: !p, %x: !x, %w: !w) -> !w {
  %0 = wrapper.alloc : !w
  wrapper.if %p : !p {
    wrapper.convolution "onednn" ins(%x, %w : !x, !w) outs(%0 : !w) stride [1, 1] padding [0, 0] dilation [1, 1] groups 1 post none
    wrapper.yield
  } else {
    wrapper.copy %w to %0 : !w
    wrapper.yield
  }
  wrapper.return %0 : !w
}
