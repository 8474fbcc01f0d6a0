// RUN: %corpus %s
// A library sorts a row in each iteration, through views of a buffer from outside.
// GPU: no
// CASE: 2x3xf32=3 1 2 5 6 4 -> 2x3xf32=1 2 3 4 5 6; 2x3xi64=1 2 0 2 0 1

!m = !wrapper.buffer<[2, 3], f32, #wrapper.device<"cpu">>
!r = !wrapper.buffer<[1, 3], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[2, 3], i64, #wrapper.device<"cpu">>
!s = !wrapper.buffer<[1, 3], i64, #wrapper.device<"cpu">>

wrapper.func @main(%x: !m) -> (!m, !i) {
  %z = wrapper.constant dense<0> : tensor<2x3xi64> to !i
  %0 = wrapper.alloc : !m
  %1 = wrapper.alloc : !i
  wrapper.copy %x to %0 : !m
  wrapper.copy %z to %1 : !i
  wrapper.while symbols ["i"] from [0] {
    %c = wrapper.compare <i> lt <2>
    wrapper.condition %c
  } do {
    %a = wrapper.reinterpret %x at <i * 3> : !m to !r
    %b = wrapper.reinterpret %0 at <i * 3> : !m to !r
    %d = wrapper.reinterpret %1 at <i * 3> : !i to !s
    wrapper.sort "runtime" %a dim 1 values(%b : !r) indices(%d : !s) : !r
    wrapper.yield symbols [i + 1]
  }
  wrapper.return %0, %1 : !m, !i
}
