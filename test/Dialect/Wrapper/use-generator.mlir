// RUN: coil-opt %s --wrapper-use-generator | FileCheck %s
// RUN: coil-opt %s --wrapper-use-generator --wrapper-plan-memory --wrapper-verify-memory | FileCheck %s --check-prefix=PLAN

!s = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
!r = !wrapper.buffer<[2], i64, #wrapper.device<"cpu">>

// CHECK-LABEL: wrapper.func @main(
// CHECK-SAME:    %{{[a-z0-9]+}}: !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>) ->
wrapper.func @main(%x: !s, %state: !r {coil.name = "random_state", graph.random_state = #sym.expr<s0 * 4>}) -> !r
    attributes {sym.symbols = {s0 = #sym.range<1, 9>}} {
  // CHECK-NEXT: %[[S:.*]] = wrapper.rng_state : !wrapper.buffer<[2], i64, #wrapper.device<"cpu">>
  // CHECK-NEXT: wrapper.input_symbol
  wrapper.input_symbol "s0" = size 0 of %x : !s
  // CHECK-NOT: assert_layout
  wrapper.assert_layout %state, "random_state" : !r
  %0 = wrapper.alloc : !r
  // CHECK: wrapper.copy %[[S]]
  wrapper.copy %state to %0 : !r
  // The state is storage like any other.
  // PLAN: wrapper.reuse
  // CHECK: wrapper.rng_advance by <s0 * 4>
  // CHECK-NEXT: wrapper.return
  wrapper.return %0 : !r
}

// What draws nothing stays as it is.
// CHECK-LABEL: wrapper.func @plain(
// CHECK-NEXT: wrapper.return
wrapper.func @plain(%x: !s) attributes {sym.symbols = {s0 = #sym.range<1, 9>}} {
  wrapper.return
}
