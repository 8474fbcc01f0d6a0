// RUN: %corpus %s
// Hooks that nobody has set do nothing: on views, in branches, on empty buffers.
// CASE: 4xf32=1 2 3 4; i1=1 -> 4xf32=1 2 3 4
// CASE: 4xf32=1 2 3 4; i1=0 -> 4xf32=1 2 3 4
!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!v = !wrapper.buffer<[2], strides = [2], f32, #wrapper.device<"cpu">>
!n = !wrapper.buffer<[0], f32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>
wrapper.func @main(%x: !b, %p: !p) -> !b {
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  wrapper.hook "copy:0" "out0" %0 : !b
  %v = wrapper.reinterpret %0 at <1> : !b to !v
  wrapper.if %p : !p {
    wrapper.hook "view:1" "in \22quotes\22" %v : !v
    wrapper.yield
  } else {
    %n = wrapper.constant dense<0.0> : tensor<0xf32> to !n
    wrapper.hook "none:2" "out0" %n : !n
    wrapper.yield
  }
  wrapper.return %0 : !b
}
