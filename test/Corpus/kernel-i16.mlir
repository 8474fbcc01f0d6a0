// RUN: %corpus %s
// A kernel on i16: sums wrap.
// CASE: 3xi16=20000 -3 32767 -> 3xi16=-25536 -6 -2

wrapper.kernel @double(%x0: tensor<3xi16>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = [], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "double" [3] (%a0 = %x0) : (tensor<3xi16>) -> tensor<3xi16> {
    %v = loop.load %a0[d0] : tensor<3xi16> -> i16
    %r = arith.addi %v, %v : i16
    loop.store %r, 0 [d0] : i16
  }
  wrapper.yield %0 : tensor<3xi16>
}

!x = !wrapper.buffer<[3], i16, #wrapper.device<"cpu">>
wrapper.func @main(%x: !x) -> !x {
  %0 = wrapper.alloc : !x
  wrapper.launch @double[] ins(%x : !x) outs(%0 : !x)
  wrapper.return %0 : !x
}
