// RUN: coil-opt %s --split-input-file --verify-diagnostics

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @partition_c1_symbols(%x: !b) {
  // expected-error@+1 {{expected a region without arguments that ends in 'wrapper.yield' without symbols}}
  wrapper.partition #wrapper.device<"cpu"> {
    wrapper.yield symbols [4]
  }
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!c = !wrapper.buffer<[5], f32, #wrapper.device<"cpu">>
wrapper.func @partition_c1_types() {
  // expected-note@+1 {{the results are here}}
  %0 = wrapper.partition #wrapper.device<"cpu"> -> (!b) {
    %1 = wrapper.alloc : !c
    // expected-error@+1 {{operand types differ from the results' types}}
    wrapper.yield %1 : !c
  }
  wrapper.free %0 : !b
  wrapper.return
}

// -----

!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>
wrapper.func @partition_c2_host(%x: !i) {
  // expected-note@+1 {{the partition is here}}
  wrapper.partition #wrapper.device<"cpu"> {
    // expected-error@+1 {{is not part of a graph}}
    wrapper.item "u0" = %x : !i
    wrapper.yield
  }
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @partition_c2_device(%x: !b) {
  wrapper.partition #wrapper.device<"cuda"> {
    // expected-error@+1 {{works on '!wrapper.buffer<[4], f32, #wrapper.device<"cpu">>' in a partition of #wrapper.device<"cuda">}}
    wrapper.copy %x to %x : !b
    wrapper.yield
  }
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @device_scope_c1(%x: !b) {
  // expected-error@+1 {{expected a region without arguments}}
  wrapper.device_scope #wrapper.device<"cpu"> {
  ^bb0(%y: !b):
    wrapper.yield
  }
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @device_scope_c1_types() {
  // expected-note @below {{the results are here}}
  %0 = wrapper.device_scope #wrapper.device<"cpu"> -> (!b) {
    %1 = wrapper.alloc : !wrapper.buffer<[5], f32, #wrapper.device<"cpu">>
    // expected-error @below {{'wrapper.yield' op operand types differ from the results' types}}
    wrapper.yield %1 : !wrapper.buffer<[5], f32, #wrapper.device<"cpu">>
  }
  wrapper.free %0 : !b
  wrapper.return
}

// -----

wrapper.func @device_scope_c2() {
  wrapper.device_scope #wrapper.device<"cpu"> {
    // expected-error@+1 {{expected to be in the block of a function}}
    wrapper.device_scope #wrapper.device<"cpu"> {
      wrapper.yield
    }
    wrapper.yield
  }
  wrapper.return
}

// -----

!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>
wrapper.func @device_scope_c2_branch(%p: !p) {
  wrapper.if %p : !p {
    // expected-error @below {{'wrapper.device_scope' op expected to be in the block of a function}}
    wrapper.device_scope #wrapper.device<"cpu"> {
      wrapper.yield
    }
    wrapper.yield
  } else {
    wrapper.yield
  }
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
// expected-note@+1 {{function defined here}}
wrapper.func @public(%x: !b) {
  wrapper.return
}
wrapper.func @partition_call_c1(%x: !b) {
  // expected-error@+1 {{'public' is not a private function with a body}}
  wrapper.partition_call @public(%x) : (!b) -> ()
  wrapper.return
}

// -----

!b = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
// expected-note@+1 {{function defined here}}
wrapper.func private @part(%x: !b) {
  wrapper.param_symbols ["s0"]
  wrapper.return
}
wrapper.func @partition_call_c2(%x: !b) {
  wrapper.input_symbol "s0" = size 0 of %x : !b
  // expected-error@+1 {{passes 0 symbols but the function binds 1}}
  wrapper.partition_call @part(%x) : (!b) -> ()
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func private @part(%x: !b) {
  wrapper.param_symbols ["s0"]
  wrapper.return
}
wrapper.func @partition_call_c2_dim(%x: !b) {
  // expected-error@+1 {{expression 'd0' mentions a dimension or an indirect index}}
  wrapper.partition_call @part(%x) symbols [d0] : (!b) -> ()
  wrapper.return
}

// -----

!b = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
// expected-note@+1 {{function defined here}}
wrapper.func private @part(%x: !b) {
  wrapper.param_symbols ["s0"]
  wrapper.return
}
wrapper.func @partition_call_c3(%x: !b) {
  wrapper.input_symbol "s0" = size 0 of %x : !b
  // expected-error@+1 {{operand 0 has type '!wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>', but the function has '!wrapper.buffer<[s0 * 2], f32, #wrapper.device<"cpu">>'}}
  wrapper.partition_call @part(%x) symbols [s0 * 2] : (!b) -> ()
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
// expected-note@+1 {{function defined here}}
wrapper.func private @part(%x: !b) {
  wrapper.return
}
wrapper.func @partition_call_c3_count(%x: !b) {
  // expected-error@+1 {{has 2 operands but the function has 1}}
  wrapper.partition_call @part(%x, %x) : (!b, !b) -> ()
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
// expected-note@+1 {{function defined here}}
wrapper.func private @part(%x: !b {wrapper.consumed}) {
  wrapper.free %x : !b
  wrapper.return
}
wrapper.func @partition_call_c4() {
  %0 = wrapper.alloc : !b
  // expected-error@+1 {{keeps operand 0, which the function consumes}}
  wrapper.partition_call @part(%0) : (!b) -> ()
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func private @part(%x: !b) {
  wrapper.return
}
wrapper.func @partition_call_c4_number(%x: !b) {
  // expected-error@+1 {{consumes operand 3, which does not exist}}
  wrapper.partition_call @part(%x) consumes [3] : (!b) -> ()
  wrapper.return
}

// -----

wrapper.func @param_symbols_c1() {
  // expected-error@+1 {{expected to be the first op of a private function}}
  wrapper.param_symbols ["s0"]
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func private @param_symbols_c1_late() {
  %0 = wrapper.alloc : !b
  // expected-error@+1 {{expected to be the first op of a private function}}
  wrapper.param_symbols ["s0"]
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
// expected-note@+1 {{function defined here}}
wrapper.func private @part(%x: !b {wrapper.updated}) {
  wrapper.fill %x bytes 0 : !b
  wrapper.return
}
wrapper.func @partition_call_c5(%x: !b {wrapper.updated}) -> !b {
  // expected-error@+1 {{keeps operand 0, which the function updates}}
  wrapper.partition_call @part(%x) : (!b) -> ()
  wrapper.return %x : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
// expected-note@+1 {{function defined here}}
wrapper.func private @part(%x: !b) {
  wrapper.return
}
wrapper.func @partition_call_c5_callee(%x: !b {wrapper.updated}) -> !b {
  // expected-error@+1 {{updates operand 0, which the function does not update}}
  wrapper.partition_call @part(%x) {arg_attrs = [{wrapper.updated}]} : (!b) -> ()
  wrapper.return %x : !b
}
