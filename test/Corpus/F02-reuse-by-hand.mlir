// RUN: %corpus %s
// Storage handed over to other sizes and element types.
// CASE: 4xf32=1 2 3 4 -> 2x2xi32=1 2 3 4

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[2, 2], i32, #wrapper.device<"cpu">>

wrapper.kernel @convert(%x0: tensor<4xf32>) attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[2, 1]>], symbols = []} {
  %0 = loop.kernel "convert" [2, 2] (%a0 = %x0) : (tensor<4xf32>) -> tensor<2x2xi32> {
    %v = loop.load %a0[d0 * 2 + d1] : tensor<4xf32> -> f32
    %m = arith.fptosi %v : f32 to i32
    loop.store %m, 0 [d0, d1] : i32
  }
  wrapper.yield %0 : tensor<2x2xi32>
}

wrapper.func @main(%x: !b) -> !i {
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  %1 = wrapper.reuse %0 : !b to !i
  wrapper.launch @convert[] ins(%x : !b) outs(%1 : !i)
  wrapper.return %1 : !i
}
