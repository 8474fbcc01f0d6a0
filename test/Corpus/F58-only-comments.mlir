// RUN: %corpus %s
// F58: regions that hold comments and nothing else.
// CASE: i1=true; 4xf32=1 2 3 4 -> 4xf32=2 4 6 8
// CASE: i1=false; 4xf32=1 2 3 4 -> 4xf32=2 4 6 8

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
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

wrapper.func @main(%p: !p, %x: !b) -> !b {
  wrapper.if %p : !p {
    wrapper.comment "the first"
    wrapper.yield
  } else {
    wrapper.comment "the other"
    wrapper.yield
  }
  wrapper.profile_range "range" {
    wrapper.comment "inside"
    wrapper.yield
  }
  %0 = wrapper.alloc : !b
  wrapper.launch @double[] ins(%x : !b) outs(%0 : !b)
  wrapper.return %0 : !b
}
