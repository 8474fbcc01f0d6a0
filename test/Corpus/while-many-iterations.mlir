// RUN: %corpus %s
// Allocations, calls and branches, ten thousand times. Threads would be woken
// for each launch without the grain.
// CASE: i64=10000; 4xf32=0 0 0 0 -> 4xf32=10000 10000 10000 10000

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>

wrapper.kernel @inc(%x0: tensor<4xf32>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = [], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "inc" [4] (%a0 = %x0) : (tensor<4xf32>) -> tensor<4xf32> schedule<grain = 4> {
    %v0 = loop.load %a0[d0] : tensor<4xf32> -> f32
    %o = arith.constant 1.0 : f32
    %m = arith.addf %v0, %o : f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4xf32>
}

wrapper.func private @step(%x: !b) -> !b {
  %0 = wrapper.alloc : !b
  wrapper.launch @inc[] ins(%x : !b) outs(%0 : !b)
  wrapper.return %0 : !b
}
wrapper.func @main(%i: !i, %x: !b) -> !b attributes {sym.symbols = {n = #sym.range<0, 100000>}} {
  wrapper.item "n" = %i : !i
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  %r = wrapper.while %0 : !b symbols ["i"] from [0] -> (!b) {
  ^bb0(%a: !b):
    %c = wrapper.compare <i> lt <n>
    wrapper.condition %c pass %a : !b
  } do {
  ^bb0(%a: !b):
    %c = wrapper.compare <i mod 3> eq <0>
    %1 = wrapper.if %c : i1 -> (!b) {
      %2 = wrapper.invoke @step(%a) : (!b) -> !b
      wrapper.yield %2 : !b
    } else {
      %2 = wrapper.alloc : !b
      wrapper.launch @inc[] ins(%a : !b) outs(%2 : !b)
      wrapper.yield %2 : !b
    }
    wrapper.yield %1 : !b symbols [i + 1]
  }
  wrapper.return %r : !b
}
