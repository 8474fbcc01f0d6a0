// RUN: coil-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(wrapper.func(wrapper-expand-workspaces))'

!t = !wrapper.buffer<[2, 3], strides = [1, 2], i32, #wrapper.device<"cpu">>
wrapper.func @workspace_c1() {
  // expected-error@+1 {{expected a contiguous buffer}}
  %0 = wrapper.workspace on_call : !t
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], i32, #wrapper.device<"cpu">>
wrapper.func @workspace_c2_no_name() {
  // expected-error@+1 {{is shared, but has no name}}
  %0 = wrapper.workspace per_graph : !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], i32, #wrapper.device<"cpu">>
wrapper.func @workspace_c2_name() {
  // expected-error@+1 {{has a name, but is not shared}}
  %0 = wrapper.workspace on_call "counters" : !b
  wrapper.return
}

// -----

!t = !wrapper.buffer<[2, 3], strides = [1, 2], i32, #wrapper.device<"cpu">>
wrapper.func @fill_c1() {
  %0 = wrapper.alloc : !t
  // expected-error@+1 {{expected a contiguous buffer}}
  wrapper.fill %0 bytes 0 : !t
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], i32, #wrapper.device<"cpu">>
wrapper.func @fill_c2() {
  %0 = wrapper.alloc : !b
  // expected-error@+1 {{a byte cannot be 256}}
  wrapper.fill %0 bytes 256 : !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], i32, #wrapper.device<"cpu">>
!c = !wrapper.buffer<[5], i32, #wrapper.device<"cpu">>
wrapper.func @wrapper_expand_workspaces_c1() {
  // expected-note@+1 {{and '!wrapper.buffer<[4], i32, #wrapper.device<"cpu">>' here}}
  %0 = wrapper.workspace per_graph "counters" : !b
  // expected-error@+1 {{'counters' has the type '!wrapper.buffer<[5], i32, #wrapper.device<"cpu">>' here}}
  %1 = wrapper.workspace per_graph "counters" : !c
  wrapper.return
}

// -----

!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>
!b = !wrapper.buffer<[n], i32, #wrapper.device<"cpu">>
wrapper.func @wrapper_expand_workspaces_c2(%i: !i) attributes {sym.symbols = {n = #sym.range<0, 8>, k = #sym.range<0, 8>}} {
  wrapper.while symbols ["k"] from [0] {
    %p = wrapper.compare <k> lt <4>
    wrapper.condition %p
  } do {
    wrapper.item "n" = %i : !i
    // expected-error@+1 {{'counters' is shared, but its size mentions 'n', which a region binds}}
    %0 = wrapper.workspace per_graph "counters" : !b
    wrapper.yield symbols [k + 1]
  }
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], i32, #wrapper.device<"cpu">>
// expected-error@+1 {{memory of function 'wrapper_expand_workspaces_c3' is planned already}}
wrapper.func @wrapper_expand_workspaces_c3() attributes {wrapper.memory = {}} {
  %0 = wrapper.workspace on_call : !b
  wrapper.return
}
