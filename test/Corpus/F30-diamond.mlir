// RUN: %corpus %s
// Both arms of a diamond read what is made first: it dies with the second of them.
// CASE: 4xf32=1 2 3 4 -> 4xf32=-1 -2 -3 -4; 4xf32=6 10 14 18

wrapper.kernel @inc(%x0: tensor<4xf32>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = [], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "inc" [4] (%a0 = %x0) : (tensor<4xf32>) -> tensor<4xf32> {
    %v = loop.load %a0[d0] : tensor<4xf32> -> f32
    %c = arith.constant 1.0 : f32
    %r = arith.addf %v, %c : f32
    loop.store %r, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4xf32>
}
wrapper.kernel @double(%x0: tensor<4xf32>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = [], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "double" [4] (%a0 = %x0) : (tensor<4xf32>) -> tensor<4xf32> {
    %v = loop.load %a0[d0] : tensor<4xf32> -> f32
    %r = arith.addf %v, %v : f32
    loop.store %r, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4xf32>
}
wrapper.kernel @negate(%x0: tensor<4xf32>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = [], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "negate" [4] (%a0 = %x0) : (tensor<4xf32>) -> tensor<4xf32> {
    %v = loop.load %a0[d0] : tensor<4xf32> -> f32
    %r = arith.negf %v : f32
    loop.store %r, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4xf32>
}
wrapper.kernel @add(%x0: tensor<4xf32>, %x1: tensor<4xf32>) attributes {input_strides = [#sym.shape<[1]>, #sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "add" [4] (%a0 = %x0, %a1 = %x1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    %v = loop.load %a0[d0] : tensor<4xf32> -> f32
    %w = loop.load %a1[d0] : tensor<4xf32> -> f32
    %r = arith.addf %v, %w : f32
    loop.store %r, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4xf32>
}

!x = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @main(%x: !x) -> (!x, !x) {
  %0 = wrapper.alloc : !x
  wrapper.launch @double[] ins(%x : !x) outs(%0 : !x)
  %1 = wrapper.alloc : !x
  wrapper.launch @inc[] ins(%0 : !x) outs(%1 : !x)
  %2 = wrapper.alloc : !x
  wrapper.launch @add[] ins(%0, %x : !x, !x) outs(%2 : !x)
  %3 = wrapper.alloc : !x
  wrapper.launch @add[] ins(%1, %2 : !x, !x) outs(%3 : !x)
  %4 = wrapper.alloc : !x
  wrapper.launch @negate[] ins(%x : !x) outs(%4 : !x)
  %5 = wrapper.alloc : !x
  wrapper.launch @add[] ins(%3, %4 : !x, !x) outs(%5 : !x)
  %6 = wrapper.alloc : !x
  wrapper.launch @inc[] ins(%5 : !x) outs(%6 : !x)
  %7 = wrapper.alloc : !x
  wrapper.launch @negate[] ins(%x : !x) outs(%7 : !x)
  wrapper.return %7, %6 : !x, !x
}
