// RUN: coil-opt %s --wrapper-verify-memory --split-input-file --verify-diagnostics

!b = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
!c = !wrapper.buffer<[s1], f32, #wrapper.device<"cpu">>
!p = !wrapper.pool<#wrapper.device<"cpu">>

// What ends makes room; what lies above the larger of two is above both; a pool
// of the outside may serve a region.
wrapper.func @right(%x: !b, %y: !c, %q: !wrapper.buffer<[], i1, #wrapper.device<"cpu">>) attributes {sym.symbols = {s0 = #sym.range<1, 64>, s1 = #sym.range<0, 4096>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !b
  wrapper.input_symbol "s1" = size 0 of %y : !c
  %p = wrapper.pool <max(((s0 * 4 + 63) floordiv 64) * 64, ((s1 * 4 + 63) floordiv 64) * 64) + s0 * 64> : !p
  %0 = wrapper.pool_alloc %p at <0> : !p to !b
  wrapper.copy %x to %0 : !b
  %1 = wrapper.pool_alloc %p at <max(((s0 * 4 + 63) floordiv 64) * 64, ((s1 * 4 + 63) floordiv 64) * 64)> : !p to !b
  wrapper.copy %0 to %1 : !b
  wrapper.pool_release %0 : !b
  %2 = wrapper.pool_alloc %p at <0> : !p to !c
  wrapper.copy %y to %2 : !c
  wrapper.pool_release %2 : !c
  wrapper.if %q : !wrapper.buffer<[], i1, #wrapper.device<"cpu">> {
    %3 = wrapper.pool_alloc %p at <0> : !p to !b
    wrapper.pool_release %3 : !b
    wrapper.yield
  } else {
    wrapper.yield
  }
  wrapper.pool_release %1 : !b
  wrapper.pool_free %p : !p
  wrapper.return
}

// -----

!b = !wrapper.buffer<[16], f32, #wrapper.device<"cpu">>
!p = !wrapper.pool<#wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c1_pool(%x: !b) {
  %p = wrapper.pool <64> : !p
  // expected-note@+1 {{freed here}}
  wrapper.pool_free %p : !p
  // expected-error@+1 {{uses a pool after it was freed}}
  %0 = wrapper.pool_alloc %p at <0> : !p to !b
  wrapper.pool_release %0 : !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[16], f32, #wrapper.device<"cpu">>
!p = !wrapper.pool<#wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c1_released(%x: !b) {
  %p = wrapper.pool <64> : !p
  %0 = wrapper.pool_alloc %p at <0> : !p to !b
  // expected-note@+1 {{freed here}}
  wrapper.pool_release %0 : !b
  // expected-error@+1 {{uses a buffer after it was freed}}
  wrapper.copy %x to %0 : !b
  wrapper.pool_free %p : !p
  wrapper.return
}

// -----

!b = !wrapper.buffer<[16], f32, #wrapper.device<"cpu">>
!p = !wrapper.pool<#wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c2_pool(%x: !b) {
  %p = wrapper.pool <64> : !p
  // expected-note@+1 {{freed here}}
  wrapper.pool_free %p : !p
  // expected-error@+1 {{frees a pool twice}}
  wrapper.pool_free %p : !p
  wrapper.return
}

// -----

!b = !wrapper.buffer<[16], f32, #wrapper.device<"cpu">>
!p = !wrapper.pool<#wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c4_pool(%x: !b) {
  // expected-error@+1 {{allocates a pool that is not freed}}
  %p = wrapper.pool <64> : !p
  wrapper.return
}

// -----

!b = !wrapper.buffer<[16], f32, #wrapper.device<"cpu">>
!p = !wrapper.pool<#wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c12(%x: !b) {
  %p = wrapper.pool <64> : !p
  // expected-note@+1 {{the buffer is made here}}
  %0 = wrapper.pool_alloc %p at <0> : !p to !b
  // expected-error@+1 {{frees a pool while a buffer that was carved from it is alive}}
  wrapper.pool_free %p : !p
  wrapper.return
}

