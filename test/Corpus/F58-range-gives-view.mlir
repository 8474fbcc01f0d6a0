// RUN: %corpus %s
// F58: a range gives a view of what it made: the view owns the storage from then on, which ends with it.
// CASE: 4xf32=1 2 3 4 -> 2xf32=2 4; 4xf32=4 8 12 16

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!h = !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>

wrapper.kernel @double(%x0: tensor<4xf32>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = [], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "double" [4] (%a0 = %x0) : (tensor<4xf32>) -> tensor<4xf32> {
    %v0 = loop.load %a0[d0] : tensor<4xf32> -> f32
    %m = arith.addf %v0, %v0 : f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4xf32>
}

wrapper.func @main(%x: !b) -> (!h, !b) {
  %r:2 = wrapper.profile_range "one" -> (!h, !h) {
    %0 = wrapper.alloc : !b
    wrapper.launch @double[] ins(%x : !b) outs(%0 : !b)
    %1 = wrapper.reinterpret %0 at <0> : !b to !h
    %2 = wrapper.alloc : !b
    wrapper.launch @double[] ins(%0 : !b) outs(%2 : !b)
    %other = wrapper.reinterpret %2 at <2> : !b to !h
    %3 = wrapper.reinterpret %2 at <0> : !b to !h
    wrapper.copy %1 to %other : !h
    wrapper.yield %1, %3 : !h, !h
  }
  %4 = wrapper.alloc : !h
  wrapper.copy %r#1 to %4 : !h
  %5 = wrapper.alloc : !b
  wrapper.launch @double[] ins(%x : !b) outs(%5 : !b)
  %6 = wrapper.alloc : !b
  wrapper.launch @double[] ins(%5 : !b) outs(%6 : !b)
  wrapper.return %r#0, %6 : !h, !b
}
