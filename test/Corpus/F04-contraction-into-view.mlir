// RUN: %corpus %s
// A matrix product into a view of a larger buffer, with a bias, in each iteration.
// GPU: no
// CASE: 2x2xf32=1 2 3 4; 2xf32=1 -20 -> 2x2x2xf32=8 0 16 2 8 0 16 2

!m = !wrapper.buffer<[2, 2], f32, #wrapper.device<"cpu">>
!v = !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>
!s = !wrapper.buffer<[2, 2, 2], f32, #wrapper.device<"cpu">>

wrapper.func @main(%x: !m, %y: !v) -> !s {
  %0 = wrapper.alloc : !s
  %z = wrapper.constant dense<0.0> : tensor<2x2x2xf32> to !s
  wrapper.copy %z to %0 : !s
  wrapper.while symbols ["i"] from [0] {
    %c = wrapper.compare <i> lt <2>
    wrapper.condition %c
  } do {
    wrapper.contraction "onednn"[2, 2, 2] a(%x[2, 0, 1] : !m) b(%x[0, 1, 2] : !m) bias(%y[0, 1, 0] : !v) c(%0[2, 1, 0] at <i * 4> : !s) post relu
    wrapper.yield symbols [i + 1]
  }
  wrapper.return %0 : !s
}
