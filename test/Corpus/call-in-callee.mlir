// RUN: %corpus %s
// Calls of host functions in a function of the module.
// CASE: 4xf32=1 2 3 4 -> 4xf32=8 16 24 32

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

wrapper.func private @twice(%x: !b) -> !b {
  %0 = wrapper.extern_call "test::scale"(%x, 2.0, none) : (!b) -> !b
  wrapper.assert_layout %0, "a" : !b
  %1 = wrapper.alloc : !b
  wrapper.extern_call_out "test::scale"(%0, 2.0, none) outs(%1 : !b) : !b
  wrapper.return %1 : !b
}
wrapper.func @main(%x: !b) -> !b {
  %0 = wrapper.invoke @twice(%x) : (!b) -> !b
  wrapper.assert_layout %0, "r" : !b
  %1 = wrapper.alloc : !b
  wrapper.launch @double[] ins(%0 : !b) outs(%1 : !b)
  wrapper.return %1 : !b
}
