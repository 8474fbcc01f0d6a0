// RUN: coil-opt %s | coil-opt | FileCheck %s
// RUN: coil-opt %s --mlir-print-op-generic | coil-opt | FileCheck %s

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!n = !wrapper.buffer<[n], f32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>
!f = !wrapper.buffer<[], f32, #wrapper.device<"cpu">>

// CHECK-LABEL: wrapper.func @branch
wrapper.func @branch(%p: !p, %x: !b) -> !n attributes {sym.symbols = {n = #sym.range<0, 8>}} {
  // CHECK: %[[R:.+]] = wrapper.if %{{.+}} : !wrapper.buffer<[], i1, #wrapper.device<"cpu">> defines ["n"] -> (!wrapper.buffer<[n], f32, #wrapper.device<"cpu">>) {
  %r = wrapper.if %p : !p defines ["n"] -> (!n) {
    %0 = wrapper.alloc : !b
    wrapper.copy %x to %0 : !b
    // CHECK: wrapper.yield %{{.+}} : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">> symbols [4]
    wrapper.yield %0 : !b symbols [4]
  // CHECK: } else {
  } else {
    wrapper.sym_expr "m" = <2>
    %0 = wrapper.alloc : !wrapper.buffer<[m], f32, #wrapper.device<"cpu">>
    // CHECK: wrapper.yield %{{.+}} : !wrapper.buffer<[m], f32, #wrapper.device<"cpu">> symbols [m]
    wrapper.yield %0 : !wrapper.buffer<[m], f32, #wrapper.device<"cpu">> symbols [m]
  }
  // A region without results, and a name that another region had.
  // CHECK: %[[Q:.+]] = wrapper.item %{{.+}} : !wrapper.buffer<[], i1, #wrapper.device<"cpu">> -> i1
  %q = wrapper.item %p : !p -> i1
  // CHECK: wrapper.if %[[Q]] : i1 {
  wrapper.if %q : i1 {
    wrapper.sym_expr "m" = <3>
    wrapper.yield
  } else {
    wrapper.yield
  }
  wrapper.return %r : !n
}

// CHECK-LABEL: wrapper.func @loop
wrapper.func @loop(%x: !b) -> !b {
  // CHECK: %{{.+}}:2 = wrapper.while %{{.+}}, %{{.+}} : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>, f64 symbols ["i"] from [0] -> (!wrapper.buffer<[4], f32, #wrapper.device<"cpu">>, f64) {
  %0 = wrapper.alloc : !b
  %z = arith.constant 0.0 : f64
  %r:2 = wrapper.while %0, %z : !b, f64 symbols ["i"] from [0] -> (!b, f64) {
  ^bb0(%a: !b, %c: f64):
    // CHECK: %[[P:.+]] = wrapper.compare <i> lt <10>
    %p = wrapper.compare <i> lt <10>
    // CHECK: wrapper.condition %[[P]] pass %{{.+}}, %{{.+}} : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>, f64
    wrapper.condition %p pass %a, %c : !b, f64
  // CHECK: } do {
  } do {
  ^bb0(%a: !b, %c: f64):
    // CHECK: wrapper.yield %{{.+}}, %{{.+}} : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>, f64 symbols [i + 1]
    wrapper.yield %a, %c : !b, f64 symbols [i + 1]
  }
  wrapper.assert <i> eq <10>, "all iterations"
  // CHECK: wrapper.while {
  wrapper.while {
    %f = arith.constant false
    // CHECK: wrapper.condition %{{[^ ]+$}}
    wrapper.condition %f
  } do {
    wrapper.yield
  }
  wrapper.return %r#0 : !b
}

// CHECK-LABEL: wrapper.func private @callee(
// CHECK-SAME: {wrapper.consumed}
wrapper.func private @callee(%x: !b {wrapper.consumed}, %y: !i) -> !n {
  // CHECK: wrapper.item "n" = %{{.+}} divide_by 2 : !wrapper.buffer<[], i64, #wrapper.device<"cpu">>
  wrapper.item "n" = %y divide_by 2 : !i
  wrapper.free %x : !b
  %0 = wrapper.alloc : !n
  wrapper.return %0 : !n
}

// CHECK-LABEL: wrapper.func @calls
wrapper.func @calls(%y: !i, %f: !f) -> !wrapper.buffer<[u * 2], f32, #wrapper.device<"cpu">> {
  // CHECK: wrapper.item %{{.+}} : !wrapper.buffer<[], f32, #wrapper.device<"cpu">> -> f64
  %v = wrapper.item %f : !f -> f64
  %0 = wrapper.alloc : !b
  // CHECK: wrapper.invoke @callee(%{{.+}}, %{{.+}}) consumes [0] : (!wrapper.buffer<[4], f32, #wrapper.device<"cpu">>, !wrapper.buffer<[], i64, #wrapper.device<"cpu">>) -> !wrapper.buffer<[u * 2], f32, #wrapper.device<"cpu">>
  %r = wrapper.invoke @callee(%0, %y) consumes [0] : (!b, !i) -> !wrapper.buffer<[u * 2], f32, #wrapper.device<"cpu">>
  // CHECK: wrapper.bind_symbol "u" = [#wrapper.key<size, 0>, #wrapper.key<divide_by, 2>] of %{{.+}} : !wrapper.buffer<[u * 2], f32, #wrapper.device<"cpu">>
  wrapper.bind_symbol "u" = [#wrapper.key<size, 0>, #wrapper.key<divide_by, 2>] of %r : !wrapper.buffer<[u * 2], f32, #wrapper.device<"cpu">>
  // CHECK: wrapper.assert_layout %{{.+}}, "r"
  wrapper.assert_layout %r, "r" : !wrapper.buffer<[u * 2], f32, #wrapper.device<"cpu">>
  wrapper.return %r : !wrapper.buffer<[u * 2], f32, #wrapper.device<"cpu">>
}
