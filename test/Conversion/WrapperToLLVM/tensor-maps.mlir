// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper.kernel(wrapper-lower-user-kernel{chip=sm_90}),convert-wrapper-to-llvm)' | FileCheck %s
// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper.kernel(wrapper-lower-user-kernel{chip=sm_90}),convert-wrapper-to-llvm{max-steps=1})' | FileCheck %s --check-prefix=PARTS

!b = !wrapper.buffer<[s0, 64], bf16, #wrapper.device<"cuda">>

wrapper.kernel @k() attributes {device = #wrapper.device<"cuda">, threads = array<i64: 32, 1, 1>,
    parameters = [#wrapper.param<"n", value, i64>, #wrapper.param<"x", update, !wrapper.tma_descriptor>],
    ptx = ".version 8.0\n.target sm_90\n.entry k(.param .u64 n, .param .align 64 .b8 x[128]) { ret; }"} {}
wrapper.grid @once[] cases [#wrapper.grid_case<{}, <[1, 1, 1]>>]

// The description is that of `coil_tensor_map`; lists of five numbers each, of which
// this map has two.
// CHECK:      llvm.mlir.global {{.*}}"{{.*}}tensor-maps.mlir:[[# @LINE + 28]]
// CHECK-LABEL: llvm.func @coil_main
// CHECK:      %[[BYTES:.*]] = llvm.mlir.constant(200 : i32) : i32
// CHECK-NEXT: llvm.store %[[BYTES]], %[[DESC:[^ ,]*]]
// CHECK-NEXT: %[[BF16:.*]] = llvm.mlir.constant(10 : i32) : i32
// CHECK-NEXT: %[[DTYPE:.*]] = llvm.getelementptr %[[DESC]][1]
// CHECK-NEXT: llvm.store %[[BF16]], %[[DTYPE]]
// CHECK-COUNT-2: llvm.getelementptr %[[DESC]][{{.*}}] : (!llvm.ptr) -> !llvm.ptr, i64
// CHECK:      call @coil_rt_tensor_map_cuda(%{{.*}}, %[[DESC]], %{{.*}}, %[[SLOT:.*]]) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
// CHECK:      %[[MAP:.*]] = llvm.load %[[SLOT]] : !llvm.ptr -> !llvm.ptr
// What is passed of a number is the address of its place, of a map its bytes.
// CHECK:      llvm.store %{{.*}}, %[[PLACE:.*]] : i64, !llvm.ptr
// CHECK:      llvm.store %[[PLACE]], %{{.*}} : !llvm.ptr, !llvm.ptr
// CHECK:      llvm.store %[[MAP]], %{{.*}} : !llvm.ptr, !llvm.ptr
// CHECK:      call @coil_rt_launch_user_cuda(

// A map that another part made is in the frame.
// PARTS:      call @coil_rt_tensor_map_cuda(
// PARTS:      %[[MAP:.*]] = llvm.load %{{.*}} : !llvm.ptr -> !llvm.ptr
// PARTS:      llvm.store %[[MAP]], %{{.*}} : !llvm.ptr, !llvm.ptr
// PARTS:      llvm.func @coil_main.part
// PARTS:      %[[LOADED:.*]] = llvm.load %{{.*}} : !llvm.ptr -> !llvm.ptr
// PARTS:      llvm.store %[[LOADED]], %{{.*}} : !llvm.ptr, !llvm.ptr
// PARTS:      call @coil_rt_launch_user_cuda(
wrapper.func @main(%x: !b) -> !b attributes {sym.symbols = {s0 = #sym.range<1, 1024>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !b
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  %d = wrapper.tma_descriptor %0 box [8, 64] swizzle b128 : !b
  wrapper.launch_user @k grid @once[] config {} arguments [#sym.expr<s0>, unit] updates(%0 : !b) maps(%d)
  wrapper.return %0 : !b
}
