// RUN: %corpus %s
// What one branch gives is what the next one reads, writes and gives on.
// CASE: i1=true; i1=true; 4xf32=1 2 3 4 -> 4xf32=-2 -4 -6 -8
// CASE: i1=true; i1=false; 4xf32=1 2 3 4 -> 4xf32=2 4 6 8
// CASE: i1=false; i1=true; 4xf32=1 2 3 4 -> 4xf32=1 2 3 4
// CASE: i1=false; i1=false; 4xf32=1 2 3 4 -> 4xf32=-1 -2 -3 -4

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

wrapper.kernel @neg(%x0: tensor<4xf32>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = [], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "neg" [4] (%a0 = %x0) : (tensor<4xf32>) -> tensor<4xf32> {
    %v0 = loop.load %a0[d0] : tensor<4xf32> -> f32
    %m = arith.negf %v0 : f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4xf32>
}

wrapper.func @main(%p: !p, %q: !p, %x: !b) -> !b {
  %r = wrapper.if %p : !p -> (!b) {
    %0 = wrapper.alloc : !b
    wrapper.launch @double[] ins(%x : !b) outs(%0 : !b)
    wrapper.yield %0 : !b
  } else {
    %0 = wrapper.alloc : !b
    wrapper.launch @neg[] ins(%x : !b) outs(%0 : !b)
    wrapper.yield %0 : !b
  }
  %s = wrapper.if %q : !p -> (!b) {
    %0 = wrapper.alloc : !b
    wrapper.launch @neg[] ins(%r : !b) outs(%0 : !b)
    wrapper.yield %0 : !b
  } else {
    %0 = wrapper.alloc : !b
    wrapper.copy %r to %0 : !b
    wrapper.yield %0 : !b
  }
  wrapper.return %s : !b
}
