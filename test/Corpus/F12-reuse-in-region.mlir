// RUN: %corpus %s
// Buffers of a branch that reuse each other: the result is the last name.
// CASE: i1=true; 4xf32=1 2 3 4 -> 4xf32=5 9 13 17
// CASE: i1=false; 4xf32=1 2 3 4 -> 4xf32=-2 -3 -4 -5

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>

wrapper.kernel @double(%x0: tensor<4xf32>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = [], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "double" [4] (%a0 = %x0) : (tensor<4xf32>) -> tensor<4xf32> {
    %v0 = loop.load %a0[d0] : tensor<4xf32> -> f32
    %m = arith.addf %v0, %v0 : f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4xf32>
}

wrapper.kernel @negate(%x0: tensor<4xf32>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = [], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "negate" [4] (%a0 = %x0) : (tensor<4xf32>) -> tensor<4xf32> {
    %v0 = loop.load %a0[d0] : tensor<4xf32> -> f32
    %m = arith.negf %v0 : f32
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

wrapper.func @main(%p: !p, %x: !b) -> !b {
  %r = wrapper.if %p : !p -> (!b) {
    %0 = wrapper.alloc : !b
    wrapper.launch @double[] ins(%x : !b) outs(%0 : !b)
    %1 = wrapper.alloc : !b
    wrapper.launch @double[] ins(%0 : !b) outs(%1 : !b)
    %2 = wrapper.alloc : !b
    wrapper.launch @inc[] ins(%1 : !b) outs(%2 : !b)
    wrapper.yield %2 : !b
  } else {
    %0 = wrapper.alloc : !b
    wrapper.launch @inc[] ins(%x : !b) outs(%0 : !b)
    %1 = wrapper.alloc : !b
    wrapper.launch @negate[] ins(%0 : !b) outs(%1 : !b)
    wrapper.yield %1 : !b
  }
  wrapper.return %r : !b
}
