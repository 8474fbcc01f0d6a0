// RUN: coil-opt %s --split-input-file --pass-pipeline='builtin.module(canonicalize,wrapper-assert-alignment{alignment=4},wrapper-annotate-costs)' | FileCheck %s
// RUN: coil-opt %s --split-input-file --pass-pipeline='builtin.module(wrapper.func(wrapper-expand-resizes),wrapper-plan-memory,wrapper-promote-to-stack{limit=64},wrapper-track-lifetimes,wrapper-verify-memory)' | FileCheck %s --check-prefix=PLAN

// F58: checks of alignment come after the symbols that types mention, whatever stands between; each result's own after
// its own symbol. They are no steps that cost anything.

!s = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
!u = !wrapper.buffer<[u], f32, #wrapper.device<"cpu">>
!v = !wrapper.buffer<[v], f32, #wrapper.device<"cpu">>
// CHECK-LABEL: wrapper.func @alignment(
wrapper.func @alignment(%x: !s) -> (!u, !v) attributes {sym.symbols = {s0 = #sym.range<0, 8>, u = #sym.range<0, 8>, v = #sym.range<0, 8>}} {
  %c = arith.constant 1.0 : f64
  %d = arith.cmpf olt, %c, %c : f64
  wrapper.if %d : i1 {
    wrapper.comment "a step in front of the sizes"
    wrapper.yield
  } else {
    wrapper.yield
  }
  // CHECK: wrapper.input_symbol "s0"
  wrapper.input_symbol "s0" = size 0 of %x : !s
  // CHECK-NEXT: wrapper.assert_aligned %{{.*}} to 4, "arg0" :
  // CHECK-NEXT: %[[H:.*]]:2 = wrapper.extern_call
  %h:2 = wrapper.extern_call "test::halves"(%x) : (!s) -> (!u, !v)
  // CHECK-NEXT: wrapper.comment
  wrapper.comment "between"
  // CHECK-NEXT: wrapper.bind_symbol "u"
  wrapper.bind_symbol "u" = [#wrapper.key<size, 0>] of %h#0 : !u
  // CHECK-NEXT: wrapper.assert_aligned %[[H]]#0 to 4, "test::halves:0 - out0" : !wrapper.buffer<[u], f32, #wrapper.device<"cpu">>
  // CHECK-NEXT: wrapper.bind_symbol "v"
  wrapper.bind_symbol "v" = [#wrapper.key<size, 0>] of %h#1 : !v
  // CHECK-NEXT: wrapper.assert_aligned %[[H]]#1 to 4, "test::halves:0 - out1"
  wrapper.return %h#0, %h#1 : !u, !v
}

// -----

// A buffer without elements needs nobody who writes it; what is on the stack is no allocator's.

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!n = !wrapper.buffer<[0], f32, #wrapper.device<"cpu">>
// PLAN-LABEL: wrapper.func @empty(
wrapper.func @empty(%x: !b) -> !n {
  // PLAN: wrapper.pool stack
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  // PLAN: wrapper.check_lifetime exact "wrapper.copy" []{{ *$}}
  %1 = wrapper.alloc : !b
  wrapper.copy %0 to %1 : !b
  %2 = wrapper.resize_storage %1 : !b to !n
  // PLAN: wrapper.return
  wrapper.return %2 : !n
}
