// RUN: %corpus %s
// Expressions of all kinds, as sizes and in assertions. Negative numbers are divided toward
// minus infinity.
// CASE: 7xf32=0 0 0 0 0 0 0 -> 5xf32=0 1 2 3 4
// CASE: 1xf32=0 -> 4xf32=0 1 2 3
// CASE: 12xf32=0 0 0 0 0 0 0 0 0 0 0 0 -> error: too long (got 12 and 10)

!x = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
!n = !wrapper.buffer<[n], f32, #wrapper.device<"cpu">>

wrapper.kernel @iota() attributes {input_strides = [],
    output_strides = [#sym.shape<[1]>], symbols = ["k"]} {
  %0 = loop.kernel "iota" [k] () : () -> tensor<?xf32, #sym.shape<[k]>> {
    %i = loop.index <d0>
    %m = arith.sitofp %i : i64 to f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<?xf32, #sym.shape<[k]>>
}

wrapper.func @main(%x: !x) -> !n attributes {sym.symbols = {s0 = #sym.range<1, 64>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !x
  wrapper.assert <s0> le <10>, "too long"
  wrapper.sym_expr "q" = <(-s0) floordiv 4>
  wrapper.sym_expr "r" = <(-s0) mod 4>
  wrapper.assert <q * 4 + r> eq <-s0>, "quotient and remainder"
  wrapper.assert <0> le <r>, "a remainder is not negative"
  wrapper.assert <q> lt <0>, "a quotient is"
  wrapper.sym_expr "n" = <min(s0, 3) + max(-q, 2) + r * 0 + (s0 mod 3) * 0 - (s0 floordiv 64) + 1 - min(s0 floordiv 2, 1)>
  %0 = wrapper.alloc : !n
  wrapper.launch @iota[n] outs(%0 : !n)
  wrapper.return %0 : !n
}
