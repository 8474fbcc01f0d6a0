// RUN: %corpus %s
// A size that is solved for its symbol; what does not fit the solution fails.
// CASE: 6xf32=0 0 0 0 0 0 -> 3xf32=0 1 2
// CASE: 2xf32=0 0 -> 1xf32=0
// CASE: 5xf32=0 0 0 0 0 -> error: dimension 0

!x = !wrapper.buffer<[s0 * 2], f32, #wrapper.device<"cpu">>
!h = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>

wrapper.kernel @iota() attributes {input_strides = [],
    output_strides = [#sym.shape<[1]>], symbols = ["k"]} {
  %0 = loop.kernel "iota" [k] () : () -> tensor<?xf32, #sym.shape<[k]>> {
    %i = loop.index <d0>
    %m = arith.sitofp %i : i64 to f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<?xf32, #sym.shape<[k]>>
}

wrapper.func @main(%x: !x) -> !h attributes {sym.symbols = {s0 = #sym.range<1, 64>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !x
  wrapper.assert_layout %x, "x" : !x
  %0 = wrapper.alloc : !h
  wrapper.launch @iota[s0] outs(%0 : !h)
  wrapper.return %0 : !h
}
