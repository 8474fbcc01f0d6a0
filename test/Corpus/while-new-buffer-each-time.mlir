// RUN: %corpus %s
// A body that makes a new buffer in each iteration and lets the old one go.
// CASE: i64=3; 4xf32=1 2 3 4 -> 4xf32=8 16 24 32
// CASE: i64=0; 4xf32=1 2 3 4 -> 4xf32=1 2 3 4
// CASE: i64=9; 4xf32=1 1 1 1 -> 4xf32=512 512 512 512

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>

wrapper.kernel @double(%x0: tensor<4xf32>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = [], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "double" [4] (%a0 = %x0) : (tensor<4xf32>) -> tensor<4xf32> {
    %v0 = loop.load %a0[d0] : tensor<4xf32> -> f32
    %m = arith.addf %v0, %v0 : f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4xf32>
}

wrapper.func @main(%n: !i, %x: !b) -> !b attributes {sym.symbols = {n = #sym.range<0, 16>, i = #sym.range<0, 16>}} {
  wrapper.item "n" = %n : !i
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  %r = wrapper.while %0 : !b symbols ["i"] from [0] -> (!b) {
  ^bb0(%a: !b):
    %p = wrapper.compare <i> lt <n>
    wrapper.condition %p pass %a : !b
  } do {
  ^bb0(%a: !b):
    %1 = wrapper.alloc : !b
    wrapper.launch @double[] ins(%a : !b) outs(%1 : !b)
    wrapper.yield %1 : !b symbols [i + 1]
  }
  wrapper.return %r : !b
}
