// RUN: coil-opt %s | coil-opt | FileCheck %s
// RUN: coil-opt %s --mlir-print-op-generic | coil-opt | FileCheck %s

!b = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
!e = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

// CHECK-LABEL: wrapper.func private @part
wrapper.func private @part(%x: !b, %y: !e {wrapper.consumed}) -> (!b, !e) {
  // CHECK: wrapper.param_symbols ["s0"]
  wrapper.param_symbols ["s0"]
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  wrapper.return %0, %y : !b, !e
}

// CHECK-LABEL: wrapper.func private @part4
wrapper.func private @part4(%x: !e) {
  wrapper.return
}

// CHECK-LABEL: wrapper.func @main
wrapper.func @main(%x: !b) -> (!b, !e) {
  wrapper.input_symbol "s0" = size 0 of %x : !b
  // CHECK: %[[P:.+]]:2 = wrapper.partition #wrapper.device<"cpu"> -> (!wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>, !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>) {
  %p:2 = wrapper.partition #wrapper.device<"cpu"> -> (!b, !e) {
    %0 = wrapper.alloc : !b
    wrapper.copy %x to %0 : !b
    %1 = wrapper.alloc : !e
    wrapper.yield %0, %1 : !b, !e
  }
  // CHECK: %[[S:.+]]:2 = wrapper.device_scope #wrapper.device<"cpu"> -> ({{.+}}) {
  %s:2 = wrapper.device_scope #wrapper.device<"cpu"> -> (!b, !e) {
    // CHECK: wrapper.partition_call @part4(%[[P]]#1) : (!wrapper.buffer<[4], f32, #wrapper.device<"cpu">>) -> ()
    wrapper.partition_call @part4(%p#1) : (!e) -> ()
    // CHECK: wrapper.partition_call @part(%[[P]]#0, %[[P]]#1) symbols [s0] consumes [1] : ({{.+}}) -> ({{.+}})
    %c:2 = wrapper.partition_call @part(%p#0, %p#1) symbols [s0] consumes [1] : (!b, !e) -> (!b, !e)
    wrapper.free %p#0 : !b
    // CHECK: wrapper.sym_expr "n" = <s0 * 2>
    wrapper.sym_expr "n" = <s0 * 2>
    wrapper.yield %c#0, %c#1 : !b, !e
  }
  // A scope's symbols are visible behind it.
  wrapper.assert <n> le <100>, "not too many"
  // CHECK: wrapper.device_scope #wrapper.device<"cpu"> {
  // CHECK-NEXT: wrapper.yield
  wrapper.device_scope #wrapper.device<"cpu"> {
    wrapper.yield
  }
  wrapper.return %s#0, %s#1 : !b, !e
}
