// RUN: coil-opt %s --convert-wrapper-to-llvm | FileCheck %s
// RUN: coil-opt %s --convert-wrapper-to-llvm=max-steps=1 | FileCheck %s --check-prefix=PARTS
// Calls of host functions: a site that the runtime remembers the function in, arguments
// in memory of the stack.

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!n = !wrapper.buffer<[u, 1], i64, #wrapper.device<"cpu">>

// CHECK-DAG: llvm.mlir.global internal @[[SITE:call_site[^(]*]]() {{{.*}}alignment = 8 : i64}{{.*}} : !llvm.struct<(i32, i32, ptr, ptr, ptr, ptr)>
// CHECK-DAG: llvm.mlir.global internal constant @{{argument_names[^(]*}}() {{{.*}}alignment = 8 : i64}{{.*}} : !llvm.array<2 x ptr>
// CHECK-DAG: llvm.func @coil_rt_call(!llvm.ptr, !llvm.ptr, i64, !llvm.ptr, i64, !llvm.ptr, i64, !llvm.ptr) -> i32
// CHECK: llvm.func @coil_main
// CHECK-SAME: coil.host_functions = {{\[\[}}"mylib::nonzero", 0 : i32, "{{.*}}calls.mlir:[[#]]"], ["mylib::scale", 0 : i32, "{{.*}}calls.mlir:[[#]]"]]
// CHECK: llvm.call @coil_rt_call
// CHECK: llvm.call @coil_rt_call

// Shapes of results go from part to part.
// PARTS: llvm.call @coil_rt_call
wrapper.func @main(%x: !b) -> (!n, !b) attributes {sym.symbols = {u = #sym.range<0, 9>}} {
  %0 = wrapper.extern_call "mylib::nonzero"(%x, none) names ["x", "limit"] : (!b) -> !n
  wrapper.bind_symbol "u" = [#wrapper.key<size, 0>] of %0 : !n
  wrapper.assert_layout %0, "n" : !n
  %1 = wrapper.alloc : !b
  wrapper.extern_call_out "mylib::scale"(%x, [<u>, 2.0, [none]], "text", true, f32) outs(%1 : !b) : !b
  wrapper.return %0, %1 : !n, !b
}
