// RUN: coil-opt %s --wrapper-move-host-calls=functions=test::f+test::sizes --split-input-file --remarks-filter=wrapper-move-host-calls 2>%t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=ERR < %t.err
// RUN: coil-opt %s --wrapper-move-host-calls=functions=all --split-input-file 2>/dev/null | FileCheck %s --check-prefix=ALL
// RUN: coil-opt %s --wrapper-move-host-calls --split-input-file | FileCheck %s --check-prefix=NONE

!g = !wrapper.buffer<[s0], f32, #wrapper.device<"cuda">>

// What is read goes to the host before the call, what is written comes back behind
// it; a call that was not named stays where it is.
// ERR: move-host-calls.mlir:[[#@LINE+22]]:3: warning: the function 'test::f' ({{.*}}move-host-calls.mlir:[[#@LINE+22]]) runs on the host: each call copies 's0 * 8' bytes to it and 's0 * 8' back, and waits for the device
// ERR: remark: {{.*}}'test::f' runs on the host: s0 * 8 bytes to it, s0 * 8 back
// CHECK-LABEL: wrapper.func @named(
// CHECK-SAME: %[[X:[^:]+]]: {{[^,]+}}, f32, {{[^,]+}}, %[[Y:[^:]+]]:
// CHECK: %[[C:.+]] = wrapper.alloc : !wrapper.buffer<[s0], f32, #wrapper.device<"cuda">>
// CHECK: %[[R:.+]] = wrapper.alloc : !wrapper.buffer<[s0], f32, #wrapper.device<"cuda">>
// CHECK: %[[HX:.+]] = wrapper.alloc : !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
// CHECK-NEXT: wrapper.transfer %[[X]] to %[[HX]]
// CHECK-NEXT: %[[HC:.+]] = wrapper.alloc : !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
// CHECK-NEXT: wrapper.transfer %[[C]] to %[[HC]]
// CHECK-NEXT: %[[HR:.+]] = wrapper.alloc : !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
// CHECK-NEXT: wrapper.extern_call_out "test::f"(%[[HX]], %[[HC]]){{.*}} outs(%[[HR]]
// CHECK-NEXT: wrapper.transfer %[[HC]] to %[[C]]
// CHECK-NEXT: wrapper.transfer %[[HR]] to %[[R]]
// CHECK: wrapper.extern_call_out "test::other"(%[[R]]
// ALL: wrapper.extern_call_out "test::other"({{.*}}"cpu"
// NONE-NOT: wrapper.transfer
wrapper.func @named(%x: !g, %y: !g) -> !g attributes {sym.symbols = {s0 = #sym.range<1, 64>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !g
  %c = wrapper.alloc : !g
  wrapper.copy %y to %c : !g
  %r = wrapper.alloc : !g
  wrapper.extern_call_out "test::f"(%x, %c) outs(%r : !g) mutates [1] : !g, !g
  %s = wrapper.alloc : !g
  wrapper.extern_call_out "test::other"(%r) outs(%s : !g) : !g
  wrapper.return %s : !g
}

// -----

// A result whose size the function knows is moved when that is bound.
// CHECK-LABEL: wrapper.func @sizes
// CHECK: %[[R:.+]] = wrapper.extern_call "test::sizes"(%{{.+}}) : (!wrapper.buffer<[4], f32, #wrapper.device<"cpu">>) -> !wrapper.buffer<[u0], i64, #wrapper.device<"cpu">>
// CHECK-NEXT: wrapper.bind_symbol "u0" = {{.*}} of %[[R]]
// CHECK-NEXT: wrapper.assert_layout %[[R]]
// CHECK-NEXT: %[[M:.+]] = wrapper.alloc : !wrapper.buffer<[u0], i64, #wrapper.device<"cuda">>
// CHECK-NEXT: wrapper.transfer %[[R]] to %[[M]]
// CHECK-NEXT: wrapper.return %[[M]]
!g = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
!n = !wrapper.buffer<[u0], i64, #wrapper.device<"cuda">>
wrapper.func @sizes(%x: !g) -> !n attributes {sym.symbols = {u0 = #sym.range<0, 4>}} {
  %0 = wrapper.extern_call "test::sizes"(%x) : (!g) -> !n
  wrapper.bind_symbol "u0" = [#wrapper.key<size, 0>] of %0 : !n
  wrapper.assert_layout %0, "result 0 of test::sizes" : !n
  wrapper.return %0 : !n
}
