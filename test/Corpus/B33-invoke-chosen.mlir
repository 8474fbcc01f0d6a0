// RUN: %corpus %s
// A branch chooses which function is called; both consume what they are given.
// CASE: i1=true; 3xf32=1 2 3 -> 3xf32=2 4 6
// CASE: i1=false; 3xf32=1 2 3 -> 3xf32=-1 -2 -3

wrapper.kernel @double(%x0: tensor<3xf32>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = [], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "double" [3] (%a0 = %x0) : (tensor<3xf32>) -> tensor<3xf32> {
    %v = loop.load %a0[d0] : tensor<3xf32> -> f32
    %r = arith.addf %v, %v : f32
    loop.store %r, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<3xf32>
}
wrapper.kernel @negate(%x0: tensor<3xf32>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = [], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "negate" [3] (%a0 = %x0) : (tensor<3xf32>) -> tensor<3xf32> {
    %v = loop.load %a0[d0] : tensor<3xf32> -> f32
    %r = arith.negf %v : f32
    loop.store %r, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<3xf32>
}

!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>
!x = !wrapper.buffer<[3], f32, #wrapper.device<"cpu">>
wrapper.func private @twice(%x: !x {wrapper.consumed}) -> !x {
  %0 = wrapper.alloc : !x
  wrapper.launch @double[] ins(%x : !x) outs(%0 : !x)
  wrapper.return %0 : !x
}
wrapper.func private @minus(%x: !x {wrapper.consumed}) -> !x {
  %0 = wrapper.alloc : !x
  wrapper.launch @negate[] ins(%x : !x) outs(%0 : !x)
  wrapper.return %0 : !x
}
wrapper.func @main(%p: !p, %x: !x) -> !x {
  %0 = wrapper.alloc : !x
  wrapper.copy %x to %0 : !x
  %r = wrapper.if %p : !p -> (!x) {
    %1 = wrapper.invoke @twice(%0) consumes [0] : (!x) -> !x
    wrapper.yield %1 : !x
  } else {
    %1 = wrapper.invoke @minus(%0) consumes [0] : (!x) -> !x
    wrapper.yield %1 : !x
  }
  wrapper.return %r : !x
}
