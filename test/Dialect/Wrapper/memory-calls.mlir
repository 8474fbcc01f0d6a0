// RUN: coil-opt %s --wrapper-verify-memory --split-input-file --verify-diagnostics
// What calls of host functions do to storage is checked as for every op.

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!h = !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>

// What a call changes may be in the middle of its storage, and what it allocates
// is the program's to end.
wrapper.func @right(%x: !b, %y: !h) -> !b {
  %0 = wrapper.alloc : !b
  wrapper.extern_call_out "a::b"(%x) outs(%0 : !b) : !b
  %1 = wrapper.reinterpret %0 at <2> : !b to !h
  wrapper.extern_call_out "a::b"(%y, %1) mutates [1] : !h, !h
  %2:2 = wrapper.extern_call "a::b"(%0) : (!b) -> (!b, !b)
  wrapper.assert_layout %2#0, "r" : !b
  wrapper.free %0 : !b
  wrapper.free %2#1 : !b
  wrapper.return %2#0 : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func @wrapper_verify_memory_c4_call(%x: !b) {
  // expected-error@+1 {{allocates a buffer that is neither freed, given away nor returned}}
  %0 = wrapper.extern_call "a::b"(%x) : (!b) -> !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func @wrapper_verify_memory_c1_call(%x: !b) -> !b {
  %0 = wrapper.extern_call "a::b"(%x) : (!b) -> !b
  // expected-note@+1 {{freed here}}
  wrapper.free %0 : !b
  // expected-error@+1 {{uses a buffer after it was freed}}
  %1 = wrapper.extern_call "a::b"([none, %0]) : (!b) -> !b
  wrapper.return %1 : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func @wrapper_verify_memory_c5_call(%x: !b) {
  // expected-error@+1 {{writes to operand 0, whose storage the function does not own}}
  wrapper.extern_call "a::b"(%x) mutates [0] : (!b) -> ()
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i64, #wrapper.device<"cpu">>

wrapper.func @wrapper_verify_memory_c5_scatter(%x: !b, %i: !i) {
  // expected-error@+1 {{writes to operand 0, whose storage the function does not own}}
  wrapper.scatter_fallback %x dim 0 at %i value 1.0 reduce sum : !b, !i
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func @wrapper_verify_memory_c6_call_out(%x: !b) -> !b {
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  // expected-error@+1 {{operand 1 is written over operand 0, which the op may still have to read}}
  wrapper.extern_call_out "a::b"(%0) outs(%0 : !b) : !b
  wrapper.return %0 : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

// Unless the op says that this is right.
wrapper.func @in_place(%x: !b) -> !b {
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  wrapper.extern_call_out "a::b"(%0) outs(%0 : !b) in_place [0, 0] : !b
  wrapper.return %0 : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func @wrapper_verify_memory_c6_mutates(%x: !b) -> !b {
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  // expected-error@+1 {{operand 1 is written over operand 0, which the op may still have to read}}
  wrapper.extern_call_out "a::b"(%0, %0) mutates [1] : !b, !b
  wrapper.return %0 : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func @wrapper_verify_memory_c7_call(%x: !b) -> !b {
  %0 = wrapper.alloc : !b
  // expected-error@+1 {{operand 0 is a buffer that nothing has written}}
  wrapper.extern_call_out "a::b"(%0) mutates [0] : !b
  wrapper.return %0 : !b
}
