// RUN: %corpus %s
// Constants of all kinds of elements, in the program.
// CASE: 2xf64=7 8 -> 2xf64=7 8; 2xi64=1 -2; 2xi8=-128 127; 2xf64=0.1 -3; 2xf16=0.5 2; 2xbf16=1 -2; 2xi1=true false; 2xu8=0 255

!i64x = !wrapper.buffer<[2], i64, #wrapper.device<"cpu">>
!i8x = !wrapper.buffer<[2], i8, #wrapper.device<"cpu">>
!f64x = !wrapper.buffer<[2], f64, #wrapper.device<"cpu">>
!f16x = !wrapper.buffer<[2], f16, #wrapper.device<"cpu">>
!bf16x = !wrapper.buffer<[2], bf16, #wrapper.device<"cpu">>
!i1x = !wrapper.buffer<[2], i1, #wrapper.device<"cpu">>
!ui8x = !wrapper.buffer<[2], ui8, #wrapper.device<"cpu">>

wrapper.func @main(%x: !f64x) -> (!f64x, !i64x, !i8x, !f64x, !f16x, !bf16x, !i1x, !ui8x) {
  %r = wrapper.alloc : !f64x
  wrapper.copy %x to %r : !f64x
  %c0 = wrapper.constant dense<[1, -2]> : tensor<2xi64> to !i64x
  %0 = wrapper.alloc : !i64x
  wrapper.copy %c0 to %0 : !i64x
  %c1 = wrapper.constant dense<[-128, 127]> : tensor<2xi8> to !i8x
  %1 = wrapper.alloc : !i8x
  wrapper.copy %c1 to %1 : !i8x
  %c2 = wrapper.constant dense<[0.1, -3.0]> : tensor<2xf64> to !f64x
  %2 = wrapper.alloc : !f64x
  wrapper.copy %c2 to %2 : !f64x
  %c3 = wrapper.constant dense<[0.5, 2.0]> : tensor<2xf16> to !f16x
  %3 = wrapper.alloc : !f16x
  wrapper.copy %c3 to %3 : !f16x
  %c4 = wrapper.constant dense<[1.0, -2.0]> : tensor<2xbf16> to !bf16x
  %4 = wrapper.alloc : !bf16x
  wrapper.copy %c4 to %4 : !bf16x
  %c5 = wrapper.constant dense<[true, false]> : tensor<2xi1> to !i1x
  %5 = wrapper.alloc : !i1x
  wrapper.copy %c5 to %5 : !i1x
  %c6 = wrapper.constant dense<[0, 255]> : tensor<2xui8> to !ui8x
  %6 = wrapper.alloc : !ui8x
  wrapper.copy %c6 to %6 : !ui8x
  wrapper.return %r, %0, %1, %2, %3, %4, %5, %6 : !f64x, !i64x, !i8x, !f64x, !f16x, !bf16x, !i1x, !ui8x
}
