// RUN: %corpus %s
// A kernel on i64: sums wrap.
// CASE: 3xi64=7 -8 9223372036854775807 -> 3xi64=14 -16 -2

wrapper.kernel @double(%x0: tensor<3xi64>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = [], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "double" [3] (%a0 = %x0) : (tensor<3xi64>) -> tensor<3xi64> {
    %v = loop.load %a0[d0] : tensor<3xi64> -> i64
    %r = arith.addi %v, %v : i64
    loop.store %r, 0 [d0] : i64
  }
  wrapper.yield %0 : tensor<3xi64>
}

!x = !wrapper.buffer<[3], i64, #wrapper.device<"cpu">>
wrapper.func @main(%x: !x) -> !x {
  %0 = wrapper.alloc : !x
  wrapper.launch @double[] ins(%x : !x) outs(%0 : !x)
  wrapper.return %0 : !x
}
