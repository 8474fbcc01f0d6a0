// RUN: coil-opt %s --wrapper-drop-in-place --split-input-file | FileCheck %s

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>

// Only pairs of an input and an output that a launch has at one place are left:
// through what hands storage over, and of any of several launches.
// CHECK-LABEL: wrapper.kernel @one
// CHECK-SAME: in_place = array<i64: 1, 0>
wrapper.kernel @one() attributes {
    device = #wrapper.device<"cuda">, in_place = array<i64: 0, 0, 1, 0>,
    input_strides = [#sym.shape<[1]>, #sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
}
// CHECK-LABEL: wrapper.kernel @none
// CHECK-NOT: in_place
// CHECK: wrapper.func
wrapper.kernel @none() attributes {
    device = #wrapper.device<"cuda">, in_place = array<i64: 0, 0>,
    input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
}
wrapper.func @main(%x: !b, %y: !b) -> !b {
  %0 = wrapper.alloc : !b
  wrapper.launch @one[] ins(%x, %y : !b, !b) outs(%0 : !b)
  %1 = wrapper.reuse %0 : !b to !b
  wrapper.launch @one[] ins(%x, %1 : !b, !b) outs(%1 : !b)
  %2 = wrapper.alloc : !b
  wrapper.launch @none[] ins(%1 : !b) outs(%2 : !b)
  wrapper.free %1 : !b
  wrapper.return %2 : !b
}

// -----

// A kernel that something else refers to may be launched anywhere (C1).
// CHECK-LABEL: wrapper.kernel @other
// CHECK-SAME: in_place = array<i64: 0, 0>
wrapper.kernel @other() attributes {
    device = #wrapper.device<"cuda">, in_place = array<i64: 0, 0>,
    input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
}
func.func private @launches() attributes {kernel = @other}
