// RUN: %corpus %s
// Storage passes between buffers of element types of one width: floats, then integers
// that are their bits, then floats of another type in half as many bytes.
// CASE: 4xf32=1.5 -2.5 0 7 -> 4xi32=1 -2 0 7; 4xf16=1 -2 0 7

wrapper.kernel @to_int(%x0: tensor<4xf32>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "to_int" [4] (%a0 = %x0) : (tensor<4xf32>) -> tensor<4xi32> {
    %v = loop.load %a0[d0] : tensor<4xf32> -> f32
    %r = arith.fptosi %v : f32 to i32
    loop.store %r, 0 [d0] : i32
  }
  wrapper.yield %0 : tensor<4xi32>
}
wrapper.kernel @to_half(%x0: tensor<4xi32>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "to_half" [4] (%a0 = %x0) : (tensor<4xi32>) -> tensor<4xf16> {
    %v = loop.load %a0[d0] : tensor<4xi32> -> i32
    %r = arith.sitofp %v : i32 to f16
    loop.store %r, 0 [d0] : f16
  }
  wrapper.yield %0 : tensor<4xf16>
}
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
wrapper.kernel @negate(%x0: tensor<4xf32>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = [], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "negate" [4] (%a0 = %x0) : (tensor<4xf32>) -> tensor<4xf32> {
    %v = loop.load %a0[d0] : tensor<4xf32> -> f32
    %r = arith.negf %v : f32
    loop.store %r, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4xf32>
}

!f = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i32, #wrapper.device<"cpu">>
!h = !wrapper.buffer<[4], f16, #wrapper.device<"cpu">>
wrapper.func @main(%x: !f) -> (!i, !h) {
  %0 = wrapper.alloc : !f
  wrapper.launch @negate[] ins(%x : !f) outs(%0 : !f)
  %1 = wrapper.alloc : !f
  wrapper.launch @negate[] ins(%0 : !f) outs(%1 : !f)
  %2 = wrapper.alloc : !i
  wrapper.launch @to_int[] ins(%1 : !f) outs(%2 : !i)
  %3 = wrapper.alloc : !h
  wrapper.launch @to_half[] ins(%2 : !i) outs(%3 : !h)
  wrapper.return %2, %3 : !i, !h
}
