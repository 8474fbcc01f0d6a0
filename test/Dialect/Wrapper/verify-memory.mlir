// RUN: coil-opt %s --wrapper-verify-memory --split-input-file --verify-diagnostics

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

// Everything that a plan may do.
wrapper.kernel @pointwise() attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>],
    symbols = [], in_place = array<i64: 0, 0>} {
}
wrapper.func @right(%x: !b) -> !b {
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  %1 = wrapper.reuse %0 : !b to !b
  wrapper.launch @pointwise[] ins(%1 : !b) outs(%1 : !b)
  %c = wrapper.constant dense<1.0> : tensor<4xf32> to !b
  %2 = wrapper.alloc : !b
  wrapper.copy %c to %2 : !b
  wrapper.free %2 : !b
  wrapper.return %1 : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c1(%x: !b) -> !b {
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  // expected-note@+1 {{freed here}}
  wrapper.free %0 : !b
  // expected-error@+1 {{uses a buffer after it was freed}}
  wrapper.return %0 : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c1_view(%x: !b) -> !b {
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  %v = wrapper.reinterpret %0 at <0> : !b to !b
  %1 = wrapper.alloc : !b
  // expected-note@+1 {{freed here}}
  wrapper.free %0 : !b
  // expected-error@+1 {{uses a buffer after it was freed}}
  wrapper.copy %v to %1 : !b
  wrapper.return %1 : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c1_handed_over(%x: !b) -> !b {
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  // expected-note@+1 {{given away here}}
  %1 = wrapper.reuse %0 : !b to !b
  // expected-error@+1 {{uses a buffer after its storage was given away}}
  wrapper.copy %0 to %1 : !b
  wrapper.return %1 : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c2() {
  %0 = wrapper.alloc : !b
  // expected-note@+1 {{freed here}}
  wrapper.free %0 : !b
  // expected-error@+1 {{frees a buffer twice}}
  wrapper.free %0 : !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c3() {
  %0 = wrapper.constant dense<1.0> : tensor<4xf32> to !b
  // expected-error@+1 {{frees storage that the function does not own}}
  wrapper.free %0 : !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c3_view() {
  %0 = wrapper.alloc : !b
  %1 = wrapper.reinterpret %0 at <0> : !b to !b
  // expected-error@+1 {{gives away a view; only the buffer that it shows owns the storage}}
  %2 = wrapper.reuse %1 : !b to !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c4() {
  // expected-error@+1 {{allocates a buffer that is neither freed, given away nor returned}}
  %0 = wrapper.alloc : !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c5(%x: !b, %y: !b) {
  // expected-error@+1 {{writes to operand 1, whose storage the function does not own}}
  wrapper.copy %x to %y : !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c5_return(%x: !b) -> !b {
  // expected-error@+1 {{returns storage that the function does not own}}
  wrapper.return %x : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c5_literal(%x: !b) {
  %c = wrapper.constant dense<1.0> : tensor<4xf32> to !b
  // expected-error@+1 {{writes to operand 1, whose storage the function does not own}}
  wrapper.copy %x to %c : !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c5_return_literal() -> !b {
  %c = wrapper.constant dense<1.0> : tensor<4xf32> to !b
  // expected-error@+1 {{returns storage that the function does not own}}
  wrapper.return %c : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.kernel @reverse() attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
}
wrapper.func @wrapper_verify_memory_c6(%x: !b) -> !b {
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  // expected-error@+1 {{operand 1 is written over operand 0, which the op may still have to read}}
  wrapper.launch @reverse[] ins(%0 : !b) outs(%0 : !b)
  wrapper.return %0 : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.kernel @two() attributes {input_strides = [], output_strides = [#sym.shape<[1]>, #sym.shape<[1]>], symbols = []} {
}
wrapper.func @wrapper_verify_memory_c6_writes() -> !b {
  %0 = wrapper.alloc : !b
  // expected-error@+1 {{writes the same storage through two operands}}
  wrapper.launch @two[] outs(%0, %0 : !b, !b)
  wrapper.return %0 : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c7() -> !b {
  %0 = wrapper.alloc : !b
  %1 = wrapper.alloc : !b
  // expected-error@+1 {{operand 0 is a buffer that nothing has written}}
  wrapper.copy %0 to %1 : !b
  wrapper.return %1 : !b
}

// -----

// What the elements are may be open.
!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @uninitialized() -> !b {
  %0 = wrapper.alloc {coil.uninitialized} : !b
  wrapper.return %0 : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c7_return() -> !b {
  %0 = wrapper.alloc : !b
  // expected-error@+1 {{returns a buffer that nothing has written}}
  wrapper.return %0 : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c14(%p: !p, %x: !b, %out: !b {wrapper.destination}) {
  wrapper.if %p : !p {
    wrapper.copy %x to %out : !b
    wrapper.yield
  } else {
    wrapper.yield
  }
  // expected-error@+1 {{returns, but nothing has written argument 2, which is a destination}}
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c7_destination(%x: !b, %out: !b {wrapper.destination}) -> !b {
  %0 = wrapper.alloc : !b
  // expected-error@+1 {{operand 0 is a buffer that nothing has written}}
  wrapper.copy %out to %0 : !b
  wrapper.return %0 : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @destination_is_written(%x: !b, %out: !b {wrapper.destination}) -> !b {
  wrapper.copy %x to %out : !b
  %0 = wrapper.alloc : !b
  wrapper.copy %out to %0 : !b
  wrapper.return %0 : !b
}
