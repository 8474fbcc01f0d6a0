// RUN: coil-opt %s --wrapper-release-inputs --wrapper-verify-memory --split-input-file | FileCheck %s
// RUN: coil-opt %s --wrapper-release-inputs --split-input-file > %t.once
// RUN: coil-opt %t.once --wrapper-release-inputs --split-input-file | FileCheck %s

// F06: an unused input is let go in front of the first step, another one behind its last use, in
// whatever op that is; weights and private functions keep theirs.

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!s = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>

// CHECK-LABEL: wrapper.func @main(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: {{[^%]*}}"x"{{[^%]*}}%[[U:[a-z0-9]+]]: {{[^%]*}}"u"{{[^%]*}}%[[C:[a-z0-9]+]]: {{[^%]*}}"c"
// CHECK-SAME:    %[[P:arg4]]: !wrapper.buffer<[], i1
wrapper.func @main(%x: !b {coil.name = "x"}, %u: !b {coil.name = "u"}, %c: !s {coil.name = "c"},
                   %w: !b {coil.name = "w", graph.weight = "w"}, %p: !p) -> (!b, !b)
    attributes {sym.symbols = {s0 = #sym.range<1, 9>}} {
  // CHECK-NEXT: wrapper.input_symbol "s0"
  wrapper.input_symbol "s0" = size 0 of %c : !s
  // CHECK-NEXT: wrapper.assert_layout %[[C]]
  wrapper.assert_layout %c, "c" : !s
  // CHECK-NEXT: wrapper.assert_layout %[[X]]
  wrapper.assert_layout %x, "x" : !b
  // CHECK-NEXT: wrapper.drop %[[C]]
  // CHECK-NEXT: wrapper.drop %[[U]]
  // CHECK-NEXT: wrapper.alloc
  %0 = wrapper.alloc : !b
  %v = wrapper.reinterpret %x at <0> : !b to !b
  // CHECK: wrapper.copy
  wrapper.copy %v to %0 : !b
  // CHECK-NEXT: wrapper.drop %[[X]]
  // CHECK-NEXT: wrapper.alloc
  %1 = wrapper.alloc : !b
  wrapper.copy %w to %1 : !b
  // CHECK: wrapper.if %[[P]]
  wrapper.if %p : !p {
    wrapper.yield
  } else {
    wrapper.yield
  }
  // CHECK: } else {
  // CHECK-NEXT: wrapper.yield
  // CHECK-NEXT: }
  // CHECK-NEXT: wrapper.drop %[[P]]
  // CHECK-NEXT: wrapper.return
  wrapper.return %0, %1 : !b, !b
}

// CHECK-LABEL: wrapper.func private @part(
// CHECK-NOT: wrapper.drop
wrapper.func private @part(%x: !b) {
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!o = !wrapper.object<"mylib::Queue">

// In a region that runs in place; objects, too.
// CHECK-LABEL: wrapper.func @in_place(
wrapper.func @in_place(%x: !b) -> !b {
  // CHECK: wrapper.bound_object
  %q = wrapper.bound_object "q" : !o
  // CHECK: wrapper.profile_range
  %r = wrapper.profile_range "r" -> (!b) {
    %0 = wrapper.alloc : !b
    // CHECK: wrapper.copy
    wrapper.copy %x to %0 : !b
    // CHECK-NEXT: wrapper.drop %{{.*}} : !wrapper.buffer
    // CHECK-NEXT: wrapper.object_call
    wrapper.object_call "push"(%q, %0) : (!o, !b) -> ()
    // CHECK-NEXT: wrapper.drop %{{.*}} : !wrapper.object
    // CHECK-NEXT: wrapper.yield
    wrapper.yield %0 : !b
  }
  wrapper.return %r : !b
}
