// RUN: coil-opt %s --convert-wrapper-to-llvm | FileCheck %s

// A device that keeps graphs gets the function and what becomes of storage; the
// host's memory has none, so its partitions are called. Symbols are the data of a
// tensor behind the inputs.

!c = !wrapper.buffer<[s0], f32, #wrapper.device<"cuda">>
!h = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>

// CHECK-DAG: llvm.mlir.global internal constant @[[GIVEN:[a-z_0-9]+]]("ck\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[RESULTS:[a-z_0-9]+]]("g\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[NAME:[a-z_0-9]+]]("device_part\00")
// CHECK-DAG: llvm.func @coil_rt_partition_cuda(!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, i32, !llvm.ptr, !llvm.ptr) -> i32
// CHECK-DAG: llvm.func @coil_rt_leave_device_cuda(!llvm.ptr) -> i32

// CHECK-LABEL: llvm.func @coil_main(
// CHECK-SAME: %[[R:.+]]: !llvm.ptr, %{{.+}}: !llvm.ptr, %{{.+}}: !llvm.ptr)
// CHECK: llvm.call @coil_rt_enter_device_cuda(%[[R]])
// CHECK: %[[ENTRY:.+]] = llvm.mlir.addressof @coil_device_part
// CHECK: llvm.call @coil_rt_partition_cuda(%[[R]], %{{.+}}, %[[ENTRY]],
// CHECK: llvm.call @coil_host_part(%[[R]],
// All ways out leave the device.
// CHECK: ^{{.+}}(%[[STATUS:.+]]: i32):
// CHECK-NEXT: llvm.call @coil_rt_leave_device_cuda(%[[R]])
// CHECK-NEXT: llvm.return %[[STATUS]]
wrapper.func @main(%x: !c, %y: !h) -> (!c, !h) attributes {sym.symbols = {s0 = #sym.range<0, 8>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !c
  %r:2 = wrapper.device_scope #wrapper.device<"cuda"> -> (!c, !h) {
    %0 = wrapper.alloc : !c
    wrapper.copy %x to %0 : !c
    %1 = wrapper.partition_call @device_part(%0, %x) symbols [s0] consumes [0] : (!c, !c) -> !c
    %2 = wrapper.partition_call @host_part(%y) symbols [s0] : (!h) -> !h
    wrapper.yield %1, %2 : !c, !h
  }
  wrapper.return %r#0, %r#1 : !c, !h
}

// CHECK-LABEL: llvm.func @coil_device_part(
// CHECK: llvm.getelementptr %{{.+}}[80]
// CHECK: llvm.load {{.+}} : !llvm.ptr -> i64
wrapper.func private @device_part(%x: !c {wrapper.consumed}, %y: !c) -> !c attributes {sym.symbols = {s0 = #sym.range<0, 8>}} {
  wrapper.param_symbols ["s0"]
  %0 = wrapper.reuse %x : !c to !c
  wrapper.copy %y to %0 : !c
  wrapper.return %0 : !c
}
wrapper.func private @host_part(%x: !h) -> !h attributes {sym.symbols = {s0 = #sym.range<0, 8>}} {
  wrapper.param_symbols ["s0"]
  %0 = wrapper.partition #wrapper.device<"cpu"> -> (!h) {
    %1 = wrapper.alloc : !h
    wrapper.copy %x to %1 : !h
    wrapper.yield %1 : !h
  }
  wrapper.return %0 : !h
}

// Cut into parts of one step, symbols go through the frame.
// RUN: coil-opt %s --convert-wrapper-to-llvm=max-steps=1 | FileCheck %s --check-prefix=PARTS
// PARTS: llvm.func @coil_main.part0
// PARTS-LABEL: llvm.func @coil_main(
