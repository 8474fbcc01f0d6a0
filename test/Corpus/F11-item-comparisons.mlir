// RUN: %corpus %s
// Each comparison of floats, with NaN: oeq, ogt, oge, olt, ole, one, ord, ueq,
// ugt, uge, ult, ule, une, uno, false, true.
// CASE: f64=1; f64=2 -> 16xi1=false false false true true true true false false false true true true false false true
// CASE: f64=2; f64=1 -> 16xi1=false true true false false true true false true true false false true false false true
// CASE: f64=1; f64=1 -> 16xi1=true false true false true false true true false true false true false false false true
// CASE: f64=nan; f64=1 -> 16xi1=false false false false false false false true true true true true true true false true

!d = !wrapper.buffer<[], f64, #wrapper.device<"cpu">>
!r = !wrapper.buffer<[16], i1, #wrapper.device<"cpu">>
!o = !wrapper.buffer<[1], i1, #wrapper.device<"cpu">>

wrapper.func @main(%x: !d, %y: !d) -> !r {
  %true = wrapper.constant dense<true> : tensor<1xi1> to !o
  %false = wrapper.constant dense<false> : tensor<16xi1> to !r
  %a = wrapper.item %x : !d -> f64
  %b = wrapper.item %y : !d -> f64
  %r = wrapper.alloc : !r
  wrapper.copy %false to %r : !r
  %p0 = arith.cmpf oeq, %a, %b : f64
  wrapper.if %p0 : i1 {
    %v = wrapper.reinterpret %r at <0> : !r to !o
    wrapper.copy %true to %v : !o
    wrapper.yield
  } else {
    wrapper.yield
  }
  %p1 = arith.cmpf ogt, %a, %b : f64
  wrapper.if %p1 : i1 {
    %v = wrapper.reinterpret %r at <1> : !r to !o
    wrapper.copy %true to %v : !o
    wrapper.yield
  } else {
    wrapper.yield
  }
  %p2 = arith.cmpf oge, %a, %b : f64
  wrapper.if %p2 : i1 {
    %v = wrapper.reinterpret %r at <2> : !r to !o
    wrapper.copy %true to %v : !o
    wrapper.yield
  } else {
    wrapper.yield
  }
  %p3 = arith.cmpf olt, %a, %b : f64
  wrapper.if %p3 : i1 {
    %v = wrapper.reinterpret %r at <3> : !r to !o
    wrapper.copy %true to %v : !o
    wrapper.yield
  } else {
    wrapper.yield
  }
  %p4 = arith.cmpf ole, %a, %b : f64
  wrapper.if %p4 : i1 {
    %v = wrapper.reinterpret %r at <4> : !r to !o
    wrapper.copy %true to %v : !o
    wrapper.yield
  } else {
    wrapper.yield
  }
  %p5 = arith.cmpf one, %a, %b : f64
  wrapper.if %p5 : i1 {
    %v = wrapper.reinterpret %r at <5> : !r to !o
    wrapper.copy %true to %v : !o
    wrapper.yield
  } else {
    wrapper.yield
  }
  %p6 = arith.cmpf ord, %a, %b : f64
  wrapper.if %p6 : i1 {
    %v = wrapper.reinterpret %r at <6> : !r to !o
    wrapper.copy %true to %v : !o
    wrapper.yield
  } else {
    wrapper.yield
  }
  %p7 = arith.cmpf ueq, %a, %b : f64
  wrapper.if %p7 : i1 {
    %v = wrapper.reinterpret %r at <7> : !r to !o
    wrapper.copy %true to %v : !o
    wrapper.yield
  } else {
    wrapper.yield
  }
  %p8 = arith.cmpf ugt, %a, %b : f64
  wrapper.if %p8 : i1 {
    %v = wrapper.reinterpret %r at <8> : !r to !o
    wrapper.copy %true to %v : !o
    wrapper.yield
  } else {
    wrapper.yield
  }
  %p9 = arith.cmpf uge, %a, %b : f64
  wrapper.if %p9 : i1 {
    %v = wrapper.reinterpret %r at <9> : !r to !o
    wrapper.copy %true to %v : !o
    wrapper.yield
  } else {
    wrapper.yield
  }
  %p10 = arith.cmpf ult, %a, %b : f64
  wrapper.if %p10 : i1 {
    %v = wrapper.reinterpret %r at <10> : !r to !o
    wrapper.copy %true to %v : !o
    wrapper.yield
  } else {
    wrapper.yield
  }
  %p11 = arith.cmpf ule, %a, %b : f64
  wrapper.if %p11 : i1 {
    %v = wrapper.reinterpret %r at <11> : !r to !o
    wrapper.copy %true to %v : !o
    wrapper.yield
  } else {
    wrapper.yield
  }
  %p12 = arith.cmpf une, %a, %b : f64
  wrapper.if %p12 : i1 {
    %v = wrapper.reinterpret %r at <12> : !r to !o
    wrapper.copy %true to %v : !o
    wrapper.yield
  } else {
    wrapper.yield
  }
  %p13 = arith.cmpf uno, %a, %b : f64
  wrapper.if %p13 : i1 {
    %v = wrapper.reinterpret %r at <13> : !r to !o
    wrapper.copy %true to %v : !o
    wrapper.yield
  } else {
    wrapper.yield
  }
  %p14 = arith.cmpf false, %a, %b : f64
  wrapper.if %p14 : i1 {
    %v = wrapper.reinterpret %r at <14> : !r to !o
    wrapper.copy %true to %v : !o
    wrapper.yield
  } else {
    wrapper.yield
  }
  %p15 = arith.cmpf true, %a, %b : f64
  wrapper.if %p15 : i1 {
    %v = wrapper.reinterpret %r at <15> : !r to !o
    wrapper.copy %true to %v : !o
    wrapper.yield
  } else {
    wrapper.yield
  }
  wrapper.return %r : !r
}
