// RUN: %corpus %s
// Each operation on bools: and, or, xor, eq, ne, select.
// CASE: i1=true; i1=true -> 6xi1=true true false true false true
// CASE: i1=true; i1=false -> 6xi1=false true true false true false
// CASE: i1=false; i1=true -> 6xi1=false true true false true false
// CASE: i1=false; i1=false -> 6xi1=false false false true false false

!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>
!r = !wrapper.buffer<[6], i1, #wrapper.device<"cpu">>
!o = !wrapper.buffer<[1], i1, #wrapper.device<"cpu">>

wrapper.func @main(%x: !p, %y: !p) -> !r {
  %true = wrapper.constant dense<true> : tensor<1xi1> to !o
  %false = wrapper.constant dense<false> : tensor<6xi1> to !r
  %p = wrapper.item %x : !p -> i1
  %q = wrapper.item %y : !p -> i1
  %r = wrapper.alloc : !r
  wrapper.copy %false to %r : !r
  %c0 = arith.andi %p, %q : i1
  wrapper.if %c0 : i1 {
    %v = wrapper.reinterpret %r at <0> : !r to !o
    wrapper.copy %true to %v : !o
    wrapper.yield
  } else {
    wrapper.yield
  }
  %c1 = arith.ori %p, %q : i1
  wrapper.if %c1 : i1 {
    %v = wrapper.reinterpret %r at <1> : !r to !o
    wrapper.copy %true to %v : !o
    wrapper.yield
  } else {
    wrapper.yield
  }
  %c2 = arith.xori %p, %q : i1
  wrapper.if %c2 : i1 {
    %v = wrapper.reinterpret %r at <2> : !r to !o
    wrapper.copy %true to %v : !o
    wrapper.yield
  } else {
    wrapper.yield
  }
  %c3 = arith.cmpi eq, %p, %q : i1
  wrapper.if %c3 : i1 {
    %v = wrapper.reinterpret %r at <3> : !r to !o
    wrapper.copy %true to %v : !o
    wrapper.yield
  } else {
    wrapper.yield
  }
  %c4 = arith.cmpi ne, %p, %q : i1
  wrapper.if %c4 : i1 {
    %v = wrapper.reinterpret %r at <4> : !r to !o
    wrapper.copy %true to %v : !o
    wrapper.yield
  } else {
    wrapper.yield
  }
  %c5 = arith.select %p, %q, %p : i1
  wrapper.if %c5 : i1 {
    %v = wrapper.reinterpret %r at <5> : !r to !o
    wrapper.copy %true to %v : !o
    wrapper.yield
  } else {
    wrapper.yield
  }
  wrapper.return %r : !r
}
