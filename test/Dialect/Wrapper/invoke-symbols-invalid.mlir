// RUN: coil-opt %s --split-input-file --verify-diagnostics

// The callee's symbols have no values unless the call passes them.

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
// expected-note@+1 {{function defined here}}
wrapper.func private @part(%x: !b) -> !b {
  wrapper.param_symbols ["s0"]
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  wrapper.return %0 : !b
}
wrapper.func @invoke_c1_symbols(%x: !b) -> !b {
  // expected-error@+1 {{'wrapper.invoke' op 'part' takes symbols, which only 'wrapper.partition_call' passes}}
  %0 = wrapper.invoke @part(%x) : (!b) -> !b
  wrapper.return %0 : !b
}
