// RUN: %corpus %s
// A predicate over sizes; each branch binds the same name to another number.
// CASE: 3xf32=1 2 3 -> 3xf32=0 1 2
// CASE: 6xf32=1 2 3 4 5 6 -> 12xf32=0 1 2 3 4 5 6 7 8 9 10 11

!s = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
!n = !wrapper.buffer<[n], f32, #wrapper.device<"cpu">>
!m = !wrapper.buffer<[m], f32, #wrapper.device<"cpu">>

wrapper.kernel @iota() attributes {input_strides = [],
    output_strides = [#sym.shape<[1]>], symbols = ["k"]} {
  %0 = loop.kernel "iota" [k] () : () -> tensor<?xf32, #sym.shape<[k]>> {
    %i = loop.index <d0>
    %m = arith.sitofp %i : i64 to f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<?xf32, #sym.shape<[k]>>
}

wrapper.func @main(%x: !s) -> !n attributes {sym.symbols = {s0 = #sym.range<0, 64>, n = #sym.range<0, 128>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !s
  wrapper.assert_layout %x, "x" : !s
  %p = wrapper.compare <s0> lt <5>
  %r = wrapper.if %p : i1 defines ["n"] -> (!n) {
    wrapper.sym_expr "m" = <s0>
    %0 = wrapper.alloc : !m
    wrapper.launch @iota[m] outs(%0 : !m)
    wrapper.yield %0 : !m symbols [m]
  } else {
    wrapper.sym_expr "m" = <s0 * 2>
    %0 = wrapper.alloc : !m
    wrapper.launch @iota[m] outs(%0 : !m)
    wrapper.yield %0 : !m symbols [m]
  }
  wrapper.return %r : !n
}
