// RUN: %corpus %s
// A kernel on i32: sums wrap.
// CASE: 3xi32=7 -8 2147483647 -> 3xi32=14 -16 -2

wrapper.kernel @double(%x0: tensor<3xi32>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = [], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "double" [3] (%a0 = %x0) : (tensor<3xi32>) -> tensor<3xi32> {
    %v = loop.load %a0[d0] : tensor<3xi32> -> i32
    %r = arith.addi %v, %v : i32
    loop.store %r, 0 [d0] : i32
  }
  wrapper.yield %0 : tensor<3xi32>
}

!x = !wrapper.buffer<[3], i32, #wrapper.device<"cpu">>
wrapper.func @main(%x: !x) -> !x {
  %0 = wrapper.alloc : !x
  wrapper.launch @double[] ins(%x : !x) outs(%0 : !x)
  wrapper.return %0 : !x
}
