// RUN: %corpus %s
// Elements of 8-bit floats.
// CASE: f8E4M3FN=0.5; f8E5M2=-0.25 -> 2xi1=true true
// CASE: f8E4M3FN=0.4375; f8E5M2=-0.25 -> 2xi1=false true
// CASE: f8E4M3FN=nan; f8E5M2=-inf -> 2xi1=false false

!x = !wrapper.buffer<[], f8E4M3FN, #wrapper.device<"cpu">>
!y = !wrapper.buffer<[], f8E5M2, #wrapper.device<"cpu">>
!r = !wrapper.buffer<[2], i1, #wrapper.device<"cpu">>
!o = !wrapper.buffer<[1], i1, #wrapper.device<"cpu">>

wrapper.func @main(%x: !x, %y: !y) -> !r {
  %a = arith.constant 0.5 : f64
  %b = arith.constant -0.25 : f64
  %true = wrapper.constant dense<true> : tensor<1xi1> to !o
  %false = wrapper.constant dense<false> : tensor<1xi1> to !o
  %v = wrapper.item %x : !x -> f64
  %w = wrapper.item %y : !y -> f64
  %p = arith.cmpf oeq, %v, %a : f64
  %q = arith.cmpf oeq, %w, %b : f64
  %r = wrapper.alloc : !r
  %0 = wrapper.reinterpret %r at <0> : !r to !o
  %1 = wrapper.reinterpret %r at <1> : !r to !o
  wrapper.if %p : i1 {
    wrapper.copy %true to %0 : !o
    wrapper.yield
  } else {
    wrapper.copy %false to %0 : !o
    wrapper.yield
  }
  wrapper.if %q : i1 {
    wrapper.copy %true to %1 : !o
    wrapper.yield
  } else {
    wrapper.copy %false to %1 : !o
    wrapper.yield
  }
  wrapper.return %r : !r
}
