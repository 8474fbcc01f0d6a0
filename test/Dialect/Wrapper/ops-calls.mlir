// RUN: coil-opt %s | coil-opt | FileCheck %s
// RUN: coil-opt --mlir-print-op-generic %s | coil-opt | FileCheck %s
// Calls of host functions.

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!n = !wrapper.buffer<[u, 1], i64, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[2], i64, #wrapper.device<"cpu">>
!w = !wrapper.buffer<[4, 2], f32, #wrapper.device<"cpu">>
!v = !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>

// CHECK-LABEL: wrapper.func @arguments
wrapper.func @arguments(%x: !b, %s: !i) attributes {sym.symbols = {u = #sym.range<0, 9>}} {
  // CHECK: wrapper.extern_call "mylib::foo"() : () -> ()
  wrapper.extern_call "mylib::foo"() : () -> ()
  // CHECK: %[[N:.*]] = wrapper.extern_call "mylib::foo.bar_v2"(%{{.*}}, none, <4>, 1.500000e+00, true, "a\22b", [%{{.*}}, none, [<1>, <2>]], [], bf16) : (!wrapper.buffer<[4], f32, #wrapper.device<"cpu">>, !wrapper.buffer<[2], i64, #wrapper.device<"cpu">>) -> !wrapper.buffer<[u, 1], i64, #wrapper.device<"cpu">>
  %n = wrapper.extern_call "mylib::foo.bar_v2"(%x, none, <4>, 1.5, true, "a\"b", [%s, none, [<1>, <2>]], [], bf16) : (!b, !i) -> !n
  // CHECK: wrapper.bind_symbol "u" = [#wrapper.key<size, 0>] of %[[N]]
  wrapper.bind_symbol "u" = [#wrapper.key<size, 0>] of %n : !n
  // CHECK: wrapper.assert_layout %[[N]], "n"
  wrapper.assert_layout %n, "n" : !n
  // CHECK: wrapper.extern_call "mylib::foo"(%{{.*}}, <u * 2>) names ["x", "n"] : (
  %0:2 = wrapper.extern_call "mylib::foo"(%x, <u * 2>) names ["x", "n"] : (!b) -> (!b, !b)
  wrapper.return
}

// CHECK-LABEL: wrapper.func @out
wrapper.func @out(%x: !b) -> !b {
  %0 = wrapper.alloc : !b
  // CHECK: wrapper.extern_call_out "mylib::foo"(%{{.*}}, 2.000000e+00) outs(%{{.*}} : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>) names ["x", "f"] in_place [0, 0] : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
  wrapper.extern_call_out "mylib::foo"(%x, 2.0) outs(%0 : !b) names ["x", "f"] in_place [0, 0] : !b
  // CHECK: wrapper.extern_call_out "mylib::foo"(%{{.*}}, %{{.*}}) mutates [1] : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>, !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
  wrapper.extern_call_out "mylib::foo"(%x, %0) mutates [1] : !b, !b
  wrapper.return %0 : !b
}

// CHECK-LABEL: wrapper.func @fallbacks
wrapper.func @fallbacks(%y: !v, %i: !i, %x: !v, %w: !w, %v: !b) {
  // CHECK: wrapper.scatter_fallback %{{.*}} dim 0 at %{{.*}} from %{{.*}} reduce amax exclude_self : !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>, !wrapper.buffer<[2], i64, #wrapper.device<"cpu">>, !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>
  wrapper.scatter_fallback %y dim 0 at %i from %x reduce amax exclude_self : !v, !i, !v
  // CHECK: wrapper.scatter_fallback %{{.*}} dim 0 at %{{.*}} value 2.000000e+00 : f64 reduce none : !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>, !wrapper.buffer<[2], i64, #wrapper.device<"cpu">>
  wrapper.scatter_fallback %y dim 0 at %i value 2.0 reduce none : !v, !i
  // CHECK: wrapper.index_put_fallback %{{.*}}(none, %{{.*}}) values %{{.*}} accumulate : !wrapper.buffer<[4, 2], f32, #wrapper.device<"cpu">>, !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>, !wrapper.buffer<[2], i64, #wrapper.device<"cpu">>
  wrapper.index_put_fallback %w(none, %i) values %y accumulate : !w, !v, !i
  // CHECK: wrapper.index_put_fallback %{{.*}}() values %{{.*}} : !wrapper.buffer<[4, 2], f32, #wrapper.device<"cpu">>, !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>{{$}}
  wrapper.index_put_fallback %w() values %y : !w, !v
  wrapper.return
}
