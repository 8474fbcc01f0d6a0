// RUN: %corpus %s
// A function that fails in the middle of a program: its text comes through, and nothing is left behind.
// CASE: 4xf32=1 2 3 4 -> 4xf32=4 8 12 16
// CASE: 4xf32=1 2 9 4 -> error: failed: element 2 is above 8

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
  %1 = wrapper.extern_call "test::check"(%0, 8.0) : (!b) -> !b
  wrapper.assert_layout %1, "checked" : !b
  %2 = wrapper.alloc : !b
  wrapper.launch @double[] ins(%1 : !b) outs(%2 : !b)
  wrapper.return %2 : !b
}
