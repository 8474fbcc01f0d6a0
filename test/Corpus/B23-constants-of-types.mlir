// RUN: %corpus %s
// Literals of narrow types are part of the program: floats of 16 bits, bools,
// unsigned numbers.
// CASE: i1=true -> 2xf16=0.5 448; 3xbf16=1 -2 0.5; 3xi1=true false true; 2xu8=255 1; 1xf64=1e-300

!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>
!a = !wrapper.buffer<[2], f16, #wrapper.device<"cpu">>
!b = !wrapper.buffer<[3], bf16, #wrapper.device<"cpu">>
!c = !wrapper.buffer<[3], i1, #wrapper.device<"cpu">>
!d = !wrapper.buffer<[2], ui8, #wrapper.device<"cpu">>
!e = !wrapper.buffer<[1], f64, #wrapper.device<"cpu">>
wrapper.func @main(%p: !p) -> (!a, !b, !c, !d, !e) {
  %a = wrapper.constant dense<[0.5, 448.0]> : tensor<2xf16> to !a
  %a0 = wrapper.alloc : !a
  wrapper.copy %a to %a0 : !a
  %b = wrapper.constant dense<[1.0, -2.0, 0.5]> : tensor<3xbf16> to !b
  %b0 = wrapper.alloc : !b
  wrapper.copy %b to %b0 : !b
  %c = wrapper.constant dense<[true, false, true]> : tensor<3xi1> to !c
  %c0 = wrapper.alloc : !c
  wrapper.copy %c to %c0 : !c
  %d = wrapper.constant dense<[255, 1]> : tensor<2xui8> to !d
  %d0 = wrapper.alloc : !d
  wrapper.copy %d to %d0 : !d
  %e = wrapper.constant dense<1.0e-300> : tensor<1xf64> to !e
  %e0 = wrapper.alloc : !e
  wrapper.copy %e to %e0 : !e
  wrapper.return %a0, %b0, %c0, %d0, %e0 : !a, !b, !c, !d, !e
}
