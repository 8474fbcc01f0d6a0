// RUN: %corpus %s
// A kernel on f64, in place and between buffers; sums that are too large.
// CASE: 3xf64=1.5 -2 1e300 -> 3xf64=3 -4 2e300
// CASE: 3xf64=nan inf -inf -> 3xf64=nan inf -inf

wrapper.kernel @double(%x0: tensor<3xf64>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = [], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "double" [3] (%a0 = %x0) : (tensor<3xf64>) -> tensor<3xf64> {
    %v = loop.load %a0[d0] : tensor<3xf64> -> f64
    %r = arith.addf %v, %v : f64
    loop.store %r, 0 [d0] : f64
  }
  wrapper.yield %0 : tensor<3xf64>
}
wrapper.kernel @same(%x0: tensor<3xf64>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = [], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "same" [3] (%a0 = %x0) : (tensor<3xf64>) -> tensor<3xf64> {
    %v = loop.load %a0[d0] : tensor<3xf64> -> f64
    %z = arith.constant 0.0 : f64
    %r = arith.addf %v, %z : f64
    loop.store %r, 0 [d0] : f64
  }
  wrapper.yield %0 : tensor<3xf64>
}

!x = !wrapper.buffer<[3], f64, #wrapper.device<"cpu">>
wrapper.func @main(%x: !x) -> !x {
  %0 = wrapper.alloc : !x
  wrapper.launch @same[] ins(%x : !x) outs(%0 : !x)
  %1 = wrapper.alloc : !x
  wrapper.launch @double[] ins(%0 : !x) outs(%1 : !x)
  wrapper.return %1 : !x
}
