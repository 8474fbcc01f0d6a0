// RUN: coil-opt %s --split-input-file --verify-diagnostics

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @drop_c1_own() {
  %0 = wrapper.alloc : !b
  // expected-error@+1 {{releases what is neither an object nor an argument of a public function}}
  wrapper.drop %0 : !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func private @drop_c1_private(%x: !b) {
  // expected-error@+1 {{releases what is neither an object nor an argument of a public function}}
  wrapper.drop %x : !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @drop_c1_destination(%x: !b {wrapper.destination}) {
  // expected-error@+1 {{releases what is neither an object nor an argument of a public function}}
  wrapper.drop %x : !b
  wrapper.return
}

// -----

wrapper.func @comment_c1() {
  // expected-error@+1 {{comment has a name that is empty or has a line feed}}
  wrapper.comment "two\0Alines"
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @profile_range_c1_type() -> !b {
  // expected-note@+1 {{the results are here}}
  %r = wrapper.profile_range "r" -> (!b) {
    %0 = wrapper.alloc : !wrapper.buffer<[5], f32, #wrapper.device<"cpu">>
    // expected-error@+1 {{operand types differ from the results' types}}
    wrapper.yield %0 : !wrapper.buffer<[5], f32, #wrapper.device<"cpu">>
  }
  wrapper.return %r : !b
}

// -----

wrapper.func @profile_range_c1_arguments() {
  // expected-error@+1 {{expected a region without arguments that ends in 'wrapper.yield' without symbols}}
  wrapper.profile_range "r" {
  ^bb0(%a: i1):
    wrapper.yield
  }
  wrapper.return
}

// -----

wrapper.func @profile_range_c2() {
  // expected-error@+1 {{range has a name that is empty or has a line feed}}
  wrapper.profile_range "" {
    wrapper.yield
  }
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @assert_aligned_c1(%x: !b) {
  // expected-error@+1 {{has the alignment 24, which is no power of two}}
  wrapper.assert_aligned %x to 24, "x" : !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @assert_aligned_c2(%x: !b) {
  // expected-error@+1 {{buffer has a name that is empty or has a line feed}}
  wrapper.assert_aligned %x to 16, "" : !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @hook_c1_step(%x: !b) {
  // expected-error@+1 {{step has a name that is empty or has a line feed}}
  wrapper.hook "" "x" %x : !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @hook_c1_value(%x: !b) {
  // expected-error@+1 {{value has a name that is empty or has a line feed}}
  wrapper.hook "s:0" "a\0Ab" %x : !b
  wrapper.return
}

// -----

wrapper.func @rng_state_c1() {
  // expected-error@+1 {{has a state of type '!wrapper.buffer<[3], i64, #wrapper.device<"cpu">>', expected a contiguous buffer of two 'i64'}}
  %0 = wrapper.rng_state : !wrapper.buffer<[3], i64, #wrapper.device<"cpu">>
  wrapper.return
}

// -----

wrapper.func @rng_seed_c1() {
  // expected-error@+1 {{mentions a dimension or an indirect index}}
  wrapper.rng_seed <d0>
  wrapper.return
}

// -----

wrapper.func @rng_advance_c1_none() {
  // expected-error@+1 {{expected either 'by' or 'to'}}
  wrapper.rng_advance
  wrapper.return
}

// -----

!r = !wrapper.buffer<[2], i64, #wrapper.device<"cpu">>
wrapper.func @rng_advance_c1_both(%s: !r) {
  // expected-error@+1 {{expected either 'by' or 'to'}}
  wrapper.rng_advance by <4> to %s : !r
  wrapper.return
}

// -----

wrapper.func @rng_advance_c2() {
  // expected-error@+1 {{mentions a dimension or an indirect index}}
  wrapper.rng_advance by <d0 * 4>
  wrapper.return
}

// -----

!r = !wrapper.buffer<[2], i32, #wrapper.device<"cpu">>
wrapper.func @rng_advance_c3(%s: !r) {
  // expected-error@+1 {{expected a contiguous buffer of two 'i64'}}
  wrapper.rng_advance to %s : !r
  wrapper.return
}

// -----

// expected-error@+1 {{object has the class 'Queue', expected a name of the form 'namespace::name'}}
wrapper.func private @object_c1(!wrapper.object<"Queue">)

// -----

wrapper.func @bound_object_c1() {
  // expected-error@+1 {{object has a name that is empty or has a line feed}}
  %0 = wrapper.bound_object "" : !wrapper.object<"mylib::Queue">
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @object_call_c1_none(%x: !b) {
  // expected-error@+1 {{expected an object as the first argument, and no other}}
  wrapper.object_call "push"(%x) : (!b) -> ()
  wrapper.return
}

// -----

!o = !wrapper.object<"mylib::Queue">
wrapper.func @object_call_c1_two() {
  %q = wrapper.bound_object "q" : !o
  // expected-error@+1 {{expected an object as the first argument, and no other}}
  wrapper.object_call "push"(%q, %q) : (!o, !o) -> ()
  wrapper.return
}

// -----

!o = !wrapper.object<"mylib::Queue">
wrapper.func @object_call_c1_place() {
  %q = wrapper.bound_object "q" : !o
  // expected-error@+1 {{expected an object as the first argument, and no other}}
  wrapper.object_call "push"(<1>, %q) : (!o) -> ()
  wrapper.return
}

// -----

!o = !wrapper.object<"mylib::Queue">
wrapper.func @object_call_c2() {
  %q = wrapper.bound_object "q" : !o
  // expected-error@+1 {{expected the name of a method but got 'a.b'}}
  wrapper.object_call "a.b"(%q) : (!o) -> ()
  wrapper.return
}

// -----

!o = !wrapper.object<"mylib::Queue">
wrapper.func @object_call_c3() {
  %q = wrapper.bound_object "q" : !o
  // expected-error@+1 {{has 2 arguments but 1 names for them}}
  wrapper.object_call "push"(%q, <1>) names ["self"] : (!o) -> ()
  wrapper.return
}

// -----

!o = !wrapper.object<"mylib::Queue">
!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!c = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
wrapper.func @object_call_c4(%x: !b, %y: !c) {
  %q = wrapper.bound_object "q" : !o
  // expected-error@+1 {{has buffers on}}
  wrapper.object_call "push"(%q, %x, %y) : (!o, !b, !c) -> ()
  wrapper.return
}

// -----

!o = !wrapper.object<"mylib::Queue">
wrapper.func @object_call_c5() {
  %q = wrapper.bound_object "q" : !o
  // expected-error@+1 {{'mutates' is not a list of buffers among the operands in ascending order}}
  wrapper.object_call "push"(%q) mutates [0] : (!o) -> ()
  wrapper.return
}