// -----

!b = !wrapper.buffer<[16], f32, #wrapper.device<"cpu">>
!p = !wrapper.pool<#wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c12_handed_over(%x: !b) {
  %p = wrapper.pool <64> : !p
  %0 = wrapper.pool_alloc %p at <0> : !p to !b
  // expected-note@+1 {{the buffer is made here}}
  %1 = wrapper.reuse %0 : !b to !b
  // expected-error@+1 {{frees a pool while a buffer that was carved from it is alive}}
  wrapper.pool_free %p : !p
  wrapper.pool_release %1 : !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[16], f32, #wrapper.device<"cpu">>
!p = !wrapper.pool<#wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c10(%x: !b) {
  %p = wrapper.pool <128> : !p
  // expected-note@+1 {{it has the bytes ['64', '128')}}
  %0 = wrapper.pool_alloc %p at <64> : !p to !b
  // expected-error@+1 {{carves the bytes ['0', '72') of a pool, but another buffer that is alive may have some of them}}
  %1 = wrapper.pool_alloc %p at <0> : !p to !wrapper.buffer<[18], f32, #wrapper.device<"cpu">>
  wrapper.pool_release %0 : !b
  wrapper.pool_release %1 : !wrapper.buffer<[18], f32, #wrapper.device<"cpu">>
  wrapper.pool_free %p : !p
  wrapper.return
}

// -----

!b = !wrapper.buffer<[16], f32, #wrapper.device<"cpu">>
!p = !wrapper.pool<#wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c10_handed_over(%x: !b) {
  %p = wrapper.pool <128> : !p
  %0 = wrapper.pool_alloc %p at <0> : !p to !b
  // expected-note@+1 {{it has the bytes ['0', '64')}}
  %1 = wrapper.reuse %0 : !b to !b
  // expected-error@+1 {{another buffer that is alive may have some of them}}
  %2 = wrapper.pool_alloc %p at <0> : !p to !b
  wrapper.pool_release %1 : !b
  wrapper.pool_release %2 : !b
  wrapper.pool_free %p : !p
  wrapper.return
}

// -----

!b = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
!p = !wrapper.pool<#wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c10_symbols(%x: !b, %y: !wrapper.buffer<[s1], f32, #wrapper.device<"cpu">>) {
  wrapper.input_symbol "s0" = size 0 of %x : !b
  wrapper.input_symbol "s1" = size 0 of %y : !wrapper.buffer<[s1], f32, #wrapper.device<"cpu">>
  %p = wrapper.pool <s0 * 64 + s1 * 64> : !p
  // expected-note@+1 {{it has the bytes ['0', 's0 * 4')}}
  %0 = wrapper.pool_alloc %p at <0> : !p to !b
  // expected-error@+1 {{carves the bytes ['s1 * 64', 's0 * 4 + s1 * 64') of a pool}}
  %1 = wrapper.pool_alloc %p at <s1 * 64> : !p to !b
  wrapper.pool_release %0 : !b
  wrapper.pool_release %1 : !b
  wrapper.pool_free %p : !p
  wrapper.return
}

// -----

!b = !wrapper.buffer<[16], f32, #wrapper.device<"cpu">>
!p = !wrapper.pool<#wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c10_region(%q: !wrapper.buffer<[], i1, #wrapper.device<"cpu">>) {
  %p = wrapper.pool <64> : !p
  // expected-note@+1 {{it has the bytes ['0', '64')}}
  %0 = wrapper.pool_alloc %p at <0> : !p to !b
  wrapper.if %q : !wrapper.buffer<[], i1, #wrapper.device<"cpu">> {
    wrapper.pool_release %0 : !b
    %1 = wrapper.pool_alloc %p at <0> : !p to !b
    wrapper.pool_release %1 : !b
    wrapper.yield
  } else {
    // expected-error@+1 {{another buffer that is alive may have some of them}}
    %1 = wrapper.pool_alloc %p at <0> : !p to !b
    wrapper.pool_release %1 : !b
    wrapper.pool_release %0 : !b
    wrapper.yield
  }
  wrapper.pool_free %p : !p
  wrapper.return
}

