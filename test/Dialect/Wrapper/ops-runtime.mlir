// RUN: coil-opt %s | coil-opt | FileCheck %s
// RUN: coil-opt %s --mlir-print-op-generic | coil-opt | FileCheck %s

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!r = !wrapper.buffer<[2], i64, #wrapper.device<"cpu">>
!s = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
!o = !wrapper.object<"mylib::Queue">

// CHECK-LABEL: wrapper.func @run(
wrapper.func @run(%x: !b, %y: !b) -> !b {
  // CHECK: wrapper.comment "one line"
  wrapper.comment "one line"
  // CHECK: wrapper.drop %{{.*}} : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
  wrapper.drop %y : !b
  // CHECK: wrapper.assert_aligned %{{.*}} to 64, "x" : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
  wrapper.assert_aligned %x to 64, "x" : !b
  // CHECK: wrapper.hook "relu_0:3" "out0" %{{.*}} : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
  wrapper.hook "relu_0:3" "out0" %x : !b
  // CHECK: wrapper.profile_range "encoder" -> (!wrapper.buffer<[4], f32, #wrapper.device<"cpu">>) {
  %r = wrapper.profile_range "encoder" -> (!b) {
    %0 = wrapper.alloc : !b
    wrapper.copy %x to %0 : !b
    wrapper.yield %0 : !b
  }
  // CHECK: wrapper.profile_range "nothing" {
  wrapper.profile_range "nothing" {
    wrapper.yield
  }
  wrapper.return %r : !b
}

// CHECK-LABEL: wrapper.func @random(
wrapper.func @random(%x: !s) attributes {sym.symbols = {s0 = #sym.range<1, 8>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !s
  // CHECK: wrapper.rng_seed <s0 + 42>
  wrapper.rng_seed <s0 + 42>
  // CHECK: wrapper.rng_state : !wrapper.buffer<[2], i64, #wrapper.device<"cpu">>
  %s = wrapper.rng_state : !r
  // CHECK: wrapper.rng_advance by <s0 * 4>
  wrapper.rng_advance by <s0 * 4>
  // CHECK: wrapper.rng_advance to %{{.*}} : !wrapper.buffer<[2], i64, #wrapper.device<"cpu">>
  wrapper.rng_advance to %s : !r
  wrapper.return
}

// CHECK-LABEL: wrapper.func @objects(
wrapper.func @objects(%x: !s) attributes {sym.symbols = {s0 = #sym.range<1, 8>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !s
  // CHECK: wrapper.bound_object "queue" : !wrapper.object<"mylib::Queue">
  %q = wrapper.bound_object "queue" : !o
  // CHECK: wrapper.object_call "push"(%{{.*}}, %{{.*}}, <s0>, none) names ["self", "x", "n", "m"] mutates [1]
  // CHECK-SAME: : (!wrapper.object<"mylib::Queue">, !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>) -> ()
  wrapper.object_call "push"(%q, %x, <s0>, none) names ["self", "x", "n", "m"] mutates [1] : (!o, !s) -> ()
  // CHECK: wrapper.object_call "pop"(%{{.*}}) : (!wrapper.object<"mylib::Queue">) -> !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
  %0 = wrapper.object_call "pop"(%q) : (!o) -> !b
  // CHECK: wrapper.drop %{{.*}} : !wrapper.object<"mylib::Queue">
  wrapper.drop %q : !o
  wrapper.return
}

// A scope of a device may be in a range.
// CHECK-LABEL: wrapper.func @scope_in_range(
wrapper.func @scope_in_range() {
  wrapper.profile_range "all" {
    // CHECK: wrapper.device_scope #wrapper.device<"cpu"> {
    wrapper.device_scope #wrapper.device<"cpu"> {
      wrapper.yield
    }
    wrapper.yield
  }
  wrapper.return
}

// Comments are in partitions, too.
// CHECK-LABEL: wrapper.func @comment_in_partition(
wrapper.func @comment_in_partition() {
  wrapper.partition #wrapper.device<"cpu"> {
    // CHECK: wrapper.comment "here"
    wrapper.comment "here"
    wrapper.yield
  }
  wrapper.return
}
