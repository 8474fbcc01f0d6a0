// RUN: %corpus %s
// A function that consumes what a loop carries; it calls another one.
// CASE: i64=0; 4xf32=1 2 3 4 -> 4xf32=1 2 3 4
// CASE: i64=3; 4xf32=1 2 3 4 -> 4xf32=15 23 31 39

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

wrapper.kernel @inc(%x0: tensor<4xf32>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = [], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "inc" [4] (%a0 = %x0) : (tensor<4xf32>) -> tensor<4xf32> {
    %v0 = loop.load %a0[d0] : tensor<4xf32> -> f32
    %o = arith.constant 1.0 : f32
    %m = arith.addf %v0, %o : f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4xf32>
}

wrapper.func private @inner(%x: !b {wrapper.consumed}) -> !b {
  %0 = wrapper.alloc : !b
  wrapper.launch @double[] ins(%x : !b) outs(%0 : !b)
  wrapper.return %0 : !b
}
wrapper.func private @outer(%x: !b {wrapper.consumed}) -> !b {
  %0 = wrapper.invoke @inner(%x) consumes [0] : (!b) -> !b
  %1 = wrapper.alloc : !b
  wrapper.launch @inc[] ins(%0 : !b) outs(%1 : !b)
  wrapper.return %1 : !b
}
wrapper.func @main(%i: !i, %x: !b) -> !b attributes {sym.symbols = {n = #sym.range<0, 100>}} {
  wrapper.item "n" = %i : !i
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  %r = wrapper.while %0 : !b symbols ["i"] from [0] -> (!b) {
  ^bb0(%a: !b):
    %c = wrapper.compare <i> lt <n>
    wrapper.condition %c pass %a : !b
  } do {
  ^bb0(%a: !b):
    %1 = wrapper.invoke @outer(%a) consumes [0] : (!b) -> !b
    wrapper.yield %1 : !b symbols [i + 1]
  }
  wrapper.return %r : !b
}
