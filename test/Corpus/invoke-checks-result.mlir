// RUN: %corpus %s
// A result that is not laid out as its type in the caller says is found.
// CASE: i64=4 -> 4xf32=0 1 2 3
// CASE: i64=5 -> error: input 'the range' has size 5 in dimension 0, expected 4

!n = !wrapper.buffer<[n], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>
!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

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
wrapper.func @main(%i: !i) -> !b {
  %r = wrapper.invoke @range(%i) : (!i) -> !b
  wrapper.assert_layout %r, "the range" : !b
  wrapper.return %r : !b
}
