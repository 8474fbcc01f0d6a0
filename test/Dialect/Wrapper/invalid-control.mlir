// RUN: coil-opt %s --split-input-file --verify-diagnostics

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func @if_c1(%p: !b) {
  // expected-error@+1 {{expected a predicate of one element of type 'i1' but got}}
  wrapper.if %p : !b {
    wrapper.yield
  } else {
    wrapper.yield
  }
  wrapper.return
}

// -----

!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>

wrapper.func @if_c2(%p: !p) {
  wrapper.if %p : !p defines ["n"] {
    // expected-error@+1 {{gives 0 symbols but the op binds 1}}
    wrapper.yield
  } else {
    wrapper.yield symbols [3]
  }
  wrapper.return
}

// -----

!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>
!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func @if_c3(%p: !p, %x: !b) {
  %r = wrapper.if %p : !p defines ["n"] -> (!wrapper.buffer<[n], f32, #wrapper.device<"cpu">>) {
    %0 = wrapper.alloc : !b
    // expected-error@+1 {{value 0 has type '!wrapper.buffer<[4], f32, #wrapper.device<"cpu">>', expected '!wrapper.buffer<[3], f32, #wrapper.device<"cpu">>'}}
    wrapper.yield %0 : !b symbols [3]
  } else {
    %0 = wrapper.alloc : !b
    wrapper.yield %0 : !b symbols [4]
  }
  wrapper.return
}

// -----

!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>
!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func @if_c3_edge(%p: !p, %x: !b) {
  // expected-error@+1 {{along control flow edge}}
  %r = wrapper.if %p : !p -> (i1) {
    %0 = wrapper.alloc : !b
    // expected-note@+1 {{region branch point}}
    wrapper.yield %0 : !b
  } else {
    %0 = wrapper.alloc : !b
    wrapper.yield %0 : !b
  }
  wrapper.return
}

// -----

!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>

wrapper.func @if_c4(%p: !p) {
  // expected-error@+1 {{expected region 1 without arguments}}
  wrapper.if %p : !p {
    wrapper.yield
  } else {
  ^bb0(%a: i1):
    wrapper.yield
  }
  wrapper.return
}

// -----

!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>

wrapper.func @if_c4_terminator(%p: !p) {
  // expected-error@+1 {{expected region 0 to end in 'wrapper.yield'}}
  wrapper.if %p : !p {
    llvm.unreachable
  } else {
    wrapper.yield
  }
  wrapper.return
}

// -----

wrapper.func @while_c1() {
  // expected-error@+1 {{has 1 symbols but 2 first values}}
  wrapper.while symbols ["i"] from [0, 1] {
    %f = arith.constant false
    wrapper.condition %f
  } do {
    wrapper.yield symbols [i]
  }
  wrapper.return
}

// -----

