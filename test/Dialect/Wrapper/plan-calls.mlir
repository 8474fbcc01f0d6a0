// RUN: coil-opt %s --wrapper-plan-memory --wrapper-verify-memory | FileCheck %s
// RUN: coil-opt %s --wrapper-reorder-for-memory | FileCheck %s --check-prefix=ORDER
// RUN: coil-opt %s --wrapper-insert-debug-values=values=print | FileCheck %s --check-prefix=DEBUG
// RUN: coil-opt %s --wrapper-annotate-costs | FileCheck %s --check-prefix=COST
// RUN: coil-opt %s --wrapper-plan-memory --wrapper-track-lifetimes | FileCheck %s --check-prefix=TRACK
// Passes know calls of host functions by their effects.

!b = !wrapper.buffer<[64], f32, #wrapper.device<"cpu">>
!u = !wrapper.buffer<[u], f32, #wrapper.device<"cpu">>

// A call may write over an operand where it says so; a result is freed, and its storage
// reused.
// CHECK-LABEL: wrapper.func @storage
// CHECK-SAME: allocations = 1 : i64
// CHECK: %[[A:.*]] = wrapper.alloc
// CHECK: wrapper.extern_call_out "a::f"(%{{.*}}) outs(%[[A]] :
// CHECK: %[[B:.*]] = wrapper.reuse %[[A]]
// CHECK: wrapper.extern_call_out "a::g"(%[[B]]) outs(%[[B]] :
// CHECK: %[[C:.*]] = wrapper.extern_call "a::h"(%[[B]])
// CHECK: %[[D:.*]] = wrapper.reuse %[[B]]
// CHECK: wrapper.extern_call_out "a::f"(%[[C]]) outs(%[[D]] :
// CHECK: wrapper.free %[[C]]
// CHECK: wrapper.return %[[D]]

// Calls keep their order, whatever that costs.
// ORDER-LABEL: wrapper.func @storage
// ORDER: "a::f"
// ORDER: "a::g"
// ORDER: "a::h"
// ORDER: "a::f"

// Values behind the call are shown where their sizes are known.
// DEBUG-LABEL: wrapper.func @storage
// DEBUG: wrapper.debug_value print before "a::f:0" "in0" %{{.*}}
// DEBUG: wrapper.extern_call_out "a::f"
// DEBUG: wrapper.debug_value print after "a::f:0" "out0" %{{.*}}
// DEBUG: wrapper.extern_call "a::h"
// DEBUG: wrapper.assert_layout
// DEBUG: wrapper.debug_value print after "a::h:2" "out0"
// DEBUG-LABEL: wrapper.func @sizes
// DEBUG: wrapper.extern_call "a::s"
// DEBUG-NEXT: wrapper.bind_symbol
// DEBUG-NEXT: wrapper.assert_layout
// DEBUG-NEXT: wrapper.debug_value print after "a::s:4" "out0" %{{.*}} : !wrapper.buffer<[u],

// COST-LABEL: wrapper.func @storage
// COST: wrapper.extern_call_out "a::f"{{.*}} {wrapper.cost = #wrapper.cost<bytes = <512>, flops = <0>>}

// TRACK-LABEL: wrapper.func @storage
// TRACK: wrapper.check_lifetime exact "a::h:2" ["b1", "b2"]
wrapper.func @storage(%x: !b) -> !b {
  %0 = wrapper.alloc : !b
  wrapper.extern_call_out "a::f"(%x) outs(%0 : !b) : !b
  %1 = wrapper.alloc : !b
  wrapper.extern_call_out "a::g"(%0) outs(%1 : !b) in_place [0, 0] : !b
  %2 = wrapper.extern_call "a::h"(%1) : (!b) -> !b
  wrapper.assert_layout %2, "h" : !b
  %3 = wrapper.alloc : !b
  wrapper.extern_call_out "a::f"(%2) outs(%3 : !b) : !b
  wrapper.return %3 : !b
}

wrapper.func @sizes(%x: !b) -> !u attributes {sym.symbols = {u = #sym.range<0, 9>}} {
  %0 = wrapper.extern_call "a::s"(%x) : (!b) -> !u
  wrapper.bind_symbol "u" = [#wrapper.key<size, 0>] of %0 : !u
  wrapper.assert_layout %0, "s" : !u
  wrapper.return %0 : !u
}
