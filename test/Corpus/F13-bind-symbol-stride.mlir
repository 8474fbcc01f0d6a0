// RUN: %corpus %s
// The stride of a call's result; a second call of the same function in between
// does not change it.
// CASE: i64=2; i64=3 -> 2x2xf32=0 1 2 3; 2x3xf32=0 1 2 3 4 5

!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>
!n = !wrapper.buffer<[2, n], f32, #wrapper.device<"cpu">>
!u = !wrapper.buffer<[2, u], f32, #wrapper.device<"cpu">>
!v = !wrapper.buffer<[2, v], f32, #wrapper.device<"cpu">>
!f = !wrapper.buffer<[n * 2], f32, #wrapper.device<"cpu">>

wrapper.kernel @iota() attributes {input_strides = [],
    output_strides = [#sym.shape<[1]>], symbols = ["k"]} {
  %0 = loop.kernel "iota" [k] () : () -> tensor<?xf32, #sym.shape<[k]>> {
    %i = loop.index <d0>
    %m = arith.sitofp %i : i64 to f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<?xf32, #sym.shape<[k]>>
}

wrapper.func private @matrix(%i: !i) -> !n attributes {sym.symbols = {n = #sym.range<0, 8>}} {
  wrapper.item "n" = %i : !i
  %0 = wrapper.alloc : !f
  wrapper.launch @iota[n * 2] outs(%0 : !f)
  %1 = wrapper.reinterpret %0 at <0> : !f to !n
  wrapper.return %1 : !n
}
wrapper.func @main(%i: !i, %j: !i) -> (!u, !v) {
  %r = wrapper.invoke @matrix(%i) : (!i) -> !u
  %s = wrapper.invoke @matrix(%j) : (!i) -> !v
  wrapper.bind_symbol "u" = [#wrapper.key<stride, 0>] of %r : !u
  wrapper.bind_symbol "v" = [#wrapper.key<size, 1>] of %s : !v
  wrapper.assert_layout %r, "r" : !u
  wrapper.assert_layout %s, "s" : !v
  wrapper.return %r, %s : !u, !v
}
