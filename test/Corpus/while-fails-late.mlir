// RUN: %corpus %s
// A check in the body that fails in the third iteration.
// CASE: i64=2 -> 4xf32=1 1 1 1
// CASE: i64=3 -> error: too many (got 2 and 2)

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>

wrapper.kernel @one() attributes {input_strides = [],
    output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "one" [4] () : () -> tensor<4xf32> {
    %m = arith.constant 1.0 : f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4xf32>
}

wrapper.func @main(%n: !i) -> !b attributes {sym.symbols = {n = #sym.range<0, 4>}} {
  wrapper.item "n" = %n : !i
  %r = wrapper.alloc : !b
  wrapper.launch @one[] outs(%r : !b)
  wrapper.while symbols ["i"] from [0] {
    %c = wrapper.compare <i> lt <n>
    wrapper.condition %c
  } do {
    wrapper.assert <i> lt <2>, "too many"
    wrapper.yield symbols [i + 1]
  }
  wrapper.return %r : !b
}