wrapper.func @while_c1_expression() {
  // expected-error@+1 {{expression 'd0' mentions a dimension or an indirect index}}
  wrapper.while symbols ["i"] from [d0] {
    %f = arith.constant false
    wrapper.condition %f
  } do {
    wrapper.yield symbols [i]
  }
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func @while_c2() {
  %0 = wrapper.alloc : !b
  // expected-error@+1 {{expected region 1 with arguments of the results' types}}
  %r = wrapper.while %0 : !b symbols ["i"] from [4] -> (!b) {
  ^bb0(%a: !b):
    %f = arith.constant false
    wrapper.condition %f pass %a : !b
  } do {
  ^bb0(%a: !wrapper.buffer<[i], f32, #wrapper.device<"cpu">>):
    wrapper.yield %a : !wrapper.buffer<[i], f32, #wrapper.device<"cpu">> symbols [i]
  }
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!w = !wrapper.buffer<[i], f32, #wrapper.device<"cpu">>

wrapper.func @while_c3() {
  %0 = wrapper.alloc : !b
  // expected-error@+1 {{value 0 has type '!wrapper.buffer<[4], f32, #wrapper.device<"cpu">>', expected '!wrapper.buffer<[3], f32, #wrapper.device<"cpu">>'}}
  %r = wrapper.while %0 : !b symbols ["i"] from [3] -> (!w) {
  ^bb0(%a: !w):
    %f = arith.constant false
    wrapper.condition %f pass %a : !w
  } do {
  ^bb0(%a: !w):
    wrapper.yield %a : !w symbols [i]
  }
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!w = !wrapper.buffer<[i], f32, #wrapper.device<"cpu">>

wrapper.func @while_c3_condition() {
  %0 = wrapper.alloc : !b
  %r = wrapper.while %0 : !b symbols ["i"] from [4] -> (!w) {
  ^bb0(%a: !w):
    %f = arith.constant false
    %1 = wrapper.reinterpret %a at <0> : !w to !b
    // expected-error@+1 {{value 0 has type '!wrapper.buffer<[4], f32, #wrapper.device<"cpu">>', expected '!wrapper.buffer<[i], f32, #wrapper.device<"cpu">>'}}
    wrapper.condition %f pass %1 : !b
  } do {
  ^bb0(%a: !w):
    wrapper.yield %a : !w symbols [i]
  }
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!w = !wrapper.buffer<[i], f32, #wrapper.device<"cpu">>

wrapper.func @while_c3_yield() {
  %0 = wrapper.alloc : !b
  %r = wrapper.while %0 : !b symbols ["i"] from [4] -> (!w) {
  ^bb0(%a: !w):
    %f = arith.constant false
    wrapper.condition %f pass %a : !w
  } do {
  ^bb0(%a: !w):
    // expected-error@+1 {{value 0 has type '!wrapper.buffer<[i], f32, #wrapper.device<"cpu">>', expected '!wrapper.buffer<[i + 1], f32, #wrapper.device<"cpu">>'}}
    wrapper.yield %a : !w symbols [i + 1]
  }
  wrapper.return
}

// -----

wrapper.func @while_c4() {
  // expected-error@+1 {{expected region 0 to end in 'wrapper.condition'}}
  wrapper.while {
    wrapper.yield
  } do {
    wrapper.yield
  }
  wrapper.return
}

// -----

wrapper.func @while_c4_body() {
  // expected-error@+1 {{expected region 1 to end in 'wrapper.yield'}}
  wrapper.while {
    %f = arith.constant false
    wrapper.condition %f
  } do {
    %f = arith.constant false
    wrapper.condition %f
  }
  wrapper.return
}

// -----

wrapper.func @while_c4_symbols() {
  wrapper.while symbols ["i"] from [0] {
    %f = arith.constant false
    wrapper.condition %f
  } do {
    // expected-error@+1 {{gives 2 symbols but the op binds 1}}
    wrapper.yield symbols [i, i]
  }
  wrapper.return
}

// -----

!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>

wrapper.func @yield_c1(%p: !p) {
  %t = arith.constant dense<1.0> : tensor<2xf32>
  wrapper.if %p : !p {
    // expected-error@+1 {{cannot yield a value of type 'tensor<2xf32>'}}
    wrapper.yield %t : tensor<2xf32>
  } else {
    wrapper.yield
  }
  wrapper.return
}

// -----

wrapper.kernel @yield_c1_kernel() attributes {input_strides = [], output_strides = [], symbols = []} {
  %f = arith.constant false
  // expected-error@+1 {{expected tensors but got 'i1'}}
  wrapper.yield %f : i1
}

// -----

wrapper.kernel @yield_c1_symbols() attributes {input_strides = [], output_strides = [], symbols = []} {
  // expected-error@+1 {{a kernel binds no symbols}}
  wrapper.yield symbols [4]
}

// -----

!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>

wrapper.func @yield_c2(%p: !p) {
  wrapper.if %p : !p defines ["n"] {
    // expected-error@+1 {{expression 'd0' mentions a dimension or an indirect index}}
    wrapper.yield symbols [d0]
  } else {
    wrapper.yield symbols [1]
  }
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

// expected-note@+1 {{function defined here}}
wrapper.func @public(%x: !b) {
  wrapper.return
}
wrapper.func @invoke_c1(%x: !b) {
  // expected-error@+1 {{'public' is not a private function}}
  wrapper.invoke @public(%x) : (!b) -> ()
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func @invoke_c1_missing(%x: !b) {
  // expected-error@+1 {{'missing' is not a private function}}
  wrapper.invoke @missing(%x) : (!b) -> ()
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

// expected-note@+1 {{function defined here}}
wrapper.func private @callee(%x: !b) {
  wrapper.return
}
wrapper.func @invoke_c2(%x: !b) {
  // expected-error@+1 {{has 2 operands but the function has 1}}
  wrapper.invoke @callee(%x, %x) : (!b, !b) -> ()
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

// expected-note@+1 {{function defined here}}
wrapper.func private @callee(%x: !b) {
  wrapper.return
}
wrapper.func @invoke_c3(%x: !wrapper.buffer<[4], f64, #wrapper.device<"cpu">>) {
  // expected-error@+1 {{operand 0 has type '!wrapper.buffer<[4], f64, #wrapper.device<"cpu">>', but the function has '!wrapper.buffer<[4], f32, #wrapper.device<"cpu">>'}}
  wrapper.invoke @callee(%x) : (!wrapper.buffer<[4], f64, #wrapper.device<"cpu">>) -> ()
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

// expected-note@+1 {{function defined here}}
wrapper.func private @callee(%x: !b) {
  wrapper.return
}
wrapper.func @invoke_c4() {
  %0 = wrapper.alloc : !b
  // expected-error@+1 {{consumes operand 0, which the function does not consume}}
  wrapper.invoke @callee(%0) consumes [0] : (!b) -> ()
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

// expected-note@+1 {{function defined here}}
wrapper.func private @callee(%x: !b {wrapper.consumed}) {
  wrapper.free %x : !b
  wrapper.return
}
wrapper.func @invoke_c4_kept() {
  %0 = wrapper.alloc : !b
  // expected-error@+1 {{keeps operand 0, which the function consumes}}
  wrapper.invoke @callee(%0) : (!b) -> ()
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func private @callee(%x: !b) {
  wrapper.return
}
wrapper.func @invoke_c4_number(%x: !b) {
  // expected-error@+1 {{consumes operand 1, which does not exist}}
  wrapper.invoke @callee(%x) consumes [1] : (!b) -> ()
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func @item_c1(%x: !b) {
  // expected-error@+1 {{expected one element but got '!wrapper.buffer<[4], f32, #wrapper.device<"cpu">>'}}
  %v = wrapper.item %x : !b -> f64
  wrapper.return
}

// -----

!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>

wrapper.func @item_c2(%x: !i) {
  // expected-error@+1 {{expected either a symbol or a result}}
  wrapper.item %x : !i
  wrapper.return
}

// -----

!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>

wrapper.func @item_c3(%x: !i) {
  // expected-error@+1 {{cannot read an element of type 'i64' as 'f64'}}
  %v = wrapper.item %x : !i -> f64
  wrapper.return
}

// -----

!f = !wrapper.buffer<[], f32, #wrapper.device<"cpu">>
wrapper.func @item_c3_symbol(%x: !f) {
  // expected-error@+1 {{cannot read an element of type 'f32' as a symbol}}
  wrapper.item "n" = %x : !f
  wrapper.return
}

// -----

!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>

wrapper.func @item_c4(%x: !p) {
  // expected-error@+1 {{only a symbol from an integer is divided}}
  wrapper.item "n" = %x divide_by 2 : !p
  wrapper.return
}

// -----

!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>

wrapper.func @item_c4_divisor(%x: !i) {
  // expected-error@+1 {{cannot divide by 0}}
  wrapper.item "n" = %x divide_by 0 : !i
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func @bind_symbol_c1(%x: !b) {
  // expected-error@+1 {{expected the result of a call}}
  wrapper.bind_symbol "n" = [#wrapper.key<size, 0>] of %x : !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func private @callee() -> !b {
  %0 = wrapper.alloc : !b
  wrapper.return %0 : !b
}

wrapper.func @bind_symbol_c2() {
  %r = wrapper.invoke @callee() : () -> !b
  // expected-error@+1 {{expected a path that begins with a size or a stride}}
  wrapper.bind_symbol "n" = [#wrapper.key<divide_by, 2>] of %r : !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func private @callee() -> !b {
  %0 = wrapper.alloc : !b
  wrapper.return %0 : !b
}

wrapper.func @bind_symbol_c2_dimension() {
  %r = wrapper.invoke @callee() : () -> !b
  // expected-error@+1 {{dimension 1 does not exist in a buffer of rank 1}}
  wrapper.bind_symbol "n" = [#wrapper.key<stride, 1>] of %r : !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func private @callee() -> !b {
  %0 = wrapper.alloc : !b
  wrapper.return %0 : !b
}

wrapper.func @bind_symbol_c3() {
  %r = wrapper.invoke @callee() : () -> !b
  // expected-error@+1 {{expected a division by a positive number but got #wrapper.key<divide_by, 0>}}
  wrapper.bind_symbol "n" = [#wrapper.key<size, 0>, #wrapper.key<divide_by, 0>] of %r : !b
  wrapper.return
}

// -----

wrapper.func @compare_c1() {
  // expected-error@+1 {{expression 'd0' mentions a dimension or an indirect index}}
  %p = wrapper.compare <d0> lt <4>
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

// expected-error@+1 {{consumes argument 0, but it is not private}}
wrapper.func @func_c3(%x: !b {wrapper.consumed}) {
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>

// expected-error@+1 {{argument 0 has the alignment 12 : i64, which is not a power of two from 1 to 16}}
wrapper.func @func_c5(%x: !b {coil.alignment = 12 : i64}) {
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>

// expected-error@+1 {{argument 0 has the alignment "4", which is not a power of two from 1 to 16}}
wrapper.func @func_c5_type(%x: !b {coil.alignment = "4"}) {
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>

// expected-error@+1 {{argument 0 is written, but has an alignment of its own}}
wrapper.func @func_c5_written(%x: !b {coil.alignment = 4 : i64, wrapper.destination}) {
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

// expected-error@+1 {{argument 0 is written, but has an alignment of its own}}
wrapper.func @func_c5_updated(%x: !b {coil.alignment = 4 : i64, wrapper.updated}) -> !b {
  wrapper.return %x : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

// expected-error@+1 {{updates argument 0, which is a destination, too}}
wrapper.func @func_c6_destination(%x: !b {wrapper.destination, wrapper.updated}) {
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

// expected-error@+1 {{updates argument 0, which is consumed, too}}
wrapper.func private @func_c6_consumed(%x: !b {wrapper.consumed, wrapper.updated}) {
  wrapper.free %x : !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

// expected-error@+1 {{argument 0 is a destination, but it is not public}}
wrapper.func private @func_c4(%x: !b {wrapper.destination}) {
  wrapper.return
}

// -----

!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>

wrapper.func @func_c2_region(%p: !p) {
  wrapper.if %p : !p {
    wrapper.sym_expr "n" = <2>
    wrapper.yield
  } else {
    wrapper.yield
  }
  // expected-error@+1 {{mentions symbol 'n', which nothing has bound before}}
  %0 = wrapper.alloc : !wrapper.buffer<[n], f32, #wrapper.device<"cpu">>
  wrapper.return
}

// -----

!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>

wrapper.func @func_c2_other_region(%p: !p) {
  wrapper.if %p : !p {
    wrapper.sym_expr "n" = <2>
    wrapper.yield
  } else {
    // expected-error@+1 {{mentions symbol 'n', which nothing has bound before}}
    wrapper.sym_expr "m" = <n>
    wrapper.yield
  }
  wrapper.return
}

// -----

!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>

wrapper.func @func_c2_shadow(%p: !p) {
  wrapper.sym_expr "n" = <2>
  wrapper.if %p : !p {
    // expected-error@+1 {{binds symbol 'n' again}}
    wrapper.sym_expr "n" = <3>
    wrapper.yield
  } else {
    wrapper.yield
  }
  wrapper.return
}

// -----

wrapper.func @func_c2_loop() {
  // expected-error@+1 {{mentions symbol 'i', which nothing has bound before}}
  wrapper.while symbols ["i"] from [i] {
    %f = arith.constant false
    wrapper.condition %f
  } do {
    wrapper.yield symbols [i + 1]
  }
  wrapper.return
}

// -----

!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>

wrapper.func private @callee(%x: !i) -> !wrapper.buffer<[n], f32, #wrapper.device<"cpu">> {
  wrapper.item "n" = %x : !i
  %0 = wrapper.alloc : !wrapper.buffer<[n], f32, #wrapper.device<"cpu">>
  wrapper.return %0 : !wrapper.buffer<[n], f32, #wrapper.device<"cpu">>
}
wrapper.func @func_c2_call(%x: !i) {
  %r = wrapper.invoke @callee(%x) : (!i) -> !wrapper.buffer<[u], f32, #wrapper.device<"cpu">>
  // expected-error@+1 {{mentions symbol 'u', which nothing has bound before}}
  wrapper.free %r : !wrapper.buffer<[u], f32, #wrapper.device<"cpu">>
  wrapper.return
}
