// RUN: %corpus %s
// Arithmetic on elements: a quotient that may be infinite or no number, and what
// comparisons say of it. The results: a/b < 0; not a/b >= 0; a/b is a number; the
// choice of a or b is b.
// CASE: f64=1; f64=2 -> 4xi1=false false true true
// CASE: f64=-1; f64=2 -> 4xi1=true true true false
// CASE: f64=-1; f64=0 -> 4xi1=true true true false
// CASE: f64=1; f64=-0.0 -> 4xi1=true true true false
// CASE: f64=0; f64=0 -> 4xi1=false true false true
// CASE: f64=nan; f64=1 -> 4xi1=false true false true

!x = !wrapper.buffer<[], f64, #wrapper.device<"cpu">>
!r = !wrapper.buffer<[4], i1, #wrapper.device<"cpu">>
!o = !wrapper.buffer<[1], i1, #wrapper.device<"cpu">>

wrapper.func @main(%x: !x, %y: !x) -> !r {
  %zero = arith.constant 0.0 : f64
  %true = wrapper.constant dense<true> : tensor<1xi1> to !o
  %false = wrapper.constant dense<false> : tensor<4xi1> to !r
  %a = wrapper.item %x : !x -> f64
  %b = wrapper.item %y : !x -> f64
  %d = arith.divf %a, %b : f64
  %p = arith.cmpf olt, %d, %zero : f64
  %q = arith.cmpf ult, %d, %zero : f64
  %n = arith.cmpf ord, %d, %d : f64
  %s = arith.cmpf uge, %d, %zero : f64
  %c = arith.select %s, %b, %a : f64
  %e = arith.subf %c, %b : f64
  %m = arith.mulf %e, %e : f64
  %t = arith.cmpf oeq, %m, %zero : f64
  %r = wrapper.alloc : !r
  wrapper.copy %false to %r : !r
  %0 = wrapper.reinterpret %r at <0> : !r to !o
  %1 = wrapper.reinterpret %r at <1> : !r to !o
  %2 = wrapper.reinterpret %r at <2> : !r to !o
  %3 = wrapper.reinterpret %r at <3> : !r to !o
  wrapper.if %p : i1 {
    wrapper.copy %true to %0 : !o
    wrapper.yield
  } else {
    wrapper.yield
  }
  wrapper.if %q : i1 {
    wrapper.copy %true to %1 : !o
    wrapper.yield
  } else {
    wrapper.yield
  }
  wrapper.if %n : i1 {
    wrapper.copy %true to %2 : !o
    wrapper.yield
  } else {
    wrapper.yield
  }
  wrapper.if %t : i1 {
    wrapper.copy %true to %3 : !o
    wrapper.yield
  } else {
    wrapper.yield
  }
  wrapper.return %r : !r
}
