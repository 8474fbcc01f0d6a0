// RUN: %corpus %s
// The number that a branch gives is checked like all others.
// CASE: i1=true; 4xf32=1 2 3 4 -> 4xf32=0 1 2 3
// CASE: i1=false; 4xf32=1 2 3 4 -> error: symbol 'n' is above its upper bound (got 9 and 8)

!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>
!n = !wrapper.buffer<[n], f32, #wrapper.device<"cpu">>
!m = !wrapper.buffer<[m], f32, #wrapper.device<"cpu">>
!x = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.kernel @iota() attributes {input_strides = [],
    output_strides = [#sym.shape<[1]>], symbols = ["k"]} {
  %0 = loop.kernel "iota" [k] () : () -> tensor<?xf32, #sym.shape<[k]>> {
    %i = loop.index <d0>
    %m = arith.sitofp %i : i64 to f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<?xf32, #sym.shape<[k]>>
}

wrapper.func @main(%p: !p, %x: !x) -> !n attributes {sym.symbols = {n = #sym.range<0, 8>}} {
  %r = wrapper.if %p : !p defines ["n"] -> (!n) {
    wrapper.sym_expr "m" = <4>
    %0 = wrapper.alloc : !m
    wrapper.launch @iota[m] outs(%0 : !m)
    wrapper.yield %0 : !m symbols [m]
  } else {
    wrapper.sym_expr "m" = <9>
    %0 = wrapper.alloc : !m
    wrapper.launch @iota[m] outs(%0 : !m)
    wrapper.yield %0 : !m symbols [m]
  }
  wrapper.return %r : !n
}
