// RUN: %corpus %s
// A size that is a multiple of a symbol: the path divides, and checks.
// CASE: i64=4 -> 4xf32=0 1 2 3
// CASE: i64=0 -> 0xf32=
// CASE: i64=5 -> error: size 0 of a result is not a multiple of its divisor (got 5 and 2)

!n = !wrapper.buffer<[n], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>
!u = !wrapper.buffer<[u * 2], f32, #wrapper.device<"cpu">>

wrapper.kernel @iota() attributes {input_strides = [],
    output_strides = [#sym.shape<[1]>], symbols = ["k"]} {
  %0 = loop.kernel "iota" [k] () : () -> tensor<?xf32, #sym.shape<[k]>> {
    %i = loop.index <d0>
    %m = arith.sitofp %i : i64 to f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<?xf32, #sym.shape<[k]>>
}

wrapper.func private @range(%i: !i) -> !n attributes {sym.symbols = {n = #sym.range<0, 8>}} {
  wrapper.item "n" = %i : !i
  %0 = wrapper.alloc : !n
  wrapper.launch @iota[n] outs(%0 : !n)
  wrapper.return %0 : !n
}
wrapper.func @main(%i: !i) -> !u {
  %r = wrapper.invoke @range(%i) : (!i) -> !u
  wrapper.bind_symbol "u" = [#wrapper.key<size, 0>, #wrapper.key<divide_by, 2>] of %r : !u
  wrapper.assert_layout %r, "r" : !u
  wrapper.return %r : !u
}
