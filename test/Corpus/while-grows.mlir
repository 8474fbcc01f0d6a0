// RUN: %corpus %s
// A carried buffer whose size is a carried number: each iteration makes a longer
// one.
// CASE: i64=0 -> 1xf32=0
// CASE: i64=4 -> 5xf32=0 1 2 3 4
// CASE: i64=9 -> error: symbol 'n' is above its upper bound (got 9 and 8)

!n = !wrapper.buffer<[n], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>
!o = !wrapper.buffer<[1], f32, #wrapper.device<"cpu">>
!l = !wrapper.buffer<[n + 1], f32, #wrapper.device<"cpu">>

wrapper.kernel @iota() attributes {input_strides = [],
    output_strides = [#sym.shape<[1]>], symbols = ["k"]} {
  %0 = loop.kernel "iota" [k] () : () -> tensor<?xf32, #sym.shape<[k]>> {
    %i = loop.index <d0>
    %m = arith.sitofp %i : i64 to f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<?xf32, #sym.shape<[k]>>
}

wrapper.func @main(%i: !i) -> !n attributes {sym.symbols = {n = #sym.range<0, 8>, m = #sym.range<0, 16>}} {
  wrapper.item "m" = %i : !i
  %0 = wrapper.alloc : !o
  wrapper.launch @iota[1] outs(%0 : !o)
  %r = wrapper.while %0 : !o symbols ["n"] from [1] -> (!n) {
  ^bb0(%a: !n):
    %c = wrapper.compare <n> le <m>
    wrapper.condition %c pass %a : !n
  } do {
  ^bb0(%a: !n):
    %1 = wrapper.alloc : !l
    wrapper.launch @iota[n + 1] outs(%1 : !l)
    wrapper.yield %1 : !l symbols [n + 1]
  }
  wrapper.return %r : !n
}
