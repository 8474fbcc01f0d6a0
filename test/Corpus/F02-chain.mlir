// RUN: %corpus %s
// Eight steps, each of what the one before made: storage passes along, in two places
// at most.
// CASE: 4xf32=0 1 -1 0.5 -> 4xf32=15 31 -1 23

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

!x = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @main(%x: !x) -> !x {
  %0 = wrapper.alloc : !x
  wrapper.copy %x to %0 : !x
  %1 = wrapper.alloc : !x
  wrapper.launch @double[] ins(%0 : !x) outs(%1 : !x)
  %2 = wrapper.alloc : !x
  wrapper.launch @inc[] ins(%1 : !x) outs(%2 : !x)
  %3 = wrapper.alloc : !x
  wrapper.launch @double[] ins(%2 : !x) outs(%3 : !x)
  %4 = wrapper.alloc : !x
  wrapper.launch @inc[] ins(%3 : !x) outs(%4 : !x)
  %5 = wrapper.alloc : !x
  wrapper.launch @double[] ins(%4 : !x) outs(%5 : !x)
  %6 = wrapper.alloc : !x
  wrapper.launch @inc[] ins(%5 : !x) outs(%6 : !x)
  %7 = wrapper.alloc : !x
  wrapper.launch @double[] ins(%6 : !x) outs(%7 : !x)
  %8 = wrapper.alloc : !x
  wrapper.launch @inc[] ins(%7 : !x) outs(%8 : !x)
  wrapper.return %8 : !x
}
