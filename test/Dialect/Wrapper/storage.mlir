// RUN: coil-opt %s | coil-opt | FileCheck %s
// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper.func(wrapper-expand-resizes),wrapper-plan-memory{mode=none},wrapper-verify-memory)' | FileCheck %s --check-prefix=EXPAND
// RUN: coil-opt %s --wrapper-release-inputs | FileCheck %s --check-prefix=DROP
// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper.func(wrapper-expand-resizes),wrapper-plan-memory,wrapper-release-inputs,wrapper-verify-memory)' -o /dev/null

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!n = !wrapper.buffer<[0], f32, #wrapper.device<"cpu">>
!l = !wrapper.buffer<[8], f32, #wrapper.device<"cpu">>

// An argument stays the caller's; what is the function's is allocated anew.
// CHECK-LABEL: wrapper.func @main(
// EXPAND-LABEL: wrapper.func @main(
wrapper.func @main(%x: !b, %y: !l) -> !l {
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  // CHECK: wrapper.resize_storage %{{.*}} : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">> to !wrapper.buffer<[0], f32, #wrapper.device<"cpu">>
  // EXPAND: wrapper.resize_storage
  // DROP: wrapper.drop %arg1
  // DROP: %[[E:.*]] = wrapper.resize_storage
  // DROP-NEXT: wrapper.drop %[[E]]
  %e = wrapper.resize_storage %x : !b to !n
  // EXPAND: %[[A:.*]] = wrapper.alloc : !wrapper.buffer<[8]
  // EXPAND-NEXT: %[[V:.*]] = wrapper.reinterpret %[[A]] at <0>
  // EXPAND-NEXT: wrapper.copy %{{.*}} to %[[V]]
  // EXPAND-NEXT: wrapper.free
  // EXPAND-NOT: wrapper.resize_storage
  %1 = wrapper.resize_storage %0 : !b to !l
  wrapper.return %1 : !l
}

// CHECK-LABEL: wrapper.func @set(
// DROP-LABEL: wrapper.func @set(
wrapper.func @set(%x: !b, %y: !l) {
  // CHECK: wrapper.set_storage %{{.*}} from %{{.*}} : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>, !wrapper.buffer<[8], f32, #wrapper.device<"cpu">>
  // DROP: wrapper.set_storage
  // DROP-NEXT: wrapper.drop %arg1
  // DROP-NEXT: wrapper.return
  wrapper.set_storage %x from %y : !b, !l
  wrapper.return
}
