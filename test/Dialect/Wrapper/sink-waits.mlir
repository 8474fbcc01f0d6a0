// RUN: coil-opt %s --split-input-file --wrapper-sink-waits | FileCheck %s
// RUN: coil-opt %s --split-input-file --wrapper-sink-waits --wrapper-sink-waits | FileCheck %s
// RUN: coil-opt %s --split-input-file --wrapper-sink-waits --remarks-filter=wrapper-sink-waits 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// wrapper_sink_waits_c1: the percentage is not negative.
// RUN: not coil-opt %s --split-input-file --wrapper-sink-waits=peak-percent=-1 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: error: 'peak-percent' is negative

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

// A wait goes down to the first use; the copy runs beside.
// CHECK-LABEL: wrapper.func @down
// CHECK: wrapper.collective
// CHECK: wrapper.copy %arg1
// CHECK: wrapper.wait
// CHECK-NEXT: wrapper.return
// REMARK: 1 steps run concurrently with the all_reduce sum of group '0'
wrapper.func @down(%x: !b, %z: !b) -> (!b, !b) {
  %y = wrapper.alloc : !b
  %t = wrapper.collective all_reduce sum %x to %y group "0" : !b to !b
  wrapper.wait %t of %x to %y : !b to !b
  %a = wrapper.alloc : !b
  wrapper.copy %z to %a : !b
  wrapper.return %y, %a : !b, !b
}

// A start goes up to what makes its source, with the allocation of its target.
// CHECK-LABEL: wrapper.func @up
// CHECK: wrapper.fill
// CHECK: %[[Y:.*]] = wrapper.alloc
// CHECK-NEXT: wrapper.collective all_gather %{{.*}} to %[[Y]]
// CHECK: wrapper.copy
// CHECK: wrapper.wait
wrapper.func @up(%z: !b) -> (!b, !b) {
  %x = wrapper.alloc : !b
  wrapper.fill %x bytes 0 : !b
  %a = wrapper.alloc : !b
  wrapper.copy %z to %a : !b
  %y = wrapper.alloc : !b
  %t = wrapper.collective all_gather %x to %y group "0" : !b to !b
  wrapper.wait %t of %x to %y : !b to !b
  wrapper.return %y, %a : !b, !b
}

// What writes the source, or reads the target, is not passed.
// CHECK-LABEL: wrapper.func @stays
// CHECK: wrapper.fill %[[X:.*]] bytes 0
// CHECK-NEXT: wrapper.collective
// CHECK-NEXT: wrapper.wait
// CHECK-NEXT: wrapper.fill %[[X]] bytes 1
wrapper.func @stays(%z: !b) -> (!b, !b) {
  %x = wrapper.alloc : !b
  %y = wrapper.alloc : !b
  wrapper.fill %x bytes 0 : !b
  %t = wrapper.collective all_gather %x to %y group "0" : !b to !b
  wrapper.wait %t of %x to %y : !b to !b
  wrapper.fill %x bytes 1 : !b
  wrapper.return %y, %x : !b, !b
}

// Starts keep their order, and pass no wait; the copy runs beside the second.
// CHECK-LABEL: wrapper.func @two
// CHECK: wrapper.collective all_reduce
// CHECK: wrapper.wait
// CHECK: wrapper.collective broadcast
// CHECK: wrapper.copy
// CHECK: wrapper.wait
wrapper.func @two(%x: !b, %z: !b) -> (!b, !b) {
  %y = wrapper.alloc : !b
  %t = wrapper.collective all_reduce sum %x to %y group "0" : !b to !b
  wrapper.wait %t of %x to %y : !b to !b
  %a = wrapper.alloc : !b
  wrapper.copy %z to %a : !b
  %w = wrapper.alloc : !b
  %u = wrapper.collective broadcast %y to %w root 0 group "0" : !b to !b
  wrapper.wait %u of %y to %w : !b to !b
  wrapper.return %w, %a : !b, !b
}

// -----

!l = !wrapper.buffer<[1000], f32, #wrapper.device<"cpu">>
!s = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.kernel @sum(%x: tensor<1000xf32>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "sum" [4] (%a = %x) : (tensor<1000xf32>) -> tensor<4xf32> {
    %v = loop.load %a[d0] : tensor<1000xf32> -> f32
    loop.store %v, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4xf32>
}

// A source that would live on beside large memory is waited for before.
// CHECK-LABEL: wrapper.func @peak
// CHECK: wrapper.collective
// CHECK-NEXT: wrapper.wait
// CHECK: wrapper.fill
// REMARK: not moved: the peak would be above 110 percent of
// REMARK: 0 steps run concurrently with the all_gather of group '0'
wrapper.func @peak() -> (!s, !s) {
  %x = wrapper.alloc : !l
  wrapper.fill %x bytes 0 : !l
  %y = wrapper.alloc : !l
  %t = wrapper.collective all_gather %x to %y group "0" : !l to !l
  wrapper.wait %t of %x to %y : !l to !l
  %0 = wrapper.alloc : !s
  wrapper.launch @sum[] ins(%x : !l) outs(%0 : !s)
  %z = wrapper.alloc : !l
  wrapper.fill %z bytes 1 : !l
  %1 = wrapper.alloc : !s
  wrapper.launch @sum[] ins(%z : !l) outs(%1 : !s)
  %2 = wrapper.alloc : !s
  wrapper.launch @sum[] ins(%y : !l) outs(%2 : !s)
  %3 = wrapper.alloc : !s
  wrapper.copy %2 to %3 : !s
  wrapper.return %0, %3 : !s, !s
}
