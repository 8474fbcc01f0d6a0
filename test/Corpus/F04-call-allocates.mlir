// RUN: %corpus %s
// A function that allocates its result between kernels and other calls; one without operands.
// CASE: 4xf32=1 2 3 4 -> 4xf32=5 9 13 17

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.kernel @double(%x0: tensor<4xf32>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = [], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "double" [4] (%a0 = %x0) : (tensor<4xf32>) -> tensor<4xf32> {
    %v0 = loop.load %a0[d0] : tensor<4xf32> -> f32
    %m = arith.addf %v0, %v0 : f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4xf32>
}

wrapper.func @main(%x: !b) -> !b {
  %0 = wrapper.alloc : !b
  wrapper.launch @double[] ins(%x : !b) outs(%0 : !b)
  %1 = wrapper.extern_call "test::scale"(%0, 2.0, none) names ["x", "factor", "bias"] : (!b) -> !b
  wrapper.assert_layout %1, "result" : !b
  %2 = wrapper.extern_call "test::fill"([<4>], 1.0, f32) : () -> !b
  wrapper.assert_layout %2, "result" : !b
  %3 = wrapper.extern_call "test::scale"(%1, 1.0, %2) : (!b, !b) -> !b
  wrapper.assert_layout %3, "result" : !b
  wrapper.return %3 : !b
}
