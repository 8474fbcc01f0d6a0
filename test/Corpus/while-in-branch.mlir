// RUN: %corpus %s
// A loop in one branch only.
// CASE: i1=true; 4xf32=1 2 3 4 -> 4xf32=8 16 24 32
// CASE: i1=false; 4xf32=1 2 3 4 -> 4xf32=1 2 3 4

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
  wrapper.copy %x to %0 : !b
  %r = wrapper.if %p : !p -> (!b) {
    %1 = wrapper.while %0 : !b symbols ["i"] from [0] -> (!b) {
    ^bb0(%a: !b):
      %c = wrapper.compare <i> lt <3>
      wrapper.condition %c pass %a : !b
    } do {
    ^bb0(%a: !b):
      %2 = wrapper.alloc : !b
      wrapper.launch @double[] ins(%a : !b) outs(%2 : !b)
      wrapper.yield %2 : !b symbols [i + 1]
    }
    wrapper.yield %1 : !b
  } else {
    wrapper.yield %0 : !b
  }
  wrapper.return %r : !b
}
