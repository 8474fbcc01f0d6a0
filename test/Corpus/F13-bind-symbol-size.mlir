// RUN: %corpus %s
// The size of a call's result is known behind the call: a symbol that a path binds.
// CASE: i64=3 -> 3xf32=0 2 4
// CASE: i64=0 -> 0xf32=
// CASE: i64=7 -> error: symbol 'u' (size 0 of a result) is above its upper bound (got 7 and 6)

!n = !wrapper.buffer<[n], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>
!u = !wrapper.buffer<[u], f32, #wrapper.device<"cpu">>

wrapper.kernel @iota() attributes {input_strides = [],
    output_strides = [#sym.shape<[1]>], symbols = ["k"]} {
  %0 = loop.kernel "iota" [k] () : () -> tensor<?xf32, #sym.shape<[k]>> {
    %i = loop.index <d0>
    %m = arith.sitofp %i : i64 to f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<?xf32, #sym.shape<[k]>>
}

wrapper.kernel @double(%x0: tensor<?xf32, #sym.shape<[k]>>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = ["k"], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "double" [k] (%a0 = %x0) : (tensor<?xf32, #sym.shape<[k]>>) -> tensor<?xf32, #sym.shape<[k]>> {
    %v0 = loop.load %a0[d0] : tensor<?xf32, #sym.shape<[k]>> -> f32
    %m = arith.addf %v0, %v0 : f32
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
wrapper.func @main(%i: !i) -> !u attributes {sym.symbols = {u = #sym.range<0, 6>}} {
  %r = wrapper.invoke @range(%i) : (!i) -> !u
  wrapper.bind_symbol "u" = [#wrapper.key<size, 0>] of %r : !u
  wrapper.assert_layout %r, "r" : !u
  %0 = wrapper.alloc : !u
  wrapper.launch @double[u] ins(%r : !u) outs(%0 : !u)
  wrapper.return %0 : !u
}
