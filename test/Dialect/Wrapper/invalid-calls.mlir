// RUN: coil-opt %s --split-input-file --verify-diagnostics
// Calls of host functions: one case for each constraint.

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func @main(%x: !b) {
  // (C1)
  // expected-error@+1 {{expected a name of the form 'namespace::name' but got 'foo'}}
  wrapper.extern_call "foo"(%x) : (!b) -> ()
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func @main(%x: !b) {
  // (C2)
  // expected-error@+1 {{has 1 operands but 0 places for them}}
  "wrapper.extern_call"(%x) <{callee = "a::b", arguments = []}> : (!b) -> ()
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func @main(%x: !b) {
  // (C2)
  // expected-error@+1 {{has 2 arguments but 1 names for them}}
  wrapper.extern_call "a::b"(%x, none) names ["x"] : (!b) -> ()
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func @main(%x: !b) {
  // (C2)
  // expected-error@+1 {{cannot pass 4 : i64 as an argument; integers are written <n>}}
  wrapper.extern_call "a::b"(%x, [4]) : (!b) -> ()
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func @main(%x: !b) {
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

wrapper.func @main(%x: !b, %y: !g) {
  // (C3)
  // expected-error@+1 {{has buffers on #wrapper.device<"cpu"> and on #wrapper.device<"cuda">}}
  wrapper.extern_call "a::b"(%x, %y) : (!b, !g) -> ()
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func @main(%x: !b) {
  // (C4)
  // expected-error@+1 {{'mutates' is not a list of buffers among the operands in ascending order}}
  wrapper.extern_call "a::b"(%x) mutates [1] : (!b) -> ()
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func @main(%x: !b) -> !b {
  %0 = wrapper.alloc : !b
  // (C5)
  // expected-error@+1 {{'in_place' is not a list of pairs of an existing operand and output}}
  wrapper.extern_call_out "a::b"(%x) outs(%0 : !b) in_place [0, 1] : !b
  wrapper.return %0 : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func @main(%x: !b) -> !b {
  %0 = wrapper.alloc : !b
  // (C1)
  // expected-error@+1 {{expected a name of the form 'namespace::name' but got 'a::'}}
  wrapper.extern_call_out "a::"(%x) outs(%0 : !b) : !b
  wrapper.return %0 : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i64, #wrapper.device<"cpu">>

wrapper.func @main(%x: !b, %i: !i) {
  // (C1)
  // expected-error@+1 {{expected either a source or a value}}
  wrapper.scatter_fallback %x dim 0 at %i reduce sum : !b, !i
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i64, #wrapper.device<"cpu">>

wrapper.func @main(%x: !b, %i: !i) {
  // (C2)
  // expected-error@+1 {{expected operands of one rank, and a dimension inside it}}
  wrapper.scatter_fallback %x dim 1 at %i value 1.0 reduce sum : !b, !i
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i64, #wrapper.device<"cpu">>

wrapper.func @main(%x: !b, %i: !i) {
  // (C3)
  // expected-error@+1 {{expected a source of the target's element type and an index of 'i32' or 'i64'}}
  wrapper.scatter_fallback %x dim 0 at %x value 1.0 reduce sum : !b, !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i64, #wrapper.device<"cuda">>

wrapper.func @main(%x: !b, %i: !i) {
  // (C4)
  // expected-error@+1 {{has buffers on #wrapper.device<"cpu"> and on #wrapper.device<"cuda">}}
  wrapper.scatter_fallback %x dim 0 at %i value 1.0 reduce sum : !b, !i
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i64, #wrapper.device<"cpu">>

wrapper.func @main(%x: !b, %i: !i) {
  // (C1)
  // expected-error@+1 {{expected buffers and 'none' as indices}}
  wrapper.index_put_fallback %x(<1>) values %x : !b, !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i64, #wrapper.device<"cpu">>

wrapper.func @main(%x: !b, %i: !i) {
  // (C1)
  // expected-error@+1 {{has 1 indices but 0 places for them}}
  "wrapper.index_put_fallback"(%x, %i, %x) <{places = []}> : (!b, !i, !b) -> ()
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i64, #wrapper.device<"cpu">>

wrapper.func @main(%x: !b, %i: !i) {
  // (C2)
  // expected-error@+1 {{has 2 indices for a target of rank 1}}
  wrapper.index_put_fallback %x(%i, none) values %x : !b, !b, !i
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i64, #wrapper.device<"cpu">>

wrapper.func @main(%x: !b, %i: !i) {
  // (C3)
  // expected-error@+1 {{expected values of the target's element type and indices of 'i32', 'i64', 'i1' or 'ui8'}}
  wrapper.index_put_fallback %x(%i) values %i : !b, !i, !i
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i64, #wrapper.device<"cuda">>

wrapper.func @main(%x: !b, %i: !i) {
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
