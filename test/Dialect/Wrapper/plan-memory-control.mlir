// RUN: coil-opt %s --wrapper-plan-memory --wrapper-verify-memory --split-input-file | FileCheck %s

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>

// What one branch uses lives to the end of the `if`; reuse has a state for each
// region, so %1 takes the storage of %0, but not that of %x's copy outside.
// CHECK-LABEL: wrapper.func @branches
// CHECK-SAME: wrapper.memory = {allocations = 4 : i64, lower_bound = 192 : i64, peak = 192 : i64, pools = 0 : i64, reuses = 1 : i64}
// CHECK: %[[KEPT:.+]] = wrapper.alloc
// CHECK: wrapper.if
// CHECK-NOT: wrapper.free
// CHECK: %[[A:.+]] = wrapper.alloc
// CHECK: %[[B:.+]] = wrapper.reuse %[[A]]
// CHECK: wrapper.yield %[[B]]
// CHECK: } else {
// CHECK-NOT: wrapper.reuse
// CHECK-NOT: wrapper.free
// CHECK: wrapper.yield
// CHECK: }
// CHECK-NEXT: wrapper.free %[[KEPT]]
// CHECK-NEXT: wrapper.return
wrapper.kernel @apart() attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
}
wrapper.func @branches(%p: !p, %x: !b) -> !b {
  %kept = wrapper.alloc : !b
  wrapper.copy %x to %kept : !b
  %r = wrapper.if %p : !p -> (!b) {
    %0 = wrapper.alloc : !b
    wrapper.launch @apart[] ins(%kept : !b) outs(%0 : !b)
    %t = wrapper.alloc : !b
    wrapper.launch @apart[] ins(%0 : !b) outs(%t : !b)
    %1 = wrapper.alloc : !b
    wrapper.launch @apart[] ins(%t : !b) outs(%1 : !b)
    wrapper.yield %1 : !b
  } else {
    %1 = wrapper.alloc : !b
    wrapper.launch @apart[] ins(%x : !b) outs(%1 : !b)
    wrapper.yield %1 : !b
  }
  wrapper.return %r : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>

// Storage that one branch yields is freed by the other, behind its last use.
// CHECK-LABEL: wrapper.func @one_yields
// CHECK: %[[A:.+]] = wrapper.alloc
// CHECK: wrapper.if
// CHECK-NEXT: wrapper.yield %[[A]]
// CHECK-NEXT: } else {
// CHECK: wrapper.copy %[[A]] to
// CHECK-NEXT: wrapper.free %[[A]]
// CHECK-NEXT: wrapper.yield
// CHECK-NEXT: }
// CHECK-NEXT: wrapper.return
wrapper.func @one_yields(%p: !p, %x: !b) -> !b {
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  %r = wrapper.if %p : !p -> (!b) {
    wrapper.yield %0 : !b
  } else {
    %1 = wrapper.alloc : !b
    wrapper.copy %0 to %1 : !b
    wrapper.yield %1 : !b
  }
  wrapper.return %r : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

// A loop carries its storage: nothing of it is freed outside of the body, which
// works in place where it may. Two buffers are alive in an iteration of @swap,
// and one in @in_place.
// CHECK-LABEL: wrapper.func @in_place
// CHECK-SAME: peak = 64 : i64
// CHECK: wrapper.while
// CHECK: } do {
// CHECK-NEXT: ^bb0(%[[A:.+]]: !wrapper
// CHECK-NEXT: %[[N:.+]] = wrapper.reuse %[[A]]
// CHECK-NEXT: wrapper.launch @pointwise[] ins(%[[N]] : {{.+}}) outs(%[[N]] :
// CHECK-NEXT: wrapper.yield %[[N]]
// CHECK-NEXT: }
// CHECK-NEXT: wrapper.return
// CHECK-LABEL: wrapper.func @swap
// CHECK-SAME: peak = 128 : i64
// CHECK: } do {
// CHECK-NEXT: ^bb0(%[[A:.+]]: !wrapper
// CHECK-NEXT: %[[N:.+]] = wrapper.alloc
// CHECK-NEXT: wrapper.launch
// CHECK-NEXT: wrapper.free %[[A]]
// CHECK-NEXT: wrapper.yield %[[N]]
wrapper.kernel @pointwise() attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>],
    symbols = [], in_place = array<i64: 0, 0>} {
}
wrapper.kernel @apart() attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
}
wrapper.func @in_place(%x: !b) -> !b {
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  %r = wrapper.while %0 : !b symbols ["i"] from [0] -> (!b) {
  ^bb0(%a: !b):
    %c = wrapper.compare <i> lt <2>
    wrapper.condition %c pass %a : !b
  } do {
  ^bb0(%a: !b):
    %n = wrapper.alloc : !b
    wrapper.launch @pointwise[] ins(%a : !b) outs(%n : !b)
    wrapper.yield %n : !b symbols [i + 1]
  }
  wrapper.return %r : !b
}
wrapper.func @swap(%x: !b) -> !b {
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  %r = wrapper.while %0 : !b symbols ["i"] from [0] -> (!b) {
  ^bb0(%a: !b):
    %c = wrapper.compare <i> lt <2>
    wrapper.condition %c pass %a : !b
  } do {
  ^bb0(%a: !b):
    %n = wrapper.alloc : !b
    wrapper.launch @apart[] ins(%a : !b) outs(%n : !b)
    wrapper.yield %n : !b symbols [i + 1]
  }
  wrapper.return %r : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

// A loop's storage from outside lives through all iterations.
// CHECK-LABEL: wrapper.func @outside
// CHECK: %[[K:.+]] = wrapper.alloc
// CHECK: wrapper.while
// CHECK-NOT: wrapper.free
// CHECK: }
// CHECK: wrapper.free %[[K]]
// CHECK-NEXT: wrapper.return
wrapper.func @outside(%x: !b) -> !b {
  %k = wrapper.alloc : !b
  wrapper.copy %x to %k : !b
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  %r = wrapper.while %0 : !b symbols ["i"] from [0] -> (!b) {
  ^bb0(%a: !b):
    %c = wrapper.compare <i> lt <2>
    wrapper.condition %c pass %a : !b
  } do {
  ^bb0(%a: !b):
    wrapper.copy %k to %a : !b
    wrapper.yield %a : !b symbols [i + 1]
  }
  wrapper.return %r : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

// A consumed argument is the function's to reuse; the caller does not free it,
// and has the callee's peak in its own, whichever comes first.
// CHECK-LABEL: wrapper.func @caller
// CHECK-SAME: peak = 192 : i64
// CHECK: %[[A:.+]] = wrapper.alloc
// CHECK: %[[R:.+]] = wrapper.invoke @callee(%[[A]]) consumes [0]
// CHECK-NEXT: wrapper.return %[[R]]
// CHECK-LABEL: wrapper.func private @callee(
// CHECK-SAME: %[[X:.+]]: !wrapper
// CHECK-SAME: peak = 192 : i64
// CHECK: wrapper.free %[[X]]
wrapper.kernel @apart() attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
}
wrapper.kernel @both() attributes {input_strides = [#sym.shape<[1]>, #sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
}
wrapper.func @caller(%x: !b) -> !b {
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  %1 = wrapper.invoke @callee(%0) consumes [0] : (!b) -> !b
  wrapper.return %1 : !b
}
wrapper.func private @callee(%x: !b {wrapper.consumed}) -> !b {
  %0 = wrapper.alloc : !b
  wrapper.launch @apart[] ins(%x : !b) outs(%0 : !b)
  %1 = wrapper.alloc : !b
  wrapper.launch @both[] ins(%x, %0 : !b, !b) outs(%1 : !b)
  wrapper.return %1 : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

// What regions of other dialects use counts, too.
// CHECK-LABEL: wrapper.func @other_dialects
// CHECK: %[[A:.+]] = wrapper.alloc
// CHECK: scf.if
// CHECK: }
// CHECK-NEXT: wrapper.free %[[A]]
// CHECK-NEXT: wrapper.return
wrapper.func @other_dialects(%x: !b) {
  %p = wrapper.compare <1> lt <2>
  %0 = wrapper.alloc : !b
  scf.if %p {
    wrapper.copy %x to %0 : !b
  }
  wrapper.return
}
