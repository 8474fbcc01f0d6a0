// RUN: coil-opt %s --wrapper-verify-memory --split-input-file --verify-diagnostics

// F06: what is dropped is not used any more, and dropped once.

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c1_drop(%x: !b) -> !b {
  // expected-note@+1 {{dropped here}}
  wrapper.drop %x : !b
  %0 = wrapper.alloc : !b
  // expected-error@+1 {{uses a buffer after it was dropped}}
  wrapper.copy %x to %0 : !b
  wrapper.return %0 : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c1_drop_view(%x: !b) -> !b {
  %v = wrapper.reinterpret %x at <0> : !b to !b
  // expected-note@+1 {{dropped here}}
  wrapper.drop %x : !b
  %0 = wrapper.alloc : !b
  // expected-error@+1 {{uses a buffer after it was dropped}}
  wrapper.copy %v to %0 : !b
  wrapper.return %0 : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c2_drop(%x: !b) {
  // expected-note@+1 {{dropped here}}
  wrapper.drop %x : !b
  // expected-error@+1 {{drops a buffer twice}}
  wrapper.drop %x : !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c8_drop(%x: !b, %p: !wrapper.buffer<[], i1, #wrapper.device<"cpu">>) {
  // expected-error@+1 {{ends the life of a buffer in one region only}}
  wrapper.if %p : !wrapper.buffer<[], i1, #wrapper.device<"cpu">> {
    // expected-note@+1 {{it ends here}}
    wrapper.drop %x : !b
    wrapper.yield
  } else {
    wrapper.yield
  }
  wrapper.return
}

// -----

// In a range it is as in its place.
!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c1_drop_in_range(%x: !b) -> !b {
  %r = wrapper.profile_range "r" -> (!b) {
    %0 = wrapper.alloc : !b
    wrapper.copy %x to %0 : !b
    // expected-note@+1 {{dropped here}}
    wrapper.drop %x : !b
    wrapper.yield %0 : !b
  }
  // expected-error@+1 {{uses a buffer after it was dropped}}
  wrapper.copy %x to %r : !b
  wrapper.return %r : !b
}

// -----

!o = !wrapper.object<"mylib::Queue">
wrapper.func @wrapper_verify_memory_c1_object() {
  %q = wrapper.bound_object "q" : !o
  // expected-note@+1 {{dropped here}}
  wrapper.drop %q : !o
  wrapper.profile_range "r" {
    // expected-error@+1 {{uses an object after it was dropped}}
    wrapper.object_call "pop"(%q) : (!o) -> ()
    wrapper.yield
  }
  wrapper.return
}

// -----

!o = !wrapper.object<"mylib::Queue">
wrapper.func @wrapper_verify_memory_c2_object() {
  %q = wrapper.bound_object "q" : !o
  // expected-note@+1 {{dropped here}}
  wrapper.drop %q : !o
  // expected-error@+1 {{drops an object twice}}
  wrapper.drop %q : !o
  wrapper.return
}
