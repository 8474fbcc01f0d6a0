// RUN: coil-opt %s --split-input-file --verify-diagnostics --wrapper-verify-memory

// What a map shows has to be alive when a kernel takes the map.

!b = !wrapper.buffer<[8, 32], f32, #wrapper.device<"cuda">>
wrapper.grid @g[] cases [#wrapper.grid_case<{}, <[1, 1, 1]>>]
wrapper.kernel @k() attributes {ptx = "", parameters = [#wrapper.param<"x", update, !wrapper.tma_descriptor>]} {}
wrapper.func @wrapper_verify_memory_c1_map(%x: !b) {
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  %d = wrapper.tma_descriptor %0 box [8, 32] : !b
  // expected-note@+1 {{freed here}}
  wrapper.free %0 : !b
  // expected-error@+1 {{uses a buffer after it was freed}}
  wrapper.launch_user @k grid @g[] config {} arguments [unit] updates(%0 : !b) maps(%d)
  wrapper.return
}

// -----

!b = !wrapper.buffer<[8, 32], f32, #wrapper.device<"cuda">>
wrapper.grid @g[] cases [#wrapper.grid_case<{}, <[1, 1, 1]>>]
wrapper.kernel @k() attributes {ptx = "", parameters = [#wrapper.param<"x", update, !wrapper.tma_descriptor>]} {}
wrapper.func @wrapper_verify_memory_c1_map_handed_over(%x: !b) {
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  %d = wrapper.tma_descriptor %0 box [8, 32] : !b
  // expected-note@+1 {{given away here}}
  %1 = wrapper.reuse %0 : !b to !b
  wrapper.copy %x to %1 : !b
  // expected-error@+1 {{uses a buffer after its storage was given away}}
  wrapper.launch_user @k grid @g[] config {} arguments [unit] updates(%0 : !b) maps(%d)
  wrapper.free %1 : !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[8, 32], f32, #wrapper.device<"cuda">>
wrapper.func @wrapper_verify_memory_c1_map_made_late(%x: !b) {
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  // expected-note@+1 {{freed here}}
  wrapper.free %0 : !b
  // expected-error@+1 {{uses a buffer after it was freed}}
  %d = wrapper.tma_descriptor %0 box [8, 32] : !b
  wrapper.return
}
