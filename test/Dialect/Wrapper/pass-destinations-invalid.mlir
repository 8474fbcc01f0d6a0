// RUN: coil-opt %s --split-input-file --verify-diagnostics --wrapper-pass-destinations=array-entry

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
module @wrapper_pass_destinations_c1 {
  // expected-error@+1 {{memory of function 'main' is planned already}}
  wrapper.func @main(%x: !b) attributes {wrapper.memory = {}} {
    wrapper.return
  }
}

// -----

// expected-error@+1 {{the module has no public function 'main'}}
module @wrapper_pass_destinations_c2 {
  wrapper.func private @main() {
    wrapper.return
  }
}

// -----

!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>
!u = !wrapper.buffer<[u0], f32, #wrapper.device<"cpu">>
module @wrapper_pass_destinations_c3 {
  wrapper.func @main(%n: !i) -> !u attributes {sym.symbols = {u0 = #sym.range<0, 8>}} {
    wrapper.item "u0" = %n : !i
    %0 = wrapper.alloc : !u
    // expected-error@+1 {{result 0 has the size 'u0', and 'u0' is no symbol of an input: the caller cannot provide its memory}}
    wrapper.return %0 : !u
  }
}

// -----

!s = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
module @wrapper_pass_destinations_c4_size {
  // expected-error@+1 {{function 'main' cannot take arrays: argument 0 has the size 's0', which is not constant}}
  wrapper.func @main(%x: !s) attributes {sym.symbols = {s0 = #sym.range<0, 8>}} {
    wrapper.input_symbol "s0" = size 0 of %x : !s
    wrapper.return
  }
}

// -----

!t = !wrapper.buffer<[2, 3], strides = [1, 2], f32, #wrapper.device<"cpu">>
module @wrapper_pass_destinations_c4_strides {
  // expected-error@+1 {{function 'main' cannot take arrays: argument 0 has strides}}
  wrapper.func @main(%x: !t) {
    wrapper.return
  }
}

// -----

!g = !wrapper.buffer<[2], f32, #wrapper.device<"cuda">>
module @wrapper_pass_destinations_c4_device {
  // expected-error@+1 {{function 'main' cannot take arrays: argument 0 is on device 'cuda'}}
  wrapper.func @main(%x: !g) {
    wrapper.return
  }
}
