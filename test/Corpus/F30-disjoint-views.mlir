// RUN: %corpus %s
// Views of one buffer that share no element are written apart; the buffer is read behind
// the last.
// CASE: 2xf32=1 2; 2xf32=3 4 -> 4xf32=2 4 6 8

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!h = !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>

wrapper.kernel @double(%x0: tensor<4xf32>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = [], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "double" [4] (%a0 = %x0) : (tensor<4xf32>) -> tensor<4xf32> {
    %v0 = loop.load %a0[d0] : tensor<4xf32> -> f32
    %m = arith.addf %v0, %v0 : f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4xf32>
}

wrapper.func @main(%x: !h, %y: !h) -> !b {
  %0 = wrapper.alloc : !b
  %1 = wrapper.reinterpret %0 at <0> : !b to !h
  %2 = wrapper.reinterpret %0 at <2> : !b to !h
  wrapper.copy %x to %1 : !h
  wrapper.copy %y to %2 : !h
  %3 = wrapper.alloc : !b
  wrapper.launch @double[] ins(%0 : !b) outs(%3 : !b)
  wrapper.return %3 : !b
}
