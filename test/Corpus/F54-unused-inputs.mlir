// RUN: %corpus %s
// Inputs that nothing uses are checked like others, and stay in the signature.
// CASE: 4xf32=9 9 9 9; 2xi64=1 2; 4xf32=1 2 3 4 -> 4xf32=2 4 6 8
// CASE: 4xf32=9 9 9 9; 3xi64=1 2 3; 4xf32=1 2 3 4 -> error: dimension 0

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[2], i64, #wrapper.device<"cpu">>

wrapper.kernel @double(%x0: tensor<4xf32>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = [], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "double" [4] (%a0 = %x0) : (tensor<4xf32>) -> tensor<4xf32> {
    %v0 = loop.load %a0[d0] : tensor<4xf32> -> f32
    %m = arith.addf %v0, %v0 : f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4xf32>
}

wrapper.func @main(%unused: !b, %i: !i, %x: !b) -> !b {
  wrapper.assert_layout %i, "i" : !i
  %0 = wrapper.alloc : !b
  wrapper.launch @double[] ins(%x : !b) outs(%0 : !b)
  wrapper.return %0 : !b
}
