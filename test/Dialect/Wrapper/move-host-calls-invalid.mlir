// RUN: coil-opt %s --wrapper-move-host-calls=functions=all --split-input-file --verify-diagnostics

!g = !wrapper.buffer<[4], strides = [2], f32, #wrapper.device<"cuda">>
wrapper.func @wrapper_move_host_calls_c1_strides(%x: !g) {
  // expected-error @below {{operand 0 is written and not contiguous, so 'test::f' cannot run on the host}}
  wrapper.extern_call_out "test::f"(%x) mutates [0] : !g
  wrapper.return
}

// -----

!g = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
!v = !wrapper.buffer<[2], f32, #wrapper.device<"cuda">>
wrapper.func @wrapper_move_host_calls_c1_shared(%x: !g) {
  %v = wrapper.reinterpret %x at <2> : !g to !v
  // expected-error @below {{operand 0 is written and shares storage with operand 1, so 'test::f' cannot run on the host}}
  wrapper.extern_call_out "test::f"(%x, %v) mutates [0] : !g, !v
  wrapper.return
}

// -----

!g = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
wrapper.func @wrapper_move_host_calls_c2(%x: !g) attributes {wrapper.memory = {}} {
  // expected-error @below {{is part of a function whose memory is planned}}
  wrapper.extern_call_out "test::f"(%x) : !g
  wrapper.return
}
