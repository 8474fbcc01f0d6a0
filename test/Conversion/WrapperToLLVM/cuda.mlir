// RUN: coil-opt %s --convert-wrapper-to-llvm --split-input-file | FileCheck %s

!d = !wrapper.buffer<[s0], f32, #wrapper.device<"cuda">>

// The kernel is an object that the loader provides; its launch passes the grid.
// CHECK: llvm.mlir.global external @k() {{.*}} : i8
// CHECK-LABEL: llvm.func @coil_geometry
// CHECK: call @coil_rt_check_input({{.*}}) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i32, i32, i32) -> i32
// CHECK: call @coil_rt_input_cuda(
// CHECK: %[[N:.*]] = llvm.load
// CHECK: call @coil_rt_alloc_cuda(
// CHECK: %[[K:.*]] = llvm.mlir.addressof @k
// CHECK: %[[GRID:.*]] = llvm.add
// CHECK: call @coil_rt_launch_cuda(%{{.*}}, %[[K]], %{{.*}}, %{{.*}}, %[[GRID]], %{{.*}}, %{{.*}}) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64, i64) -> i32
wrapper.kernel @k() attributes {
    device = #wrapper.device<"cuda">,
    geometry = #wrapper.geometry<grid = [n floordiv 256 + 1, 1, 1], block = [256, 1, 1], shared = 0, errors = false>,
    input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = ["n"]} {
}
wrapper.func @geometry(%x: !d) -> !d attributes {sym.symbols = {s0 = #sym.range<0, 1024>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !d
  %0 = wrapper.alloc : !d
  wrapper.launch @k[s0] ins(%x : !d) outs(%0 : !d)
  wrapper.return %0 : !d
}

// -----

!c = !wrapper.buffer<[2], f32, #wrapper.device<"cuda">>

// An input is taken where it is if it begins at a multiple of what kernels know.
// CHECK-LABEL: llvm.func @coil_begins
// CHECK: %[[FOUR:.+]] = llvm.mlir.constant(4 : i64)
// CHECK: call @coil_rt_input_cuda(%{{.*}}, %{{.*}}, %{{.*}}, %[[FOUR]], %{{.*}}) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, !llvm.ptr) -> i32
wrapper.func @begins(%x: !c {coil.alignment = 4 : i64}) {
  wrapper.return
}

// -----

!c = !wrapper.buffer<[2], f32, #wrapper.device<"cuda">>

// Data of the program and copies go through the device's functions.
// CHECK-LABEL: llvm.func @coil_memory
// CHECK: %[[DATA:.*]] = llvm.mlir.addressof @constant
// CHECK: call @coil_rt_constant_cuda(%{{.*}}, %[[DATA]], %{{.*}}, %{{.*}}) : (!llvm.ptr, !llvm.ptr, i64, !llvm.ptr) -> i32
// CHECK: call @coil_rt_copy_cuda(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64) -> i32
// CHECK: call @coil_rt_free_cuda(
wrapper.func @memory() -> !c {
  %0 = wrapper.constant dense<[1.0, 2.0]> : tensor<2xf32> to !c
  %1 = wrapper.alloc : !c
  %2 = wrapper.alloc : !c
  wrapper.copy %0 to %1 : !c
  wrapper.free %2 : !c
  wrapper.return %1 : !c
}

// -----

!m = !wrapper.buffer<[4, 4], f32, #wrapper.device<"cuda">>

// CHECK-LABEL: llvm.func @coil_library
// CHECK: call @coil_rt_contraction_cuda(
wrapper.func @library(%x: !m) -> !m {
  %0 = wrapper.alloc : !m
  wrapper.contraction "cublaslt"[4, 4, 4] a(%x[4, 0, 1] : !m) b(%x[0, 1, 4] : !m) c(%0[4, 1, 0] : !m) post none
  wrapper.return %0 : !m
}

// -----

!a = !wrapper.buffer<[1, 4, 8, 8], f16, #wrapper.device<"cuda">>

// CHECK-LABEL: llvm.func @coil_dense
// CHECK: call @coil_rt_attention_cuda(
// CHECK: call @coil_rt_convolution_cuda(
wrapper.func @dense(%x: !a, %w: !a) -> (!a, !wrapper.buffer<[1, 1, 1, 1], f16, #wrapper.device<"cuda">>) {
  %0 = wrapper.alloc : !a
  wrapper.attention "cudnn" ins(%x, %x, %x : !a, !a, !a) outs(%0 : !a) causal scale 1.0
  %1 = wrapper.alloc : !wrapper.buffer<[1, 1, 1, 1], f16, #wrapper.device<"cuda">>
  wrapper.convolution "cudnn" ins(%x, %w : !a, !a) outs(%1 : !wrapper.buffer<[1, 1, 1, 1], f16, #wrapper.device<"cuda">>)
      stride [1, 1] padding [0, 0] dilation [1, 1] groups 1 post relu
  wrapper.return %0, %1 : !a, !wrapper.buffer<[1, 1, 1, 1], f16, #wrapper.device<"cuda">>
}

// -----

!s = !wrapper.buffer<[8], f32, #wrapper.device<"cuda">>
// CHECK-LABEL: llvm.func @coil_sort
// CHECK: call @coil_rt_sort_cuda(
wrapper.func @sort(%x: !s) -> !s {
  %0 = wrapper.alloc : !s
  wrapper.sort "cub" %x dim 0 values(%0 : !s) : !s
  wrapper.return %0 : !s
}
