// RUN: not coil-translate %s --wrapper-to-python 2>&1 | FileCheck %s
// RUN: not coil-translate %s --wrapper-to-fx 2>&1 | FileCheck %s

// CHECK: error: 'wrapper.reinterpret' op has the negative stride -1, which tensors of torch cannot have
!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!r = !wrapper.buffer<[4], strides = [-1], f32, #wrapper.device<"cpu">>
wrapper.func @main(%x: !b) -> !r {
  wrapper.assert_layout %x, "x" : !b
  %0 = wrapper.reinterpret %x at <3> : !b to !r
  wrapper.return %0 : !r
}
