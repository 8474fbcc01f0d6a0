// RUN: %corpus %s
// A matrix product and a convolution that may round their factors to TF32. No CPU does: 1.00048828125 has a bit
// more than TF32, and its square, 1.000976800919 to the next float, would be another number.
// GPU: no
// CASE: 2x2xf32=1.00048828125 0 0 3; 1x1x2xf32=1.00048828125 2 -> 2x2xf32=1.00097680092 0 0 9; 1x1x2xf32=1.00097680092 2.0009765625

!m = !wrapper.buffer<[2, 2], f32, #wrapper.device<"cpu">>
!x = !wrapper.buffer<[1, 1, 2], f32, #wrapper.device<"cpu">>
!w = !wrapper.buffer<[1, 1, 1], f32, #wrapper.device<"cpu">>

wrapper.func @main(%a: !m, %x: !x) -> (!m, !x) {
  %0 = wrapper.alloc : !m
  %1 = wrapper.alloc : !x
  wrapper.contraction "onednn"[2, 2, 2] a(%a[2, 0, 1] : !m) b(%a[0, 1, 2] : !m) c(%0[2, 1, 0] : !m) post none tf32
  %w = wrapper.reinterpret %a at <0> : !m to !w
  wrapper.convolution "onednn" ins(%x, %w : !x, !w) outs(%1 : !x) stride [1] padding [0] dilation [1] groups 1 post none tf32
  wrapper.return %0, %1 : !m, !x
}
