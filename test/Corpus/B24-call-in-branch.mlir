// RUN: %corpus %s
// Calls in branches: what one allocates and what one writes are the branch's to give.
// CASE: i1=1; 4xf32=1 2 3 4 -> 4xf32=6 12 18 24
// CASE: i1=0; 4xf32=1 2 3 4 -> 4xf32=2 4 6 8

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
  %0 = wrapper.alloc : !b
  wrapper.launch @double[] ins(%x : !b) outs(%0 : !b)
  %1 = wrapper.if %p : !p -> (!b) {
    %2 = wrapper.extern_call "test::scale"(%0, 3.0, none) : (!b) -> !b
    wrapper.assert_layout %2, "a" : !b
    wrapper.yield %2 : !b
  } else {
    %2 = wrapper.alloc : !b
    wrapper.extern_call_out "test::scale"(%0, 1.0, none) outs(%2 : !b) : !b
    wrapper.yield %2 : !b
  }
  wrapper.return %1 : !b
}
