// RUN: %corpus %s
// A function that changes an operand and gives nothing.
// CASE: 4xf32=1 2 3 4; 4xf32=10 20 30 40 -> 4xf32=11 22 33 44; 4xf32=22 44 66 88

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

wrapper.func @main(%x: !b, %y: !b) -> (!b, !b) {
  %0 = wrapper.alloc : !b
  wrapper.copy %y to %0 : !b
  wrapper.extern_call_out "test::accumulate"(%x, %0) mutates [1] : !b, !b
  %1 = wrapper.alloc : !b
  wrapper.launch @double[] ins(%0 : !b) outs(%1 : !b)
  wrapper.return %0, %1 : !b, !b
}
