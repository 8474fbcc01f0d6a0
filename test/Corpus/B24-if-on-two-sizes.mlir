// RUN: %corpus %s
// A predicate that relates the sizes of two inputs.
// CASE: 2xf32=1 2; 3xf32=1 2 3 -> 5xf32=0 1 2 3 4
// CASE: 3xf32=1 2 3; 3xf32=1 2 3 -> 3xf32=0 1 2
// CASE: 0xf32=; 0xf32= -> 0xf32=

!x = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
!y = !wrapper.buffer<[s1], f32, #wrapper.device<"cpu">>
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

wrapper.func @main(%x: !x, %y: !y) -> !n attributes {sym.symbols = {s0 = #sym.range<0, 8>, s1 = #sym.range<0, 8>, n = #sym.range<0, 16>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !x
  wrapper.input_symbol "s1" = size 0 of %y : !y
  %p = wrapper.compare <s0> ne <s1>
  %r = wrapper.if %p : i1 defines ["n"] -> (!n) {
    wrapper.sym_expr "m" = <s0 + s1>
    %0 = wrapper.alloc : !m
    wrapper.launch @iota[m] outs(%0 : !m)
    wrapper.yield %0 : !m symbols [m]
  } else {
    wrapper.sym_expr "m" = <s0>
    %0 = wrapper.alloc : !m
    wrapper.launch @iota[m] outs(%0 : !m)
    wrapper.yield %0 : !m symbols [m]
  }
  wrapper.return %r : !n
}
