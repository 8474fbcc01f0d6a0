// RUN: coil-opt %s --wrapper-verify-memory --split-input-file --verify-diagnostics

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>

// Everything that regions may do: hand over what they own, end storage from
// outside on both paths, carry it, and pass it to functions.
wrapper.func private @take(%x: !b {wrapper.consumed}) -> !b {
  wrapper.return %x : !b
}
wrapper.func @right(%p: !p, %x: !b) -> !b {
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  %r = wrapper.if %p : !p -> (!b) {
    wrapper.yield %0 : !b
  } else {
    %1 = wrapper.alloc : !b
    wrapper.copy %0 to %1 : !b
    wrapper.free %0 : !b
    wrapper.yield %1 : !b
  }
  %l = wrapper.while %r : !b symbols ["i"] from [0] -> (!b) {
  ^bb0(%a: !b):
    %c = wrapper.compare <i> lt <2>
    wrapper.condition %c pass %a : !b
  } do {
  ^bb0(%a: !b):
    %1 = wrapper.alloc : !b
    wrapper.copy %a to %1 : !b
    wrapper.free %a : !b
    wrapper.yield %1 : !b symbols [i + 1]
  }
  %t = wrapper.invoke @take(%l) consumes [0] : (!b) -> !b
  wrapper.return %t : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>

wrapper.func @wrapper_verify_memory_c1_branch(%p: !p, %x: !b) -> !b {
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  %1 = wrapper.alloc : !b
  wrapper.if %p : !p {
    // expected-note@+1 {{freed here}}
    wrapper.free %0 : !b
    // expected-error@+1 {{uses a buffer after it was freed}}
    wrapper.copy %0 to %1 : !b
    wrapper.yield
  } else {
    wrapper.free %0 : !b
    wrapper.yield
  }
  wrapper.return %1 : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>

wrapper.func @wrapper_verify_memory_c1_behind(%p: !p, %x: !b) -> !b {
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  %1 = wrapper.alloc : !b
  wrapper.if %p : !p {
    // expected-note@+1 {{freed here}}
    wrapper.free %0 : !b
    wrapper.yield
  } else {
    wrapper.free %0 : !b
    wrapper.yield
  }
  // expected-error@+1 {{uses a buffer after it was freed}}
  wrapper.copy %0 to %1 : !b
  wrapper.return %1 : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>

wrapper.func @wrapper_verify_memory_c1_yielded(%p: !p, %x: !b) -> !b {
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  %r = wrapper.if %p : !p -> (!b) {
    // expected-note@+1 {{given away here}}
    wrapper.yield %0 : !b
  } else {
    wrapper.yield %0 : !b
  }
  // expected-error@+1 {{uses a buffer after its storage was given away}}
  wrapper.copy %0 to %r : !b
  wrapper.return %r : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func @wrapper_verify_memory_c1_carried(%x: !b) -> !b {
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  // expected-note@+1 {{given away here}}
  %r = wrapper.while %0 : !b -> (!b) {
  ^bb0(%a: !b):
    %f = arith.constant false
    wrapper.condition %f pass %a : !b
  } do {
  ^bb0(%a: !b):
    // expected-error@+1 {{uses a buffer after its storage was given away}}
    wrapper.copy %0 to %a : !b
    wrapper.yield %a : !b
  }
  wrapper.return %r : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func private @take(%x: !b {wrapper.consumed}) {
  wrapper.free %x : !b
  wrapper.return
}
wrapper.func @wrapper_verify_memory_c1_consumed(%x: !b) -> !b {
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  // expected-note@+1 {{given away here}}
  wrapper.invoke @take(%0) consumes [0] : (!b) -> ()
  // expected-error@+1 {{uses a buffer after its storage was given away}}
  wrapper.return %0 : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>

wrapper.func @wrapper_verify_memory_c2_branch(%p: !p) {
  %0 = wrapper.alloc : !b
  wrapper.if %p : !p {
    // expected-note@+1 {{freed here}}
    wrapper.free %0 : !b
    wrapper.yield
  } else {
    wrapper.free %0 : !b
    wrapper.yield
  }
  // expected-error@+1 {{frees a buffer twice}}
  wrapper.free %0 : !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>

wrapper.func @wrapper_verify_memory_c3_yield(%p: !p, %x: !b) -> !b {
  %0 = wrapper.alloc : !wrapper.buffer<[8], f32, #wrapper.device<"cpu">>
  %v = wrapper.reinterpret %0 at <4> : !wrapper.buffer<[8], f32, #wrapper.device<"cpu">> to !b
  wrapper.copy %x to %v : !b
  %r = wrapper.if %p : !p -> (!b) {
    // expected-error@+1 {{yields a view that does not begin where its storage does}}
    wrapper.yield %v : !b
  } else {
    wrapper.yield %v : !b
  }
  wrapper.return %r : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func private @take(%x: !b {wrapper.consumed}) {
  wrapper.free %x : !b
  wrapper.return
}
wrapper.func @wrapper_verify_memory_c3_consumes(%x: !b) {
  // expected-error@+1 {{gives away storage that the function does not own}}
  wrapper.invoke @take(%x) consumes [0] : (!b) -> ()
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>

wrapper.func @wrapper_verify_memory_c4_branch(%p: !p) {
  wrapper.if %p : !p {
    // expected-error@+1 {{allocates a buffer that is neither freed, given away nor returned}}
    %0 = wrapper.alloc : !b
    wrapper.yield
  } else {
    wrapper.yield
  }
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>

wrapper.func @wrapper_verify_memory_c4_result(%p: !p, %x: !b) {
  // expected-error@+1 {{allocates a buffer that is neither freed, given away nor returned}}
  %r = wrapper.if %p : !p -> (!b) {
    %0 = wrapper.alloc : !b
    wrapper.copy %x to %0 : !b
    wrapper.yield %0 : !b
  } else {
    %0 = wrapper.alloc : !b
    wrapper.copy %x to %0 : !b
    wrapper.yield %0 : !b
  }
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func @wrapper_verify_memory_c4_carried(%x: !b) -> !b {
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  // expected-error@+1 {{takes a buffer as argument 0 that is neither freed, given away nor returned}}
  %r = wrapper.while %0 : !b -> (!b) {
  ^bb0(%a: !b):
    %f = arith.constant false
    wrapper.condition %f pass %a : !b
  } do {
  ^bb0(%a: !b):
    %1 = wrapper.alloc : !b
    wrapper.copy %x to %1 : !b
    wrapper.yield %1 : !b
  }
  wrapper.return %r : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

// expected-error@+1 {{takes a buffer as argument 0 that is neither freed, given away nor returned}}
wrapper.func private @wrapper_verify_memory_c4_consumed(%x: !b {wrapper.consumed}) {
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>

wrapper.func @wrapper_verify_memory_c5_yield(%p: !p, %x: !b) -> !b {
  %r = wrapper.if %p : !p -> (!b) {
    // expected-error@+1 {{yields storage that the function does not own}}
    wrapper.yield %x : !b
  } else {
    wrapper.yield %x : !b
  }
  wrapper.return %r : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func private @callee(%x: !b {wrapper.consumed}, %y: !b) -> !b {
  wrapper.return %x : !b
}
wrapper.func @wrapper_verify_memory_c6_call(%x: !b) -> !b {
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  // expected-error@+1 {{gives away operand 0, whose storage operand 1 shows, too}}
  %1 = wrapper.invoke @callee(%0, %0) consumes [0] : (!b, !b) -> !b
  wrapper.return %1 : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>

wrapper.func @wrapper_verify_memory_c6_yield(%p: !p, %x: !b) -> (!b, !b) {
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  %r:2 = wrapper.if %p : !p -> (!b, !b) {
    // expected-error@+1 {{yields the same storage twice}}
    wrapper.yield %0, %0 : !b, !b
  } else {
    wrapper.yield %0, %0 : !b, !b
  }
  wrapper.return %r#0, %r#1 : !b, !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>

wrapper.func @wrapper_verify_memory_c7_one_branch(%p: !p, %x: !b) -> !b {
  %0 = wrapper.alloc : !b
  wrapper.if %p : !p {
    wrapper.copy %x to %0 : !b
    wrapper.yield
  } else {
    wrapper.yield
  }
  // expected-error@+1 {{returns a buffer that nothing has written}}
  wrapper.return %0 : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func @wrapper_verify_memory_c7_no_iteration(%x: !b) -> !b {
  %0 = wrapper.alloc : !b
  wrapper.while {
    %f = arith.constant false
    wrapper.condition %f
  } do {
    wrapper.copy %x to %0 : !b
    wrapper.yield
  }
  // expected-error@+1 {{returns a buffer that nothing has written}}
  wrapper.return %0 : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>

wrapper.func @wrapper_verify_memory_c7_yield(%p: !p) -> !b {
  %r = wrapper.if %p : !p -> (!b) {
    %0 = wrapper.alloc : !b
    // expected-error@+1 {{yields a buffer that nothing has written}}
    wrapper.yield %0 : !b
  } else {
    %0 = wrapper.alloc : !b
    wrapper.yield %0 : !b
  }
  wrapper.return %r : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>

wrapper.func @wrapper_verify_memory_c8(%p: !p, %x: !b) {
  %0 = wrapper.alloc : !b
  // expected-error@+1 {{ends the life of a buffer in one region only}}
  wrapper.if %p : !p {
    // expected-note@+1 {{it ends here}}
    wrapper.free %0 : !b
    wrapper.yield
  } else {
    wrapper.yield
  }
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func @wrapper_verify_memory_c9() {
  %0 = wrapper.alloc : !b
  // expected-note@+1 {{loop is here}}
  wrapper.while {
    %f = arith.constant false
    wrapper.condition %f
  } do {
    // expected-error@+1 {{frees storage from outside of the loop, which the next iteration would miss}}
    wrapper.free %0 : !b
    wrapper.yield
  }
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>

wrapper.func @wrapper_verify_memory_c9_nested(%p: !p, %x: !b) {
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  // expected-note@+1 {{loop is here}}
  wrapper.while {
    %f = arith.constant false
    wrapper.condition %f
  } do {
    %r = wrapper.if %p : !p -> (!b) {
      // expected-error@+1 {{yields storage from outside of the loop, which the next iteration would miss}}
      wrapper.yield %0 : !b
    } else {
      wrapper.yield %0 : !b
    }
    wrapper.free %r : !b
    wrapper.yield
  }
  wrapper.return
}
