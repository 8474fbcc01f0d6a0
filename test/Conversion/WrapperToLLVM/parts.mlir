// RUN: coil-opt %s --convert-wrapper-to-llvm=max-steps=4 --split-input-file | FileCheck %s

!x = !wrapper.buffer<[s0, 8], f32, #wrapper.device<"cpu">>

// Eight steps make two parts.
// CHECK-DAG: llvm.func @coil_main.part0(!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
// CHECK-DAG: llvm.func @coil_main.part1(!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
// Only those who launch a kernel declare it.
// CHECK-NOT: llvm.func @k_0
// CHECK: wrapper.kernel @k_0.module()
wrapper.kernel @k_0() attributes {
    input_strides = [#sym.shape<[8, 1]>], output_strides = [#sym.shape<[8, 1]>], symbols = ["n"],
    total = #sym.expr<n * 8>, grain = 16 : i64} {
  llvm.func @k_0(%b: !llvm.ptr, %s: !llvm.ptr, %begin: i64, %end: i64) -> i32 {
    %0 = llvm.mlir.constant(0 : i32) : i32
    llvm.return %0 : i32
  }
}

// The entry point owns the frame: a slot for the symbol, and one for %0.
// CHECK-LABEL: llvm.func @coil_main(
// CHECK-SAME: %[[R:.+]]: !llvm.ptr, %[[IN:.+]]: !llvm.ptr, %[[OUT:.+]]: !llvm.ptr) -> i32
// CHECK-SAME: coil.signature
// CHECK: %[[SLOTS:.+]] = llvm.mlir.constant(2 : i64)
// CHECK: %[[FRAME:.+]] = llvm.alloca %[[SLOTS]] x i64
// CHECK: %[[S:.+]] = llvm.call @coil_main.part0(%[[R]], %[[IN]], %[[OUT]], %[[FRAME]])
// CHECK: %[[OK:.+]] = llvm.icmp "eq" %[[S]]
// CHECK: llvm.cond_br %[[OK]], ^{{.+}}, ^[[EXIT:bb[0-9]+]](%[[S]] : i32)
// CHECK: llvm.call @coil_main.part1(%[[R]], %[[IN]], %[[OUT]], %[[FRAME]])
// CHECK: ^[[EXIT]](%[[STATUS:.+]]: i32):
// CHECK: llvm.return %[[STATUS]]
wrapper.func @main(%x: !x) -> (!x, !x) attributes {sym.symbols = {s0 = #sym.range<1, 64>}} {
  // CHECK-LABEL: module @coil_main.part0.module attributes {coil.host_part}
  // CHECK: llvm.func @k_0
  // CHECK: llvm.func @coil_main.part0(%[[R:.+]]: !llvm.ptr, %[[IN:.+]]: !llvm.ptr, %[[OUT:.+]]: !llvm.ptr, %[[FRAME:.+]]: !llvm.ptr) -> i32 {
  // CHECK: llvm.call @coil_rt_check_input
  // CHECK: %[[S0:.+]] = llvm.load {{.*}} -> i64
  // CHECK: llvm.store %[[S0]], %[[FRAME]] : i64
  wrapper.input_symbol "s0" = size 0 of %x : !x
  // CHECK: llvm.call @coil_rt_alloc
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> !llvm.ptr
  // CHECK: %[[SLOT:.+]] = llvm.getelementptr %[[FRAME]][1]
  // CHECK: llvm.store %[[A]], %[[SLOT]] : !llvm.ptr
  %0 = wrapper.alloc : !x
  // CHECK: llvm.call @coil_rt_launch_cpu
  wrapper.launch @k_0[s0] ins(%x : !x) outs(%0 : !x)

  // The input is read again, the rest comes from the frame.
  // CHECK-LABEL: module @coil_main.part1.module attributes {coil.host_part}
  // CHECK: llvm.func @coil_main.part1(%[[R:.+]]: !llvm.ptr, %[[IN:.+]]: !llvm.ptr, %[[OUT:.+]]: !llvm.ptr, %[[FRAME:.+]]: !llvm.ptr) -> i32 {
  // CHECK: %[[S0:.+]] = llvm.load %[[FRAME]] : !llvm.ptr -> i64
  // CHECK: llvm.call @coil_rt_alloc
  // CHECK: %[[B:.+]] = llvm.load {{.*}} -> !llvm.ptr
  %1 = wrapper.alloc : !x
  // CHECK: %[[SLOT:.+]] = llvm.getelementptr %[[FRAME]][8]
  // CHECK: %[[A:.+]] = llvm.load %[[SLOT]] : !llvm.ptr -> !llvm.ptr
  // CHECK: llvm.store %[[A]],
  // CHECK: llvm.store %[[B]],
  // CHECK: llvm.call @coil_rt_launch_cpu
  wrapper.launch @k_0[s0] ins(%0 : !x) outs(%1 : !x)
  // CHECK: llvm.call @coil_rt_set_output(%[[R]], %[[OUT]], %[[B]],
  // CHECK: %[[X:.+]] = llvm.load %[[IN]] : !llvm.ptr -> !llvm.ptr
  // CHECK: llvm.call @coil_rt_set_output(%[[R]], %{{.+}}, %[[X]],
  wrapper.return %1, %x : !x, !x
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

// Four steps fit into one function.
// CHECK-LABEL: llvm.func @coil_short(
// CHECK-NOT: .part
// CHECK: llvm.call @coil_rt_set_output
wrapper.func @short(%x: !b) -> !b {
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  wrapper.return %0 : !b
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

// 13 steps in parts of four. A slot is for the next buffer once no part is
// left that needs it: %0 and %2 share one.
// CHECK-LABEL: llvm.func @coil_slots(
// CHECK: %[[SLOTS:.+]] = llvm.mlir.constant(1 : i64)
// CHECK: llvm.alloca %[[SLOTS]] x i64
wrapper.func @slots(%x: !b) -> !b {
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  wrapper.assert <1> eq <1>, "first part"
  // CHECK-LABEL: module @coil_slots.part1.module
  // CHECK: llvm.load %{{.+}} : !llvm.ptr -> !llvm.ptr
  wrapper.copy %0 to %x : !b
  wrapper.free %0 : !b
  wrapper.assert <1> eq <1>, "second part"
  wrapper.assert <2> eq <2>, "second part"
  // CHECK-LABEL: module @coil_slots.part2.module
  // CHECK: %[[A:.+]] = llvm.load
  // CHECK: llvm.store %[[A]], %arg3
  %2 = wrapper.alloc : !b
  wrapper.assert <3> eq <3>, "third part"
  wrapper.assert <4> eq <4>, "third part"
  wrapper.assert <5> eq <5>, "third part"
  // CHECK-LABEL: module @coil_slots.part3.module
  // CHECK: %[[A:.+]] = llvm.load %arg3
  // CHECK: llvm.call @coil_rt_set_output(%{{.+}}, %{{.+}}, %[[A]],
  wrapper.return %2 : !b
}

// -----

// A name that is taken is no obstacle.
// CHECK: llvm.func @coil_taken.part0(!llvm.ptr)
llvm.func @coil_taken.part0(!llvm.ptr)
// CHECK-LABEL: llvm.func @coil_taken(
// CHECK: llvm.call @[[NAME:coil_taken.part0_0]]
// CHECK: llvm.func @[[NAME]](
wrapper.func @taken() {
  wrapper.assert <1> eq <1>, "1"
  wrapper.assert <2> eq <2>, "2"
  wrapper.assert <3> eq <3>, "3"
  wrapper.assert <4> eq <4>, "4"
  wrapper.assert <5> eq <5>, "5"
  wrapper.return
}
