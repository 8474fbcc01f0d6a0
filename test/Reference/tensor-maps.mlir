// RUN: not coil-interpret %s --function=main --input='4x6xf32=1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1' 2>&1 | FileCheck %s --check-prefix=STRIDE
// RUN: not coil-interpret %s --function=main --input='0x8xf32=' 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: coil-interpret %s --function=main --input='1x6xf32=1 2 3 4 5 6'
// RUN: coil-interpret %s --function=main --input='3x8xf32=1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1'

// What a run finds wrong with a layout. A single row has no stride.

!b = !wrapper.buffer<[s0, s1], f32, #wrapper.device<"cuda">>
wrapper.func @main(%x: !b) attributes {sym.symbols = {s0 = #sym.range<0, 64>, s1 = #sym.range<0, 64>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !b
  wrapper.input_symbol "s1" = size 1 of %x : !b
  // STRIDE: tensor-maps.mlir:[[# @LINE + 2]]:8: error: dimension 0 has a stride of 6 elements of 4 bytes, but a tensor map needs a positive multiple of 16 bytes, less than 2^40
  // SIZE: tensor-maps.mlir:[[# @LINE + 1]]:8: error: dimension 0 has the size 0, but a tensor map takes 1 to 2^32
  %d = wrapper.tma_descriptor %x box [4, 4] : !b
  wrapper.return
}
