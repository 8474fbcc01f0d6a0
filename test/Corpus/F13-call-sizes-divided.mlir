// RUN: %corpus %s
// Two results with sizes of the function's, which a number divides.
// CASE: 4xf32=1 2 3 4 -> 2xf32=2 4; 2xf32=3 4
// CASE: 6xf32=1 2 3 4 5 6 -> error: size 0 of a result is not a multiple of its divisor (got 3 and 2)

!s = !wrapper.buffer<[s], f32, #wrapper.device<"cpu">>
!h = !wrapper.buffer<[u * 2], f32, #wrapper.device<"cpu">>

wrapper.kernel @double(%x0: tensor<?xf32, #sym.shape<[k]>>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = ["k"], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "double" [k] (%a0 = %x0) : (tensor<?xf32, #sym.shape<[k]>>) -> tensor<?xf32, #sym.shape<[k]>> {
    %v0 = loop.load %a0[d0] : tensor<?xf32, #sym.shape<[k]>> -> f32
    %m = arith.addf %v0, %v0 : f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<?xf32, #sym.shape<[k]>>
}

wrapper.func @main(%x: !s) -> (!h, !h) attributes {sym.symbols = {s = #sym.range<0, 8>, u = #sym.range<0, 8>}} {
  wrapper.input_symbol "s" = size 0 of %x : !s
  %0:2 = wrapper.extern_call "test::halves"(%x) : (!s) -> (!h, !h)
  wrapper.bind_symbol "u" = [#wrapper.key<size, 0>, #wrapper.key<divide_by, 2>] of %0#0 : !h
  wrapper.assert_layout %0#0, "first" : !h
  wrapper.assert_layout %0#1, "second" : !h
  %1 = wrapper.alloc : !h
  wrapper.launch @double[u * 2] ins(%0#0 : !h) outs(%1 : !h)
  wrapper.return %1, %0#1 : !h, !h
}
