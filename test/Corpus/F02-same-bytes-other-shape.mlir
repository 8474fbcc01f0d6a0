// RUN: %corpus %s
// Storage that is taken over under another shape and another element type.
// CASE: 4xf32=1 2 3 4 -> 2x2xf32=2 4 6 8; 4xi32=5 6 7 8

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!m = !wrapper.buffer<[2, 2], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i32, #wrapper.device<"cpu">>

wrapper.kernel @double(%x0: tensor<4xf32>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = [], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "double" [4] (%a0 = %x0) : (tensor<4xf32>) -> tensor<4xf32> {
    %v0 = loop.load %a0[d0] : tensor<4xf32> -> f32
    %m = arith.addf %v0, %v0 : f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4xf32>
}

wrapper.func @main(%x: !b) -> (!m, !i) {
  %0 = wrapper.alloc : !b
  wrapper.launch @double[] ins(%x : !b) outs(%0 : !b)
  %1 = wrapper.reuse %0 : !b to !m
  %c = wrapper.constant dense<[5, 6, 7, 8]> : tensor<4xi32> to !i
  %2 = wrapper.alloc : !b
  wrapper.launch @double[] ins(%x : !b) outs(%2 : !b)
  %3 = wrapper.reuse %2 : !b to !i
  wrapper.copy %c to %3 : !i
  wrapper.return %1, %3 : !m, !i
}
