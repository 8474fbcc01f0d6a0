// RUN: coil-opt %s --split-input-file --verify-diagnostics --wrapper-verify-memory

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
// Collectives that nothing disturbs; reading a source is allowed.
wrapper.func @good(%x: !b) -> !b {
  %y = wrapper.alloc : !b
  %t = wrapper.collective all_reduce sum %x to %y group "0" : !b to !b
  %z = wrapper.alloc : !b
  wrapper.copy %x to %z : !b
  wrapper.wait %t of %x to %y : !b to !b
  wrapper.free %z : !b
  wrapper.return %y : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c15_reads(%x: !b) -> !b {
  %y = wrapper.alloc : !b
  %z = wrapper.alloc : !b
  // expected-note@+1 {{it is started here, and nothing has waited for it}}
  %t = wrapper.collective all_reduce sum %x to %y group "0" : !b to !b
  // expected-error@+1 {{reads operand 0, which the all_reduce sum of group '0' still uses}}
  wrapper.copy %y to %z : !b
  wrapper.wait %t of %x to %y : !b to !b
  wrapper.free %z : !b
  wrapper.return %y : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c15_writes() -> !b {
  %x = wrapper.alloc : !b
  wrapper.fill %x bytes 0 : !b
  %y = wrapper.alloc : !b
  // expected-note@+1 {{it is started here}}
  %t = wrapper.collective all_gather %x to %y group "0" : !b to !b
  // expected-error@+1 {{writes operand 0, which the all_gather of group '0' still uses}}
  wrapper.fill %x bytes 1 : !b
  wrapper.wait %t of %x to %y : !b to !b
  wrapper.free %x : !b
  wrapper.return %y : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c15_frees() -> !b {
  %x = wrapper.alloc : !b
  wrapper.fill %x bytes 0 : !b
  %y = wrapper.alloc : !b
  // expected-note@+1 {{it is started here}}
  %t = wrapper.collective all_gather %x to %y group "0" : !b to !b
  // expected-error@+1 {{frees operand 0, which the all_gather of group '0' still uses}}
  wrapper.free %x : !b
  wrapper.wait %t of %x to %y : !b to !b
  wrapper.return %y : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c15_hands_over() -> !b {
  %x = wrapper.alloc : !b
  wrapper.fill %x bytes 0 : !b
  %y = wrapper.alloc : !b
  // expected-note@+1 {{it is started here}}
  %t = wrapper.collective all_gather %x to %y group "0" : !b to !b
  // expected-error@+1 {{gives away operand 0, which the all_gather of group '0' still uses}}
  %z = wrapper.reuse %x : !b to !b
  wrapper.wait %t of %x to %y : !b to !b
  wrapper.free %z : !b
  wrapper.return %y : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c15_second(%x: !b) -> !b {
  %y = wrapper.alloc : !b
  // expected-note@+1 {{it is started here}}
  %t = wrapper.collective all_gather %x to %y group "0" : !b to !b
  // expected-error@+1 {{writes operand 1, which the all_gather of group '0' still uses}}
  %u = wrapper.collective broadcast %x to %y root 0 group "0" : !b to !b
  wrapper.wait %t of %x to %y : !b to !b
  wrapper.wait %u of %x to %y : !b to !b
  wrapper.return %y : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c16_twice(%x: !b) -> !b {
  %y = wrapper.alloc : !b
  %t = wrapper.collective all_gather %x to %y group "0" : !b to !b
  // expected-note@+1 {{it is waited for here}}
  wrapper.wait %t of %x to %y : !b to !b
  // expected-error@+1 {{waits a second time}}
  wrapper.wait %t of %x to %y : !b to !b
  wrapper.return %y : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c16_loop(%x: !b) -> !b {
  %y = wrapper.alloc : !b
  // expected-note@+1 {{it is started here}}
  %t = wrapper.collective all_gather %x to %y group "0" : !b to !b
  wrapper.while symbols ["i"] from [0] {
    %p = wrapper.compare <i> lt <3>
    wrapper.condition %p
  } do {
    // expected-error@+1 {{waits in a loop for what was started outside of it}}
    wrapper.wait %t of %x to %y : !b to !b
    wrapper.yield symbols [i + 1]
  }
  wrapper.return %y : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c16_event(%x: !b) {
  %e = wrapper.record_event #wrapper.device<"cpu">
  // expected-note@+1 {{it is waited for here}}
  wrapper.wait_event %e
  // expected-error@+1 {{waits a second time}}
  wrapper.wait_event %e
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c17(%x: !b, %y: !b {wrapper.destination}) {
  // expected-error@+1 {{starts what no path of its block waits for}}
  %t = wrapper.collective all_gather %x to %y group "0" : !b to !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c17_one_region(%p: !p, %x: !b) -> !b {
  %y = wrapper.alloc : !b
  %t = wrapper.collective all_gather %x to %y group "0" : !b to !b
  // expected-error@+1 {{waits in one region only}}
  wrapper.if %p : !p {
    // expected-note@+1 {{it ends here}}
    wrapper.wait %t of %x to %y : !b to !b
    wrapper.yield
  } else {
    wrapper.yield
  }
  wrapper.return %y : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c4_comm() {
  // expected-error@+1 {{allocates a buffer that is neither freed, given away nor returned}}
  %c = wrapper.comm_alloc symmetric group "0" : !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c13_comm() -> !b {
  %c = wrapper.comm_alloc symmetric group "0" : !b
  wrapper.fill %c bytes 0 : !b
  // expected-error@+1 {{returns a communication buffer}}
  wrapper.return %c : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c18_alloc(%x: !b) -> !b {
  // expected-note@+1 {{that is here}}
  %y = wrapper.alloc : !b
  wrapper.stream #wrapper.device<"cpu"> 1 {
    // expected-error@+1 {{on stream 1, which does not wait for what the main stream does with it}}
    wrapper.fill %y bytes 0 : !b
    wrapper.yield
  }
  wrapper.return %y : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
// expected-note@+1 {{that is here}}
wrapper.func @wrapper_verify_memory_c18_argument(%x: !b) {
  %y = wrapper.alloc : !b
  wrapper.stream #wrapper.device<"cpu"> 2 {
    // expected-error@+1 {{reads a buffer on stream 2, which does not wait for what the main stream does with it}}
    wrapper.copy %x to %y : !b
    wrapper.yield
  }
  wrapper.free %y : !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c18_free(%x: !b) -> !b {
  %y = wrapper.alloc : !b
  wrapper.fill %y bytes 0 : !b
  %z = wrapper.alloc : !b
  %e = wrapper.record_event #wrapper.device<"cpu">
  wrapper.stream #wrapper.device<"cpu"> 1 {
    wrapper.wait_event %e
    // expected-note@+1 {{that is here}}
    wrapper.copy %y to %z : !b
    wrapper.yield
  }
  // expected-error@+1 {{ends a buffer on the main stream, which does not wait for what stream 1 does with it}}
  wrapper.free %y : !b
  %f = wrapper.record_event #wrapper.device<"cpu"> stream 1
  wrapper.wait_event %f uses(%z : !b)
  wrapper.return %z : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c18_between(%x: !b) -> !b {
  %y = wrapper.alloc : !b
  %e = wrapper.record_event #wrapper.device<"cpu">
  %g = wrapper.record_event #wrapper.device<"cpu">
  wrapper.stream #wrapper.device<"cpu"> 1 {
    wrapper.wait_event %e
    // expected-note@+1 {{that is here}}
    wrapper.copy %x to %y : !b
    wrapper.yield
  }
  wrapper.stream #wrapper.device<"cpu"> 2 {
    wrapper.wait_event %g
    // expected-error@+1 {{writes a buffer on stream 2, which does not wait for what stream 1 does with it}}
    wrapper.fill %y bytes 0 : !b
    wrapper.yield
  }
  wrapper.return %y : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c19(%x: !b {wrapper.destination}) {
  %e = wrapper.record_event #wrapper.device<"cpu">
  // expected-note@+1 {{the stream is given work here}}
  wrapper.stream #wrapper.device<"cpu"> 1 {
    wrapper.wait_event %e
    wrapper.fill %x bytes 0 : !b
    wrapper.yield
  }
  // expected-error@+1 {{ends the block, but the main stream has not waited for all of stream 1}}
  wrapper.return
}
