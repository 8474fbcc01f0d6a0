// RUN: %corpus %s
// Carried buffers change places in each iteration.
// CASE: i64=1; 4xf32=1 2 3 4; 4xf32=5 6 7 8 -> 4xf32=5 6 7 8; 4xf32=2 4 6 8
// CASE: i64=2; 4xf32=1 2 3 4; 4xf32=5 6 7 8 -> 4xf32=2 4 6 8; 4xf32=10 12 14 16
// CASE: i64=0; 4xf32=1 2 3 4; 4xf32=5 6 7 8 -> 4xf32=1 2 3 4; 4xf32=5 6 7 8

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

wrapper.func @main(%i: !i, %x: !b, %y: !b) -> (!b, !b) attributes {sym.symbols = {n = #sym.range<0, 100>}} {
  wrapper.item "n" = %i : !i
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  %1 = wrapper.alloc : !b
  wrapper.copy %y to %1 : !b
  %r:2 = wrapper.while %0, %1 : !b, !b symbols ["i"] from [0] -> (!b, !b) {
  ^bb0(%a: !b, %c: !b):
    %p = wrapper.compare <i> lt <n>
    wrapper.condition %p pass %a, %c : !b, !b
  } do {
  ^bb0(%a: !b, %c: !b):
    wrapper.launch @double[] ins(%a : !b) outs(%a : !b)
    wrapper.yield %c, %a : !b, !b symbols [i + 1]
  }
  wrapper.return %r#0, %r#1 : !b, !b
}
