// RUN: coil-opt %s --split-input-file --verify-diagnostics

!p = !wrapper.pool<#wrapper.device<"cpu">>

wrapper.func @pool_c1() {
  // expected-error@+1 {{expression 'd0' mentions a dimension or an indirect index}}
  %p = wrapper.pool <d0> : !p
  wrapper.return
}

// -----

wrapper.func @pool_c2() {
  // expected-error@+1 {{cannot have -64 bytes}}
  %p = wrapper.pool <-64> : !wrapper.pool<#wrapper.device<"cpu">>
  wrapper.return
}

// -----

!x = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
wrapper.func @pool_c3(%x: !x) attributes {sym.symbols = {s0 = #sym.range<0, 8>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !x
  // expected-error@+1 {{has 's0' bytes, which is not constant, on the stack}}
  %p = wrapper.pool stack <s0> : !wrapper.pool<#wrapper.device<"cpu">>
  wrapper.return
}

// -----

wrapper.func @pool_symbol() {
  // expected-error@+1 {{mentions symbol 's0', which nothing has bound before}}
  %p = wrapper.pool <s0> : !wrapper.pool<#wrapper.device<"cpu">>
  wrapper.return
}

// -----

!b = !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>
!p = !wrapper.pool<#wrapper.device<"cpu">>

wrapper.func @pool_alloc_c1() {
  %p = wrapper.pool <64> : !p
  // expected-error@+1 {{expression 'd0' mentions a dimension or an indirect index}}
  %0 = wrapper.pool_alloc %p at <d0> : !p to !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[2], f32, #wrapper.device<"cpu", 1>>
!p = !wrapper.pool<#wrapper.device<"cpu">>

wrapper.func @pool_alloc_c2() {
  %p = wrapper.pool <64> : !p
  // expected-error@+1 {{carves a buffer on #wrapper.device<"cpu", 1> from a pool on #wrapper.device<"cpu">}}
  %0 = wrapper.pool_alloc %p at <0> : !p to !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[2], strides = [-1], f32, #wrapper.device<"cpu">>
!p = !wrapper.pool<#wrapper.device<"cpu">>

wrapper.func @pool_alloc_c3() {
  %p = wrapper.pool <64> : !p
  // expected-error@+1 {{cannot allocate a buffer with the negative stride -1}}
  %0 = wrapper.pool_alloc %p at <0> : !p to !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>

wrapper.func @pool_release_c1() {
  %0 = wrapper.alloc : !b
  // expected-error@+1 {{operand is not carved from a pool}}
  wrapper.pool_release %0 : !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>
!p = !wrapper.pool<#wrapper.device<"cpu">>

wrapper.func @pool_release_c1_view() {
  %p = wrapper.pool <64> : !p
  %0 = wrapper.pool_alloc %p at <0> : !p to !b
  %1 = wrapper.reinterpret %0 at <0> : !b to !b
  // expected-error@+1 {{operand is not carved from a pool}}
  wrapper.pool_release %1 : !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>
!p = !wrapper.pool<#wrapper.device<"cpu">>

wrapper.func @free_c2() {
  %p = wrapper.pool <64> : !p
  %0 = wrapper.pool_alloc %p at <0> : !p to !b
  %1 = wrapper.reuse %0 : !b to !b
  // expected-error@+1 {{operand is carved from a pool; 'wrapper.pool_release' ends its life}}
  wrapper.free %1 : !b
  wrapper.return
}
