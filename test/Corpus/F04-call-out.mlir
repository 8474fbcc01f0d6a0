// RUN: %corpus %s
// A function that writes its result to a buffer of the program.
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

wrapper.func @main(%x: !b) -> !b {
  %0 = wrapper.alloc : !b
  wrapper.launch @double[] ins(%x : !b) outs(%0 : !b)
  %1 = wrapper.alloc : !b
  wrapper.extern_call_out "test::scale"(%0, 2.0, none) outs(%1 : !b) : !b
  %2 = wrapper.alloc : !b
  wrapper.launch @double[] ins(%1 : !b) outs(%2 : !b)
  wrapper.return %2 : !b
}
