// RUN: %corpus %s
// B22: a view is an op in front of the return.
// Results that are views: transposed, and a part of a branch's buffer.
// CASE: i1=true; 2x3xf32=1 2 3 4 5 6 -> 3x2xf32=1 4 2 5 3 6; 2xf32=2 4
// CASE: i1=false; 2x3xf32=1 2 3 4 5 6 -> 3x2xf32=1 4 2 5 3 6; 2xf32=-1 -2

!m = !wrapper.buffer<[2, 3], f32, #wrapper.device<"cpu">>
!t = !wrapper.buffer<[3, 2], strides = [1, 3], f32, #wrapper.device<"cpu">>
!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!h = !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>
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

wrapper.func @main(%p: !p, %x: !m) -> (!t, !h) {
  %0 = wrapper.alloc : !m
  wrapper.copy %x to %0 : !m
  %1 = wrapper.reinterpret %0 at <0> : !m to !t
  %k = wrapper.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32> to !b
  %r = wrapper.if %p : !p -> (!h) {
    %2 = wrapper.alloc : !b
    wrapper.launch @double[] ins(%k : !b) outs(%2 : !b)
    %3 = wrapper.reinterpret %2 at <0> : !b to !h
    wrapper.yield %3 : !h
  } else {
    %2 = wrapper.alloc : !b
    wrapper.launch @negate[] ins(%k : !b) outs(%2 : !b)
    %3 = wrapper.reinterpret %2 at <0> : !b to !h
    wrapper.yield %3 : !h
  }
  wrapper.return %1, %r : !t, !h
}
