// RUN: %corpus %s
// Numbers that are computed from one another: what the last ones are decides a size.
// CASE: i64=6 -> 8xf32=0 1 2 3 4 5 6 7
// CASE: i64=1 -> 1xf32=0
// CASE: i64=20 -> error: symbol 'b' is above its upper bound (got 89 and 64)

!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>
!n = !wrapper.buffer<[a], f32, #wrapper.device<"cpu">>

wrapper.kernel @iota() attributes {input_strides = [],
    output_strides = [#sym.shape<[1]>], symbols = ["k"]} {
  %0 = loop.kernel "iota" [k] () : () -> tensor<?xf32, #sym.shape<[k]>> {
    %i = loop.index <d0>
    %m = arith.sitofp %i : i64 to f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<?xf32, #sym.shape<[k]>>
}

wrapper.func @main(%x: !i) -> !n attributes {sym.symbols = {
    k = #sym.range<0, 32>, i = #sym.range<0, 32>, a = #sym.range<0, 64>, b = #sym.range<0, 64>}} {
  wrapper.item "k" = %x : !i
  wrapper.while symbols ["i", "a", "b"] from [0, 0, 1] {
    %p = wrapper.compare <i> lt <k>
    wrapper.condition %p
  } do {
    wrapper.yield symbols [i + 1, b, a + b]
  }
  %0 = wrapper.alloc : !n
  wrapper.launch @iota[a] outs(%0 : !n)
  wrapper.return %0 : !n
}
