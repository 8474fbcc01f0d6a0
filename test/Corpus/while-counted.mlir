// RUN: %corpus %s
// A loop over a carried number, from the size of an input; none for an empty one.
// CASE: 3xf32=0 0 0; 4xf32=1 2 3 4 -> 4xf32=8 16 24 32
// CASE: 0xf32=; 4xf32=1 2 3 4 -> 4xf32=1 2 3 4

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!s = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>

wrapper.kernel @double(%x0: tensor<4xf32>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = [], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "double" [4] (%a0 = %x0) : (tensor<4xf32>) -> tensor<4xf32> {
    %v0 = loop.load %a0[d0] : tensor<4xf32> -> f32
    %m = arith.addf %v0, %v0 : f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4xf32>
}

wrapper.func @main(%y: !s, %x: !b) -> !b attributes {sym.symbols = {s0 = #sym.range<0, 64>}} {
  wrapper.input_symbol "s0" = size 0 of %y : !s
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  %r = wrapper.while %0 : !b symbols ["i"] from [0] -> (!b) {
  ^bb0(%a: !b):
    %c = wrapper.compare <i> lt <s0>
    wrapper.condition %c pass %a : !b
  } do {
  ^bb0(%a: !b):
    %1 = wrapper.alloc : !b
    wrapper.launch @double[] ins(%a : !b) outs(%1 : !b)
    wrapper.yield %1 : !b symbols [i + 1]
  }
  wrapper.assert <i> eq <s0>, "the last value is visible behind the loop"
  wrapper.return %r : !b
}
