// RUN: %corpus %s
// A kernel on bf16, in place and between buffers; sums that are too large.
// CASE: 3xbf16=1.5 -2 3e38 -> 3xbf16=3 -4 inf
// CASE: 3xbf16=nan inf -inf -> 3xbf16=nan inf -inf

wrapper.kernel @double(%x0: tensor<3xbf16>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = [], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "double" [3] (%a0 = %x0) : (tensor<3xbf16>) -> tensor<3xbf16> {
    %v = loop.load %a0[d0] : tensor<3xbf16> -> bf16
    %r = arith.addf %v, %v : bf16
    loop.store %r, 0 [d0] : bf16
  }
  wrapper.yield %0 : tensor<3xbf16>
}
wrapper.kernel @same(%x0: tensor<3xbf16>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = [], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "same" [3] (%a0 = %x0) : (tensor<3xbf16>) -> tensor<3xbf16> {
    %v = loop.load %a0[d0] : tensor<3xbf16> -> bf16
    %z = arith.constant 0.0 : bf16
    %r = arith.addf %v, %z : bf16
    loop.store %r, 0 [d0] : bf16
  }
  wrapper.yield %0 : tensor<3xbf16>
}

!x = !wrapper.buffer<[3], bf16, #wrapper.device<"cpu">>
wrapper.func @main(%x: !x) -> !x {
  %0 = wrapper.alloc : !x
  wrapper.launch @same[] ins(%x : !x) outs(%0 : !x)
  %1 = wrapper.alloc : !x
  wrapper.launch @double[] ins(%0 : !x) outs(%1 : !x)
  wrapper.return %1 : !x
}
