// RUN: %corpus %s
// Several results, which are plain values.
// CASE: 4xf32=1 -2 3 -4 -> 4xf32=1 0 3 0; 4xf32=0 -4 0 -8

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

wrapper.func @main(%x: !b) -> (!b, !b) {
  %0:2 = wrapper.extern_call "test::split"(%x) : (!b) -> (!b, !b)
  wrapper.assert_layout %0#0, "positive" : !b
  wrapper.assert_layout %0#1, "negative" : !b
  %1 = wrapper.alloc : !b
  wrapper.launch @double[] ins(%0#1 : !b) outs(%1 : !b)
  wrapper.return %0#0, %1 : !b, !b
}
