// RUN: coil-opt %s --split-input-file --verify-diagnostics
// Calls of host functions: one case for each constraint.

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func @extern_call_c1(%x: !b) {
  // (C1)
  // expected-error@+1 {{expected a name of the form 'namespace::name' but got 'foo'}}
  wrapper.extern_call "foo"(%x) : (!b) -> ()
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func @extern_call_c2_places(%x: !b) {
  // (C2)
  // expected-error@+1 {{has 1 operands but 0 placeholders for them}}
  "wrapper.extern_call"(%x) <{callee = "a::b", arguments = []}> : (!b) -> ()
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func @extern_call_c2_names(%x: !b) {
  // (C2)
  // expected-error@+1 {{has 2 arguments but 1 names for them}}
  wrapper.extern_call "a::b"(%x, none) names ["x"] : (!b) -> ()
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func @extern_call_c2_integer(%x: !b) {
  // (C2)
  // expected-error@+1 {{cannot pass 4 : i64 as an argument; integers are written <n>}}
  wrapper.extern_call "a::b"(%x, [4]) : (!b) -> ()
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func @extern_call_c2_dimension(%x: !b) {
  // (C2)
  // expected-error@+1 {{argument 'd0' mentions a dimension or an indirect index}}
  wrapper.extern_call "a::b"(%x, <d0>) : (!b) -> ()
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func @main(%x: !b) {
  // expected-error@+1 {{mentions symbol 's', which nothing has bound before}}
  wrapper.extern_call "a::b"(%x, <s>) : (!b) -> ()
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!g = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>

wrapper.func @extern_call_c3(%x: !b, %y: !g) {
  // (C3)
  // expected-error@+1 {{has buffers on #wrapper.device<"cpu"> and on #wrapper.device<"cuda">}}
  wrapper.extern_call "a::b"(%x, %y) : (!b, !g) -> ()
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func @extern_call_c4(%x: !b) {
  // (C4)
  // expected-error@+1 {{'mutates' is not a list of buffers among the operands in ascending order}}
  wrapper.extern_call "a::b"(%x) mutates [1] : (!b) -> ()
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func @extern_call_out_c5(%x: !b) -> !b {
  %0 = wrapper.alloc : !b
  // (C5)
  // expected-error@+1 {{'in_place' is not a list of pairs of an existing operand and output}}
  wrapper.extern_call_out "a::b"(%x) outs(%0 : !b) in_place [0, 1] : !b
  wrapper.return %0 : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func @extern_call_out_c1(%x: !b) -> !b {
  %0 = wrapper.alloc : !b
  // (C1)
  // expected-error@+1 {{expected a name of the form 'namespace::name' but got 'a::'}}
  wrapper.extern_call_out "a::"(%x) outs(%0 : !b) : !b
  wrapper.return %0 : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func @extern_call_out_c2_places(%x: !b) -> !b {
  %0 = wrapper.alloc : !b
  // expected-error @below {{'wrapper.extern_call_out' op has 1 operands but 0 placeholders for them}}
  "wrapper.extern_call_out"(%x, %0) <{callee = "a::b", arguments = [], operandSegmentSizes = array<i32: 1, 1>}> : (!b, !b) -> ()
  wrapper.return %0 : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func @extern_call_out_c2_names(%x: !b) -> !b {
  %0 = wrapper.alloc : !b
  // expected-error @below {{'wrapper.extern_call_out' op has 2 arguments but 1 names for them}}
  wrapper.extern_call_out "a::b"(%x, none) outs(%0 : !b) names ["x"] : !b
  wrapper.return %0 : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func @extern_call_out_c2_dimension(%x: !b) -> !b {
  %0 = wrapper.alloc : !b
  // expected-error @below {{'wrapper.extern_call_out' op argument 'd0' mentions a dimension or an indirect index}}
  wrapper.extern_call_out "a::b"(%x, <d0>) outs(%0 : !b) : !b
  wrapper.return %0 : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!g = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>

wrapper.func @extern_call_out_c3(%x: !b) -> !g {
  %0 = wrapper.alloc : !g
  // expected-error @below {{'wrapper.extern_call_out' op has buffers on #wrapper.device<"cpu"> and on #wrapper.device<"cuda">}}
  wrapper.extern_call_out "a::b"(%x) outs(%0 : !g) : !b
  wrapper.return %0 : !g
}

// -----

// The output is no operand.
!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func @extern_call_out_c4(%x: !b) -> !b {
  %0 = wrapper.alloc : !b
  // expected-error @below {{'wrapper.extern_call_out' op 'mutates' is not a list of buffers among the operands in ascending order}}
  wrapper.extern_call_out "a::b"(%x) outs(%0 : !b) mutates [1] : !b
  wrapper.return %0 : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i64, #wrapper.device<"cpu">>

wrapper.func @scatter_fallback_c1(%x: !b, %i: !i) {
  // (C1)
  // expected-error@+1 {{expected either a source or a value}}
  wrapper.scatter_fallback %x dim 0 at %i reduce sum : !b, !i
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i64, #wrapper.device<"cpu">>

wrapper.func @scatter_fallback_c1_both(%x: !b, %i: !i) {
  // expected-error @below {{'wrapper.scatter_fallback' op expected either a source or a value}}
  wrapper.scatter_fallback %x dim 0 at %i from %x value 1.0 reduce sum : !b, !i, !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i64, #wrapper.device<"cpu">>

wrapper.func @scatter_fallback_c2(%x: !b, %i: !i) {
  // (C2)
  // expected-error@+1 {{expected operands of one rank, and a dimension inside it}}
  wrapper.scatter_fallback %x dim 1 at %i value 1.0 reduce sum : !b, !i
  wrapper.return
}

// -----

!m = !wrapper.buffer<[4, 2], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i64, #wrapper.device<"cpu">>

wrapper.func @scatter_fallback_c2_rank(%x: !m, %i: !i) {
  // expected-error @below {{'wrapper.scatter_fallback' op expected operands of one rank, and a dimension inside it}}
  wrapper.scatter_fallback %x dim 0 at %i value 1.0 reduce sum : !m, !i
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i64, #wrapper.device<"cpu">>

wrapper.func @scatter_fallback_c3(%x: !b, %i: !i) {
  // (C3)
  // expected-error@+1 {{expected a source of the target's element type and an index of 'i32' or 'i64'}}
  wrapper.scatter_fallback %x dim 0 at %x value 1.0 reduce sum : !b, !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i64, #wrapper.device<"cpu">>

wrapper.func @scatter_fallback_c3_source(%x: !b, %i: !i) {
  // expected-error @below {{'wrapper.scatter_fallback' op expected a source of the target's element type and an index of 'i32' or 'i64'}}
  wrapper.scatter_fallback %x dim 0 at %i from %i reduce sum : !b, !i, !i
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i64, #wrapper.device<"cuda">>

wrapper.func @scatter_fallback_c4(%x: !b, %i: !i) {
  // (C4)
  // expected-error@+1 {{has buffers on #wrapper.device<"cpu"> and on #wrapper.device<"cuda">}}
  wrapper.scatter_fallback %x dim 0 at %i value 1.0 reduce sum : !b, !i
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i64, #wrapper.device<"cpu">>

wrapper.func @index_put_fallback_c1_place(%x: !b, %i: !i) {
  // (C1)
  // expected-error@+1 {{expected buffers and 'none' as indices}}
  wrapper.index_put_fallback %x(<1>) values %x : !b, !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i64, #wrapper.device<"cpu">>

wrapper.func @index_put_fallback_c1_count(%x: !b, %i: !i) {
  // (C1)
  // expected-error@+1 {{has 1 indices but 0 placeholders for them}}
  "wrapper.index_put_fallback"(%x, %i, %x) <{positions = []}> : (!b, !i, !b) -> ()
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i64, #wrapper.device<"cpu">>

wrapper.func @index_put_fallback_c2(%x: !b, %i: !i) {
  // (C2)
  // expected-error@+1 {{has 2 indices for a target of rank 1}}
  wrapper.index_put_fallback %x(%i, none) values %x : !b, !b, !i
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i64, #wrapper.device<"cpu">>

wrapper.func @index_put_fallback_c3(%x: !b, %i: !i) {
  // (C3)
  // expected-error@+1 {{expected values of the target's element type and indices of 'i32', 'i64', 'i1' or 'ui8'}}
  wrapper.index_put_fallback %x(%i) values %i : !b, !i, !i
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func @index_put_fallback_c3_index(%x: !b) {
  // expected-error @below {{'wrapper.index_put_fallback' op expected values of the target's element type and indices of 'i32', 'i64', 'i1' or 'ui8'}}
  wrapper.index_put_fallback %x(%x) values %x : !b, !b, !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i64, #wrapper.device<"cuda">>

wrapper.func @index_put_fallback_c4(%x: !b, %i: !i) {
  // (C4)
  // expected-error@+1 {{has buffers on #wrapper.device<"cpu"> and on #wrapper.device<"cuda">}}
  wrapper.index_put_fallback %x(%i) values %x : !b, !b, !i
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func @main(%x: !b) {
  // expected-error@+1 {{expected the result of a call}}
  wrapper.bind_symbol "u" = [#wrapper.key<size, 0>] of %x : !b
  wrapper.return
}
