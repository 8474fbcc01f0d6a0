// RUN: %corpus %s
// Elements of the float types, compared as doubles.
// CASE: f16=1.5; bf16=-2.5; f32=0.25; f64=1e300 -> 4xi8=1 -1 0 1
// CASE: f16=inf; bf16=nan; f32=-0.0; f64=-1e-300 -> 4xi8=1 0 0 -1
// CASE: f16=-0.000061; bf16=3e38; f32=-inf; f64=5e-324 -> 4xi8=-1 1 -1 1

!f16 = !wrapper.buffer<[], f16, #wrapper.device<"cpu">>
!bf16 = !wrapper.buffer<[], bf16, #wrapper.device<"cpu">>
!f32 = !wrapper.buffer<[], f32, #wrapper.device<"cpu">>
!f64 = !wrapper.buffer<[], f64, #wrapper.device<"cpu">>
!r = !wrapper.buffer<[4], i8, #wrapper.device<"cpu">>
!o = !wrapper.buffer<[1], i8, #wrapper.device<"cpu">>

wrapper.func @main(%a0: !f16, %a1: !bf16, %a2: !f32, %a3: !f64) -> !r {
  %z = arith.constant 0.0 : f64
  %h = arith.constant 1.0 : f64
  %plus = wrapper.constant dense<1> : tensor<1xi8> to !o
  %minus = wrapper.constant dense<-1> : tensor<1xi8> to !o
  %zero = wrapper.constant dense<0> : tensor<1xi8> to !o
  %r = wrapper.alloc : !r
  %v0 = wrapper.item %a0 : !f16 -> f64
  %0 = wrapper.reinterpret %r at <0> : !r to !o
  %g0 = arith.cmpf ogt, %v0, %z : f64
  wrapper.if %g0 : i1 {
    wrapper.copy %plus to %0 : !o
    wrapper.yield
  } else {
    %l0 = arith.cmpf olt, %v0, %z : f64
    wrapper.if %l0 : i1 {
      wrapper.copy %minus to %0 : !o
      wrapper.yield
    } else {
      wrapper.copy %zero to %0 : !o
      wrapper.yield
    }
    wrapper.yield
  }
  %v1 = wrapper.item %a1 : !bf16 -> f64
  %1 = wrapper.reinterpret %r at <1> : !r to !o
  %g1 = arith.cmpf ogt, %v1, %z : f64
  wrapper.if %g1 : i1 {
    wrapper.copy %plus to %1 : !o
    wrapper.yield
  } else {
    %l1 = arith.cmpf olt, %v1, %z : f64
    wrapper.if %l1 : i1 {
      wrapper.copy %minus to %1 : !o
      wrapper.yield
    } else {
      wrapper.copy %zero to %1 : !o
      wrapper.yield
    }
    wrapper.yield
  }
  %v2 = wrapper.item %a2 : !f32 -> f64
  %2 = wrapper.reinterpret %r at <2> : !r to !o
  %g2 = arith.cmpf ogt, %v2, %h : f64
  wrapper.if %g2 : i1 {
    wrapper.copy %plus to %2 : !o
    wrapper.yield
  } else {
    %l2 = arith.cmpf olt, %v2, %z : f64
    wrapper.if %l2 : i1 {
      wrapper.copy %minus to %2 : !o
      wrapper.yield
    } else {
      wrapper.copy %zero to %2 : !o
      wrapper.yield
    }
    wrapper.yield
  }
  %v3 = wrapper.item %a3 : !f64 -> f64
  %3 = wrapper.reinterpret %r at <3> : !r to !o
  %g3 = arith.cmpf ogt, %v3, %z : f64
  wrapper.if %g3 : i1 {
    wrapper.copy %plus to %3 : !o
    wrapper.yield
  } else {
    %l3 = arith.cmpf olt, %v3, %z : f64
    wrapper.if %l3 : i1 {
      wrapper.copy %minus to %3 : !o
      wrapper.yield
    } else {
      wrapper.copy %zero to %3 : !o
      wrapper.yield
    }
    wrapper.yield
  }
  wrapper.return %r : !r
}
