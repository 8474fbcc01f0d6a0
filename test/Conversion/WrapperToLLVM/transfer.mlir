// RUN: coil-opt %s --convert-wrapper-to-llvm --split-input-file | FileCheck %s

// Both tensors are described with their devices; who waits is the runtime's matter.
// CHECK-LABEL: llvm.func @coil_moves
// CHECK: llvm.call @coil_rt_transfer(%{{.+}}, %{{.+}}, %{{.+}}, %[[NO:[^)]+]])
// CHECK: llvm.call @coil_rt_transfer(
!h = !wrapper.buffer<[s0], strides = [2], f32, #wrapper.device<"cpu">>
!x = !wrapper.buffer<[s0 * 2], f32, #wrapper.device<"cpu">>
!g = !wrapper.buffer<[s0], f32, #wrapper.device<"cuda">>
!e = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>
!f = !wrapper.buffer<[], i64, #wrapper.device<"cuda">>
wrapper.func @moves(%x: !x, %n: !e) -> (!g, !f) attributes {sym.symbols = {s0 = #sym.range<1, 8>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !x
  wrapper.assert_layout %x, "x" : !x
  %v = wrapper.reinterpret %x at <0> : !x to !h
  %0 = wrapper.alloc : !g
  wrapper.transfer %v to %0 : !h to !g
  %1 = wrapper.alloc : !f
  wrapper.transfer %n to %1 non_blocking : !e to !f
  wrapper.return %0, %1 : !g, !f
}
