// RUN: coil-opt %s --split-input-file --wrapper-hoist-device-guards --remarks-filter=wrapper-hoist-device-guards 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: coil-opt %s --split-input-file --wrapper-hoist-device-guards --wrapper-hoist-device-guards | FileCheck %s --check-prefix=TWICE
// RUN: coil-opt %s --split-input-file --wrapper-hoist-device-guards --wrapper-verify-memory -o /dev/null

// One guard for two partitions (F21); checks of inputs stay in front.
// REMARK: remark: {{.*}}one guard of the device for 2 partitions
// CHECK-LABEL: wrapper.func @two
// CHECK: wrapper.input_symbol
// CHECK: %[[S:.+]]:2 = wrapper.device_scope #wrapper.device<"cuda">
// CHECK: wrapper.partition_call
// CHECK: wrapper.item
// CHECK: wrapper.partition_call
// CHECK: wrapper.yield
// CHECK: %[[V:.+]] = wrapper.reinterpret %[[S]]#1 at <0>
// CHECK: wrapper.return %[[S]]#0, %[[V]]
// TWICE-LABEL: wrapper.func @two
// TWICE: wrapper.device_scope
// TWICE-NOT: wrapper.device_scope
!s = !wrapper.buffer<[s0], f32, #wrapper.device<"cuda">>
!r = !wrapper.buffer<[1, s0], f32, #wrapper.device<"cuda">>
!n = !wrapper.buffer<[], i64, #wrapper.device<"cuda">>
!u = !wrapper.buffer<[u0], f32, #wrapper.device<"cuda">>
wrapper.func private @part(%x: !s) -> (!s, !n) {
  wrapper.param_symbols ["s0"]
  %0 = wrapper.alloc : !s
  wrapper.copy %x to %0 : !s
  %c = wrapper.constant dense<3> : tensor<i64> to !n
  %1 = wrapper.alloc : !n
  wrapper.copy %c to %1 : !n
  wrapper.return %0, %1 : !s, !n
}
wrapper.func @two(%x: !s) -> (!s, !r) attributes {sym.symbols = {s0 = #sym.range<0, 8>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !s
  wrapper.assert_layout %x, "x" : !s
  %0:2 = wrapper.partition_call @part(%x) symbols [s0] : (!s) -> (!s, !n)
  wrapper.item "u0" = %0#1 : !n
  wrapper.free %0#1 : !n
  %1:2 = wrapper.partition_call @part(%x) symbols [s0] : (!s) -> (!s, !n)
  wrapper.free %1#1 : !n
  %v = wrapper.reinterpret %1#0 at <0> : !s to !r
  wrapper.return %0#0, %v : !s, !r
}

// -----

// Two devices share nothing.
// REMARK: remark: {{.*}}the device is selected by each step: there are several
// CHECK-LABEL: wrapper.func @devices
// CHECK-NOT: wrapper.device_scope
!a = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
!b = !wrapper.buffer<[4], f32, #wrapper.device<"cuda", 1>>
wrapper.func private @part0(%x: !a) {
  wrapper.return
}
wrapper.func private @part1(%x: !b) {
  wrapper.return
}
wrapper.func @devices(%x: !a, %y: !b) {
  wrapper.partition_call @part0(%x) : (!a) -> ()
  wrapper.partition_call @part1(%y) : (!b) -> ()
  wrapper.return
}

// -----

// One graph that is all there is.
// REMARK: remark: {{.*}}there is one partition and nothing else
// CHECK-LABEL: wrapper.func @single
// CHECK-NOT: wrapper.device_scope
!a = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
wrapper.func private @part0(%x: !a) {
  wrapper.return
}
wrapper.func @single(%x: !a) {
  wrapper.partition_call @part0(%x) : (!a) -> ()
  wrapper.return
}

// -----

// The host's memory has no device to select.
// CHECK-LABEL: wrapper.func @host
// CHECK-NOT: wrapper.device_scope
!a = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func private @part0(%x: !a) {
  wrapper.return
}
wrapper.func @host(%x: !a) {
  wrapper.partition_call @part0(%x) : (!a) -> ()
  wrapper.partition_call @part0(%x) : (!a) -> ()
  wrapper.return
}
