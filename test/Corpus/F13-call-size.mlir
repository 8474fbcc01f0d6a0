// RUN: %corpus %s
// A result whose size only the function knows: a symbol that later ops mention.
// CASE: 4xf32=0 5 0 7 -> 2x1xi64=1 3; 2xf32=0 2
// CASE: 4xf32=0 0 0 0 -> 0x1xi64=; 0xf32=
// CASE: 4xf32=1 1 1 1 -> error: symbol 'u' (size 0 of a result) is above its upper bound (got 4 and 3)

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!n = !wrapper.buffer<[u, 1], i64, #wrapper.device<"cpu">>
!u = !wrapper.buffer<[u], f32, #wrapper.device<"cpu">>

wrapper.kernel @iota() attributes {input_strides = [], output_strides = [#sym.shape<[1]>], symbols = ["k"], in_place = array<i64>} {
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

wrapper.func @main(%x: !b) -> (!n, !u) attributes {sym.symbols = {u = #sym.range<0, 3>}} {
  %0 = wrapper.extern_call "test::nonzero"(%x) : (!b) -> !n
  wrapper.bind_symbol "u" = [#wrapper.key<size, 0>] of %0 : !n
  wrapper.assert_layout %0, "positions" : !n
  %1 = wrapper.alloc : !u
  wrapper.launch @iota[u] outs(%1 : !u)
  %2 = wrapper.alloc : !u
  wrapper.launch @double[u] ins(%1 : !u) outs(%2 : !u)
  wrapper.return %0, %2 : !n, !u
}