// -----

!b = !wrapper.buffer<[16], f32, #wrapper.device<"cpu">>
!p = !wrapper.pool<#wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c11(%x: !b) {
  %p = wrapper.pool <128> : !p
  // expected-error@+1 {{carves bytes up to '132', which may be beyond '128', the end of the pool}}
  %0 = wrapper.pool_alloc %p at <64> : !p to !wrapper.buffer<[17], f32, #wrapper.device<"cpu">>
  wrapper.pool_release %0 : !wrapper.buffer<[17], f32, #wrapper.device<"cpu">>
  wrapper.pool_free %p : !p
  wrapper.return
}

// -----

!b = !wrapper.buffer<[16], f32, #wrapper.device<"cpu">>
!p = !wrapper.pool<#wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c11_negative(%x: !b) {
  %p = wrapper.pool <128> : !p
  // expected-error@+1 {{offset '-64' may be negative}}
  %0 = wrapper.pool_alloc %p at <-64> : !p to !b
  wrapper.pool_release %0 : !b
  wrapper.pool_free %p : !p
  wrapper.return
}

// -----

!b = !wrapper.buffer<[16], f32, #wrapper.device<"cpu">>
!p = !wrapper.pool<#wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c11_alignment(%x: !b) {
  %p = wrapper.pool <128> : !p
  // expected-error@+1 {{offset '32' is not a multiple of 64, the alignment of the device}}
  %0 = wrapper.pool_alloc %p at <32> : !p to !b
  wrapper.pool_release %0 : !b
  wrapper.pool_free %p : !p
  wrapper.return
}

// -----

!b = !wrapper.buffer<[16], f32, #wrapper.device<"cpu">>
!p = !wrapper.pool<#wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c13(%x: !b) -> !b {
  %p = wrapper.pool <64> : !p
  %0 = wrapper.pool_alloc %p at <0> : !p to !b
  wrapper.copy %x to %0 : !b
  // expected-error@+1 {{returns a buffer that was carved from a pool}}
  wrapper.return %0 : !b
}

// -----

!b = !wrapper.buffer<[16], f32, #wrapper.device<"cpu">>
!p = !wrapper.pool<#wrapper.device<"cpu">>
wrapper.func @wrapper_verify_memory_c13_yields(%q: !wrapper.buffer<[], i1, #wrapper.device<"cpu">>, %x: !b) -> !b {
  %p = wrapper.pool <64> : !p
  %r = wrapper.if %q : !wrapper.buffer<[], i1, #wrapper.device<"cpu">> -> (!b) {
    %0 = wrapper.pool_alloc %p at <0> : !p to !b
    wrapper.copy %x to %0 : !b
    // expected-error@+1 {{yields a buffer that was carved from a pool}}
    wrapper.yield %0 : !b
  } else {
    %0 = wrapper.alloc : !b
    wrapper.copy %x to %0 : !b
    wrapper.yield %0 : !b
  }
  wrapper.return %r : !b
}

// -----

!b = !wrapper.buffer<[16], f32, #wrapper.device<"cpu">>
!p = !wrapper.pool<#wrapper.device<"cpu">>
wrapper.func private @callee(%x: !b {wrapper.consumed}) -> !b {
  wrapper.return %x : !b
}
wrapper.func @wrapper_verify_memory_c13_consumed(%x: !b) -> !b {
  %p = wrapper.pool <64> : !p
  %0 = wrapper.pool_alloc %p at <0> : !p to !b
  wrapper.copy %x to %0 : !b
  // expected-error@+1 {{gives away a buffer that was carved from a pool}}
  %r = wrapper.invoke @callee(%0) consumes [0] : (!b) -> !b
  wrapper.pool_free %p : !p
  wrapper.return %r : !b
}
