// RUN: coil-opt %s --split-input-file --wrapper-partition-graph --remarks-filter=wrapper-partition-graph 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: coil-opt %s --split-input-file --pass-pipeline='builtin.module(wrapper-partition-graph{whole=true},wrapper-outline-partitions,wrapper-plan-memory,wrapper-verify-memory)' \
// RUN:   | FileCheck %s --check-prefix=FUNCTIONS

// A user's kernel is a step of a graph like others, with the tensor maps that it
// takes: each launch has its own, however they were shared.
// CHECK-LABEL: wrapper.func @maps
// CHECK: wrapper.item
// CHECK: wrapper.partition
// CHECK: %[[A:.+]] = wrapper.alloc
// CHECK-NEXT: %[[X:.+]] = wrapper.tma_descriptor %arg0
// CHECK-NEXT: %[[Y:.+]] = wrapper.tma_descriptor %[[A]]
// CHECK-NEXT: wrapper.launch_user {{.+}} maps(%[[X]], %[[Y]])
// CHECK: %[[B:.+]] = wrapper.alloc
// CHECK: %[[Y2:.+]] = wrapper.tma_descriptor %[[A]]
// CHECK-NEXT: %[[Z:.+]] = wrapper.tma_descriptor %[[B]]
// CHECK-NEXT: wrapper.launch_user {{.+}} maps(%[[Y2]], %[[Z]])
// CHECK-NEXT: wrapper.yield
// CHECK: wrapper.return
// FUNCTIONS-LABEL: wrapper.func @maps
// FUNCTIONS-NOT: wrapper.tma_descriptor
// FUNCTIONS: wrapper.partition_call
// FUNCTIONS: wrapper.func private
// FUNCTIONS-COUNT-4: wrapper.tma_descriptor
!i = !wrapper.buffer<[], i64, #wrapper.device<"cuda">>
!b = !wrapper.buffer<[s0, 64], f32, #wrapper.device<"cuda">>
wrapper.kernel @k() attributes {device = #wrapper.device<"cuda">, ptx = "", parameters = [
    #wrapper.param<"x", read, !wrapper.tma_descriptor>, #wrapper.param<"y", write, !wrapper.tma_descriptor>]} {}
wrapper.grid @once[] cases [#wrapper.grid_case<{}, <[1, 1, 1]>>]
wrapper.func @maps(%x: !b, %n: !i) -> !b attributes {sym.symbols = {s0 = #sym.range<1, 1024>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !b
  %from = wrapper.tma_descriptor %x box [8, 32] : !b
  wrapper.item "u0" = %n : !i
  wrapper.assert <u0> le <4>, "small"
  %0 = wrapper.alloc : !b
  %to = wrapper.tma_descriptor %0 box [8, 32] : !b
  wrapper.launch_user @k grid @once[] config {} arguments [unit, unit] ins(%x : !b) outs(%0 : !b) maps(%from, %to)
  %1 = wrapper.alloc : !b
  %last = wrapper.tma_descriptor %1 box [8, 32] : !b
  wrapper.launch_user @k grid @once[] config {} arguments [unit, unit] ins(%0 : !b) outs(%1 : !b) maps(%to, %last)
  wrapper.return %1 : !b
}

// -----

// Numbers that are symbols are numbers of the graph; an element that the host has
// read is none.
// REMARK: not in a graph: it uses a value of the host (wrapper.launch_user)
// CHECK-LABEL: wrapper.func @numbers
// CHECK: wrapper.partition
// CHECK-COUNT-2: wrapper.launch_user @k
// CHECK: wrapper.yield
// CHECK-NOT: wrapper.partition
// CHECK: wrapper.launch_user @k
// CHECK: wrapper.return
!s = !wrapper.buffer<[], f32, #wrapper.device<"cuda">>
!b = !wrapper.buffer<[s0], f32, #wrapper.device<"cuda">>
wrapper.kernel @k() attributes {device = #wrapper.device<"cuda">, ptx = "", parameters = [
    #wrapper.param<"x", read, f32>, #wrapper.param<"y", write, f32>, #wrapper.param<"a", value, f32>,
    #wrapper.param<"n", value, i64>]} {}
wrapper.grid @once["n"] cases [#wrapper.grid_case<{}, <[n, 1, 1]>>]
wrapper.func @numbers(%x: !b, %s: !s) -> (!b, !b) attributes {sym.symbols = {s0 = #sym.range<1, 1024>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !b
  %0 = wrapper.alloc : !b
  wrapper.launch_user @k grid @once[s0] config {} arguments [unit, unit, 2.0 : f32, #sym.expr<s0>] ins(%x : !b) outs(%0 : !b)
  %1 = wrapper.alloc : !b
  wrapper.launch_user @k grid @once[s0] config {} arguments [unit, unit, 3.0 : f32, #sym.expr<s0>] ins(%0 : !b) outs(%1 : !b)
  %a = wrapper.item %s : !s -> f64
  %2 = wrapper.alloc : !b
  wrapper.launch_user @k grid @once[s0] config {} arguments [unit, unit, unit, #sym.expr<s0>] ins(%1 : !b) outs(%2 : !b)
      scalars(%a : f64)
  wrapper.return %1, %2 : !b, !b
}
