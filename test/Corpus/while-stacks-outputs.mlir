// RUN: %corpus %s
// Each iteration writes its row of a buffer from outside, through a view at an
// offset that the carried number says.
// CASE: 4xf32=1 2 3 4 -> 3x4xf32=1 2 3 4 2 4 6 8 4 8 12 16; 4xf32=8 16 24 32

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!s = !wrapper.buffer<[3, 4], f32, #wrapper.device<"cpu">>

wrapper.kernel @double(%x0: tensor<4xf32>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = [], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "double" [4] (%a0 = %x0) : (tensor<4xf32>) -> tensor<4xf32> {
    %v0 = loop.load %a0[d0] : tensor<4xf32> -> f32
    %m = arith.addf %v0, %v0 : f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4xf32>
}

wrapper.func @main(%x: !b) -> (!s, !b) {
  %all = wrapper.alloc : !s
  %row0 = wrapper.reinterpret %all at <0> : !s to !b
  wrapper.copy %x to %row0 : !b
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  %r = wrapper.while %0 : !b symbols ["i"] from [0] -> (!b) {
  ^bb0(%a: !b):
    %c = wrapper.compare <i> lt <3>
    wrapper.condition %c pass %a : !b
  } do {
  ^bb0(%a: !b):
    %row = wrapper.reinterpret %all at <i * 4> : !s to !b
    wrapper.copy %a to %row : !b
    %1 = wrapper.alloc : !b
    wrapper.launch @double[] ins(%a : !b) outs(%1 : !b)
    wrapper.yield %1 : !b symbols [i + 1]
  }
  wrapper.return %all, %r : !s, !b
}
