// RUN: %corpus %s
// Checks of symbols and layouts stop the program.
// CASE: 6xf32=1 2 3 4 5 6 -> 6xf32=2 4 6 8 10 12
// CASE: 2xf32=1 2 -> error: at least two halves (got 4 and 1)
// CASE: 9xf32=1 2 3 4 5 6 7 8 9 -> error:

!d = !wrapper.buffer<[s0 * 2], f32, #wrapper.device<"cpu">>

wrapper.kernel @double(%x0: tensor<?xf32, #sym.shape<[k]>>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = ["k"], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "double" [k] (%a0 = %x0) : (tensor<?xf32, #sym.shape<[k]>>) -> tensor<?xf32, #sym.shape<[k]>> {
    %v0 = loop.load %a0[d0] : tensor<?xf32, #sym.shape<[k]>> -> f32
    %m = arith.addf %v0, %v0 : f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<?xf32, #sym.shape<[k]>>
}

wrapper.func @main(%x: !d) -> !d attributes {sym.symbols = {s0 = #sym.range<0, 64>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !d
  wrapper.assert_layout %x, "x" : !d
  wrapper.assert <4> le <s0 * s0>, "at least two halves"
  %0 = wrapper.alloc : !d
  wrapper.launch @double[s0 * 2] ins(%x : !d) outs(%0 : !d)
  wrapper.return %0 : !d
}
