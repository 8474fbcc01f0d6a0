// RUN: %corpus %s
// A view of storage from outside that only a branch knows: what it writes shows
// behind, and the storage lives as long.
// CASE: i1=true; 8xf32=1 2 3 4 5 6 7 8 -> 8xf32=2 4 6 8 5 6 7 8
// CASE: i1=false; 8xf32=1 2 3 4 5 6 7 8 -> 8xf32=1 2 3 4 10 12 14 16

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!e = !wrapper.buffer<[8], f32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>

wrapper.kernel @double(%x0: tensor<4xf32>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = [], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "double" [4] (%a0 = %x0) : (tensor<4xf32>) -> tensor<4xf32> {
    %v0 = loop.load %a0[d0] : tensor<4xf32> -> f32
    %m = arith.addf %v0, %v0 : f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4xf32>
}

wrapper.func @main(%p: !p, %x: !e) -> !e {
  %0 = wrapper.alloc : !e
  wrapper.copy %x to %0 : !e
  wrapper.if %p : !p {
    %v = wrapper.reinterpret %0 at <0> : !e to !b
    wrapper.launch @double[] ins(%v : !b) outs(%v : !b)
    wrapper.yield
  } else {
    %v = wrapper.reinterpret %0 at <4> : !e to !b
    %t = wrapper.alloc : !b
    wrapper.launch @double[] ins(%v : !b) outs(%t : !b)
    wrapper.copy %t to %v : !b
    wrapper.yield
  }
  wrapper.return %0 : !e
}
