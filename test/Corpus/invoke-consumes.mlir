// RUN: %corpus %s
// A function that consumes its operand works in its storage, and one that frees
// it early.
// CASE: 4xf32=1 2 3 4 -> 4xf32=3 5 7 9

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

wrapper.kernel @inc(%x0: tensor<4xf32>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = [], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "inc" [4] (%a0 = %x0) : (tensor<4xf32>) -> tensor<4xf32> {
    %v0 = loop.load %a0[d0] : tensor<4xf32> -> f32
    %o = arith.constant 1.0 : f32
    %m = arith.addf %v0, %o : f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4xf32>
}

wrapper.func private @in_place(%x: !b {wrapper.consumed}) -> !b {
  %0 = wrapper.alloc : !b
  wrapper.launch @double[] ins(%x : !b) outs(%0 : !b)
  wrapper.return %0 : !b
}
wrapper.func private @apart(%x: !b {wrapper.consumed}, %y: !b) -> !b {
  %0 = wrapper.alloc : !b
  wrapper.launch @inc[] ins(%y : !b) outs(%0 : !b)
  wrapper.return %0 : !b
}
wrapper.func @main(%x: !b) -> !b {
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  %1 = wrapper.invoke @in_place(%0) consumes [0] : (!b) -> !b
  %2 = wrapper.alloc : !b
  wrapper.copy %x to %2 : !b
  %3 = wrapper.invoke @apart(%2, %1) consumes [0] : (!b, !b) -> !b
  wrapper.return %3 : !b
}
