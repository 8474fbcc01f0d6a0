// RUN: %corpus %s
// A kernel on i8: sums wrap.
// CASE: 3xi8=100 -100 -128 -> 3xi8=-56 56 0

wrapper.kernel @double(%x0: tensor<3xi8>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = [], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "double" [3] (%a0 = %x0) : (tensor<3xi8>) -> tensor<3xi8> {
    %v = loop.load %a0[d0] : tensor<3xi8> -> i8
    %r = arith.addi %v, %v : i8
    loop.store %r, 0 [d0] : i8
  }
  wrapper.yield %0 : tensor<3xi8>
}

!x = !wrapper.buffer<[3], i8, #wrapper.device<"cpu">>
wrapper.func @main(%x: !x) -> !x {
  %0 = wrapper.alloc : !x
  wrapper.launch @double[] ins(%x : !x) outs(%0 : !x)
  wrapper.return %0 : !x
}
