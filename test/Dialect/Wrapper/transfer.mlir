// RUN: coil-opt %s | coil-opt | FileCheck %s
// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper-partition-graph{min-ops=1})' --remark-format=emitRemark --remarks-filter=wrapper-partition-graph 2>&1 | FileCheck %s --check-prefix=REMARK

!h = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!s = !wrapper.buffer<[4], strides = [2], f32, #wrapper.device<"cpu">>
!g = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
!p = !wrapper.buffer<[4], f32, #wrapper.device<"cuda", 1>>

// CHECK-LABEL: wrapper.func @moves
wrapper.func @moves(%x: !h, %s: !s, %p: !p) -> !h {
  %0 = wrapper.alloc : !g
  // CHECK: wrapper.transfer %{{.*}} to %[[G:.*]] non_blocking : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">> to !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
  // REMARK: not in a graph: it copies from one device to another (wrapper.transfer)
  wrapper.transfer %x to %0 non_blocking : !h to !g
  // CHECK: wrapper.transfer %{{.*}} to %[[G]] : !wrapper.buffer<[4], strides = [2], f32
  wrapper.transfer %s to %0 : !s to !g
  // CHECK: wrapper.transfer %{{.*}} to %[[G]] : !wrapper.buffer<[4], f32, #wrapper.device<"cuda", 1>> to
  wrapper.transfer %p to %0 : !p to !g
  %1 = wrapper.alloc : !h
  // CHECK: wrapper.transfer %[[G]] to
  wrapper.transfer %0 to %1 : !g to !h
  wrapper.free %0 : !g
  wrapper.return %1 : !h
}
