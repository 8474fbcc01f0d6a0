// RUN: coil-opt %s --split-input-file --verify-diagnostics

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @debug_mark_c1() {
  // (C1)
  // expected-error @below {{'wrapper.debug_mark' op step has a name that is empty or has a line feed}}
  wrapper.debug_mark before ""
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @debug_value_c1_step(%x: !b) {
  // (C1)
  // expected-error @below {{'wrapper.debug_value' op step has a name that is empty or has a line feed}}
  wrapper.debug_value print before "two\nlines" "in0" %x : !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @debug_value_c1_value(%x: !b) {
  // (C1)
  // expected-error @below {{'wrapper.debug_value' op value has a name that is empty or has a line feed}}
  wrapper.debug_value save after "relu_0:0" "" %x : !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @check_lifetime_c1_count(%x: !b) {
  // (C1)
  // expected-error @below {{'wrapper.check_lifetime' op has 0 names for 1 operands}}
  wrapper.check_lifetime exact "relu_0:0" [] (%x) : !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @check_lifetime_c1_name(%x: !b) {
  // (C1)
  // expected-error @below {{'wrapper.check_lifetime' op operand has a name that is empty or has a line feed}}
  wrapper.check_lifetime exact "relu_0:0" [""] (%x) : !b
  wrapper.return
}

// -----

wrapper.func @check_lifetime_c2() {
  // (C2)
  // expected-error @below {{'wrapper.check_lifetime' op step has a name that is empty or has a line feed}}
  wrapper.check_lifetime exact "" []
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @check_lifetime_c3() {
  %p = wrapper.pool <64> : !wrapper.pool<#wrapper.device<"cpu">>
  %0 = wrapper.pool_alloc %p at <0> : !wrapper.pool<#wrapper.device<"cpu">> to !b
  // (C3)
  // expected-error @below {{'wrapper.check_lifetime' op checks a buffer that was carved from a pool}}
  wrapper.check_lifetime exact "relu_0:0" ["b0"] (%0) : !b
  wrapper.pool_release %0 : !b
  wrapper.pool_free %p : !wrapper.pool<#wrapper.device<"cpu">>
  wrapper.return
}

// -----

wrapper.func @debug_number_c1_none() {
  // expected-error @below {{'wrapper.debug_number' op expected either an expression or a value}}
  wrapper.debug_number before "step:0" "n"
  wrapper.return
}

// -----

wrapper.func @debug_number_c1_both() {
  %v = arith.constant 1.0 : f64
  // expected-error @below {{'wrapper.debug_number' op expected either an expression or a value}}
  wrapper.debug_number before "step:0" "n" = <3> of %v : f64
  wrapper.return
}

// -----

wrapper.func @debug_number_c2() {
  // expected-error @below {{'wrapper.debug_number' op expression 'd0' mentions a dimension or an indirect index}}
  wrapper.debug_number before "step:0" "n" = <d0>
  wrapper.return
}

// -----

wrapper.func @debug_number_c3_step() {
  // expected-error @below {{'wrapper.debug_number' op step has a name that is empty or has a line feed}}
  wrapper.debug_number before "" "n" = <3>
  wrapper.return
}

// -----

wrapper.func @debug_number_c3_name() {
  // expected-error @below {{'wrapper.debug_number' op number has a name that is empty or has a line feed}}
  wrapper.debug_number before "step:0" "a\nb" = <3>
  wrapper.return
}
