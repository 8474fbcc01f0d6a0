// RUN: coil-opt %s --wrapper-recompute-for-memory | FileCheck %s
// RUN: coil-opt %s --wrapper-recompute-for-memory --remarks-filter=wrapper-recompute-for-memory 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: coil-opt %s --wrapper-recompute-for-memory --wrapper-plan-memory --wrapper-verify-memory -o /dev/null
// RUN: coil-opt %s --wrapper-recompute-for-memory=budget=99999 | FileCheck %s --check-prefix=NOTHING

// B07: where most memory is in use, what waits for later is computed again.

!l = !wrapper.buffer<[128], f32, #wrapper.device<"cpu">>
!w = !wrapper.buffer<[1024], f32, #wrapper.device<"cpu">>
!s = !wrapper.buffer<[1], f32, #wrapper.device<"cpu">>
wrapper.kernel @mask() attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
}
wrapper.kernel @apply() attributes {input_strides = [#sym.shape<[1]>, #sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
}
wrapper.kernel @wide() attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
}
wrapper.kernel @sum() attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
}
wrapper.kernel @both() attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>, #sym.shape<[1]>], symbols = []} {
}
wrapper.kernel @two() attributes {input_strides = [#sym.shape<[1]>, #sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
}

// REMARK: Cost=1024, Freed=512, LowerBound=4608, Remark="'mask' is computed again instead of kept", Steps=1
// REMARK: After=4608, Before=5120, Budget=0
// REMARK: Cost=0, Freed=512, LowerBound=4160, Remark="'mask' is computed again instead of kept", Steps=1
// REMARK: After=4160, Before=4672, Budget=0
// REMARK: After=5120, Before=5120, Budget=0
// REMARK: After=4672, Before=4672, Budget=0

// CHECK-LABEL: wrapper.func @repeat
// CHECK: launch @wide
// CHECK: launch @sum
// CHECK: wrapper.launch @mask[] ins(%arg0 {{.*}} outs(%[[M:.+]] :
// CHECK: wrapper.launch @two[] ins({{.*}}, %[[M]] :
// NOTHING-LABEL: wrapper.func @repeat
// NOTHING-COUNT-1: launch @mask
// NOTHING-NOT: launch @mask
// NOTHING-LABEL: wrapper.func @move
wrapper.func @repeat(%x: !l) -> !l {
  %m = wrapper.alloc : !l
  wrapper.launch @mask[] ins(%x : !l) outs(%m : !l)
  %y = wrapper.alloc : !l
  wrapper.launch @apply[] ins(%x, %m : !l, !l) outs(%y : !l)
  %w = wrapper.alloc : !w
  wrapper.launch @wide[] ins(%y : !l) outs(%w : !w)
  %s = wrapper.alloc : !s
  wrapper.launch @sum[] ins(%w : !w) outs(%s : !s)
  %z = wrapper.alloc : !l
  wrapper.launch @two[] ins(%s, %m : !s, !l) outs(%z : !l)
  wrapper.return %z : !l
}

// Nothing reads the mask before: the step moves.
// CHECK-LABEL: wrapper.func @move
// CHECK-NOT: launch @mask
// CHECK: launch @sum
// CHECK: launch @mask
// CHECK-NOT: launch @mask
// CHECK: return
wrapper.func @move(%x: !l) -> !l {
  %m = wrapper.alloc : !l
  wrapper.launch @mask[] ins(%x : !l) outs(%m : !l)
  %w = wrapper.alloc : !w
  wrapper.launch @wide[] ins(%x : !l) outs(%w : !w)
  %s = wrapper.alloc : !s
  wrapper.launch @sum[] ins(%w : !w) outs(%s : !s)
  %z = wrapper.alloc : !l
  wrapper.launch @two[] ins(%s, %m : !s, !l) outs(%z : !l)
  wrapper.return %z : !l
}

// (C3) Something writes the operand in the meantime: the buffer is kept.
// CHECK-LABEL: wrapper.func @operand_is_written
// CHECK-COUNT-1: launch @mask
// CHECK-NOT: launch @mask
// CHECK: return
wrapper.func @operand_is_written(%x: !l) -> !l {
  %t = wrapper.alloc : !l
  wrapper.copy %x to %t : !l
  %m = wrapper.alloc : !l
  wrapper.launch @mask[] ins(%t : !l) outs(%m : !l)
  wrapper.fill %t bytes 0 : !l
  %w = wrapper.alloc : !w
  wrapper.launch @wide[] ins(%t : !l) outs(%w : !w)
  %s = wrapper.alloc : !s
  wrapper.launch @sum[] ins(%w : !w) outs(%s : !s)
  %z = wrapper.alloc : !l
  wrapper.launch @two[] ins(%s, %m : !s, !l) outs(%z : !l)
  wrapper.return %z : !l
}

// (C1) Two steps write the buffer.
// CHECK-LABEL: wrapper.func @two_writers
// CHECK-COUNT-1: launch @mask
// CHECK-NOT: launch @mask
// CHECK: return
wrapper.func @two_writers(%x: !l) -> !l {
  %m = wrapper.alloc : !l
  wrapper.fill %m bytes 0 : !l
  wrapper.launch @mask[] ins(%x : !l) outs(%m : !l)
  %w = wrapper.alloc : !w
  wrapper.launch @wide[] ins(%x : !l) outs(%w : !w)
  %s = wrapper.alloc : !s
  wrapper.launch @sum[] ins(%w : !w) outs(%s : !s)
  %z = wrapper.alloc : !l
  wrapper.launch @two[] ins(%s, %m : !s, !l) outs(%z : !l)
  wrapper.return %z : !l
}
