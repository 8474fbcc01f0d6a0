// RUN: coil-opt %s | coil-opt | FileCheck %s
// RUN: coil-opt %s --mlir-print-op-generic | coil-opt | FileCheck %s
// RUN: coil-opt %s --cse --canonicalize | FileCheck %s --check-prefix=CSE
// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper-plan-memory,wrapper-verify-memory)' | FileCheck %s --check-prefix=PLAN
// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper-outline-partitions)' | FileCheck %s --check-prefix=OUTLINE

!b = !wrapper.buffer<[s0, 64], f32, #wrapper.device<"cuda">>
!v = !wrapper.buffer<[s0, 32], strides = [64, 1], f32, #wrapper.device<"cuda">>
!c = !wrapper.buffer<[2, 4, 16, 16], f16, #wrapper.device<"cuda">>

// CHECK: parameters = [#wrapper.param<"x", read, !wrapper.tma_descriptor>, #wrapper.param<"y", write, !wrapper.tma_descriptor>]
wrapper.kernel @k() attributes {device = #wrapper.device<"cuda">, ptx = "", parameters = [
    #wrapper.param<"x", read, !wrapper.tma_descriptor>, #wrapper.param<"y", write, !wrapper.tma_descriptor>]} {}
wrapper.grid @once[] cases [#wrapper.grid_case<{}, <[1, 1, 1]>>]

// CHECK-LABEL: wrapper.func @forms
wrapper.func @forms(%x: !b, %c: !c) attributes {sym.symbols = {s0 = #sym.range<1, 1024>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !b
  // CHECK: wrapper.tma_descriptor %{{.*}} box [8, 32] : !wrapper.buffer<[s0, 64], f32,
  %0 = wrapper.tma_descriptor %x box [8, 32] : !b
  // CHECK: wrapper.tma_descriptor %{{.*}} box [8, 32] strides [2, 1] swizzle b128 promotion b256 fill nan : !wrapper.buffer<[s0, 64], f32,
  %1 = wrapper.tma_descriptor %x box [8, 32] strides [2, 1] interleave none swizzle b128 promotion b256 fill nan : !b
  // CHECK: wrapper.tma_descriptor %{{.*}} box [1, 4, 8, 16] interleave b32 swizzle b32 : !wrapper.buffer<[2, 4, 16, 16], f16,
  %2 = wrapper.tma_descriptor %c box [1, 4, 8, 16] interleave b32 swizzle b32 : !c
  // Nobody steps along a dimension of size 1.
  %3 = wrapper.reinterpret %x at <0> : !b to !wrapper.buffer<[1, 8], strides = [3, 1], f32, #wrapper.device<"cuda">>
  // CHECK: wrapper.tma_descriptor %{{.*}} box [1, 8] : !wrapper.buffer<[1, 8], strides = [3, 1], f32,
  %4 = wrapper.tma_descriptor %3 box [1, 8] : !wrapper.buffer<[1, 8], strides = [3, 1], f32, #wrapper.device<"cuda">>
  wrapper.return
}

// A launch names the buffers, so they live until it, and storage is handed on behind
// it. Descriptors are one where they are the same.
// CSE-LABEL:  wrapper.func @lives
// PLAN-LABEL: wrapper.func @lives
wrapper.func @lives(%x: !b) -> !b attributes {sym.symbols = {s0 = #sym.range<1, 1024>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !b
  // PLAN: %[[A:.*]] = wrapper.alloc
  %0 = wrapper.alloc : !b
  // CSE: %[[X:.*]] = wrapper.tma_descriptor %arg0
  // CSE-NOT: wrapper.tma_descriptor %arg0
  %from = wrapper.tma_descriptor %x box [8, 32] : !b
  %to = wrapper.tma_descriptor %0 box [8, 32] : !b
  // CHECK: wrapper.launch_user @k grid @once[] config {} arguments [unit, unit] ins(%{{.*}}) outs(%{{.*}}) maps(%{{.*}}, %{{.*}})
  wrapper.launch_user @k grid @once[] config {} arguments [unit, unit] ins(%x : !b) outs(%0 : !b) maps(%from, %to)
  // PLAN: wrapper.launch_user
  // PLAN: %[[B:.*]] = wrapper.alloc
  %1 = wrapper.alloc : !b
  %same = wrapper.tma_descriptor %x box [8, 32] : !b
  %other = wrapper.tma_descriptor %1 box [8, 32] : !b
  // CSE: maps(%[[X]], %{{.*}})
  wrapper.launch_user @k grid @once[] config {} arguments [unit, unit] ins(%0 : !b) outs(%1 : !b) maps(%to, %other)
  // The first one is free, and another descriptor shows it.
  // PLAN: wrapper.launch_user
  // PLAN-NEXT: %[[C:.*]] = wrapper.reuse %[[A]]
  // PLAN-NEXT: wrapper.tma_descriptor %[[C]]
  %2 = wrapper.alloc : !b
  %last = wrapper.tma_descriptor %2 box [8, 32] : !b
  wrapper.launch_user @k grid @once[] config {} arguments [unit, unit] ins(%1 : !b) outs(%2 : !b) maps(%other, %last)
  // PLAN: wrapper.launch_user
  // PLAN-NEXT: wrapper.free %[[B]]
  wrapper.launch_user @k grid @once[] config {} arguments [unit, unit] ins(%x : !b) outs(%2 : !b) maps(%same, %last)
  wrapper.return %2 : !b
}

// A partition that was made by hand makes its maps itself.
// OUTLINE-LABEL: wrapper.func @partition(
// OUTLINE:         wrapper.partition_call @partition_partition0
// OUTLINE:         %[[R:.*]]:2 = wrapper.partition_call @partition_partition1
// OUTLINE-NEXT:    %[[D:.*]] = wrapper.tma_descriptor %[[R]]#{{[01]}}
// OUTLINE:         wrapper.launch_user {{.*}} maps(%[[D]],
// OUTLINE-LABEL: wrapper.func private @partition_partition0(
// OUTLINE-SAME:    %[[X:.*]]: !wrapper.buffer<{{.*}}>, %[[Y:.*]]: !wrapper.buffer
// OUTLINE:         %[[V:.*]] = wrapper.reinterpret %[[X]]
// OUTLINE:         wrapper.tma_descriptor %[[V]]
// OUTLINE:         wrapper.launch_user
wrapper.func @partition(%x: !b) -> (!b, !b) attributes {sym.symbols = {s0 = #sym.range<1, 1024>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !b
  %v = wrapper.reinterpret %x at <32> : !b to !v
  %part = wrapper.tma_descriptor %v box [8, 32] : !v
  %0 = wrapper.alloc : !b
  %map = wrapper.tma_descriptor %0 box [8, 32] : !b
  %1 = wrapper.alloc : !b
  %next = wrapper.tma_descriptor %1 box [8, 32] : !b
  wrapper.partition #wrapper.device<"cuda"> {
    wrapper.launch_user @k grid @once[] config {} arguments [unit, unit] ins(%v : !v) outs(%0 : !b) maps(%part, %map)
    wrapper.yield
  }
  %2 = wrapper.partition #wrapper.device<"cuda"> -> (!b) {
    %3 = wrapper.alloc : !b
    wrapper.fill %3 bytes 0 : !b
    wrapper.launch_user @k grid @once[] config {} arguments [unit, unit] ins(%0 : !b) outs(%1 : !b) maps(%map, %next)
    wrapper.yield %3 : !b
  }
  wrapper.launch_user @k grid @once[] config {} arguments [unit, unit] ins(%1 : !b) outs(%0 : !b) maps(%next, %map)
  wrapper.return %2, %0 : !b, !b
}

// On a stream a map is made where it is used, or in front.
// PLAN-LABEL: wrapper.func @stream
wrapper.func @stream(%x: !b) -> !b attributes {sym.symbols = {s0 = #sym.range<1, 1024>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !b
  %0 = wrapper.alloc : !b
  %to = wrapper.tma_descriptor %0 box [8, 32] : !b
  %begin = wrapper.record_event #wrapper.device<"cuda">
  // PLAN: wrapper.stream
  wrapper.stream #wrapper.device<"cuda"> 1 {
    wrapper.wait_event %begin
    // PLAN: wrapper.tma_descriptor %arg0
    %from = wrapper.tma_descriptor %x box [8, 32] : !b
    wrapper.launch_user @k grid @once[] config {} arguments [unit, unit] ins(%x : !b) outs(%0 : !b) maps(%from, %to)
    wrapper.yield
  }
  %end = wrapper.record_event #wrapper.device<"cuda"> stream 1
  wrapper.wait_event %end uses(%x, %0 : !b, !b)
  wrapper.return %0 : !b
}
