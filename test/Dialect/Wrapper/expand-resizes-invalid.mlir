// RUN: coil-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(wrapper.func(wrapper-expand-resizes))'

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!l = !wrapper.buffer<[8], f32, #wrapper.device<"cpu">>
// expected-error@+1 {{memory of function 'wrapper_expand_resizes_c1' is planned already}}
wrapper.func @wrapper_expand_resizes_c1(%x: !b) -> !l attributes {wrapper.memory = {}} {
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  %1 = wrapper.resize_storage %0 : !b to !l
  wrapper.return %1 : !l
}

// -----

// Tensors of the caller are not expanded, so this is no matter of the plan.
!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!l = !wrapper.buffer<[8], f32, #wrapper.device<"cpu">>
wrapper.func @callers(%x: !b) attributes {wrapper.memory = {}} {
  %0 = wrapper.resize_storage %x : !b to !l
  wrapper.return
}
