// RUN: %corpus %s
// One kernel, launched on each row of a matrix: the slices are apart, the kernel is one.
// CASE: 3x2xf32=1 2 3 4 5 6 -> 3x2xf32=2 3 6 8 -5 -6

wrapper.kernel @inc(%x0: tensor<2xf32>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = [], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "inc" [2] (%a0 = %x0) : (tensor<2xf32>) -> tensor<2xf32> {
    %v = loop.load %a0[d0] : tensor<2xf32> -> f32
    %c = arith.constant 1.0 : f32
    %r = arith.addf %v, %c : f32
    loop.store %r, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<2xf32>
}
wrapper.kernel @double(%x0: tensor<2xf32>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = [], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "double" [2] (%a0 = %x0) : (tensor<2xf32>) -> tensor<2xf32> {
    %v = loop.load %a0[d0] : tensor<2xf32> -> f32
    %r = arith.addf %v, %v : f32
    loop.store %r, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<2xf32>
}
wrapper.kernel @negate(%x0: tensor<2xf32>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = [], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "negate" [2] (%a0 = %x0) : (tensor<2xf32>) -> tensor<2xf32> {
    %v = loop.load %a0[d0] : tensor<2xf32> -> f32
    %r = arith.negf %v : f32
    loop.store %r, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<2xf32>
}

!x = !wrapper.buffer<[3, 2], f32, #wrapper.device<"cpu">>
!r = !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>
wrapper.func @main(%x: !x) -> !x {
  %0 = wrapper.alloc : !x
  %x0 = wrapper.reinterpret %x at <0> : !x to !r
  %r0 = wrapper.reinterpret %0 at <0> : !x to !r
  wrapper.launch @inc[] ins(%x0 : !r) outs(%r0 : !r)
  %x1 = wrapper.reinterpret %x at <2> : !x to !r
  %r1 = wrapper.reinterpret %0 at <2> : !x to !r
  wrapper.launch @double[] ins(%x1 : !r) outs(%r1 : !r)
  %x2 = wrapper.reinterpret %x at <4> : !x to !r
  %r2 = wrapper.reinterpret %0 at <4> : !x to !r
  wrapper.launch @negate[] ins(%x2 : !r) outs(%r2 : !r)
  wrapper.return %0 : !x
}
