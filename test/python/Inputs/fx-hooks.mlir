// Two launches of one kernel, one of them in place, of a third with a number, and a view: [s0, 4].
!x = !wrapper.buffer<[s0, 4], f32, #wrapper.device<"cpu">>
!f = !wrapper.buffer<[s0 * 4], f32, #wrapper.device<"cpu">>
!t = tensor<?xf32, #sym.shape<[k]>>
!u = tensor<?x4xf32, #sym.shape<[k, 4]>>
wrapper.kernel @twice(%x0: !t) attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>],
    symbols = ["k"], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "twice" [k] (%a0 = %x0) : (!t) -> !t schedule<vector_dim = 0, vector_width = 8> {
    %v0 = loop.load %a0[d0] : !t -> f32
    %m = arith.addf %v0, %v0 : f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : !t
}
wrapper.kernel @add(%x0: !u, %x1: !u) attributes {input_strides = [#sym.shape<[4, 1]>, #sym.shape<[4, 1]>],
    output_strides = [#sym.shape<[4, 1]>], symbols = ["k"]} {
  %0 = loop.kernel "add" [k, 4] (%a0 = %x0, %a1 = %x1) : (!u, !u) -> !u {
    %v0 = loop.load %a0[d0, d1] : !u -> f32
    %v1 = loop.load %a1[d0, d1] : !u -> f32
    %m = arith.addf %v0, %v1 : f32
    loop.store %m, 0 [d0, d1] : f32
  }
  wrapper.yield %0 : !u
}
wrapper.func @main(%x: !x) -> !x attributes {sym.symbols = {s0 = #sym.range<2, 64>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !x
  wrapper.assert_layout %x, "x" : !x
  %0 = wrapper.reinterpret %x at <0> : !x to !f
  %1 = wrapper.alloc : !f
  wrapper.launch @twice[s0 * 4] ins(%0 : !f) outs(%1 : !f)
  wrapper.launch @twice[s0 * 4] ins(%1 : !f) outs(%1 : !f)
  %2 = wrapper.reinterpret %1 at <0> : !f to !x
  %3 = wrapper.alloc : !x
  wrapper.launch @add[s0] ins(%x, %2 : !x, !x) outs(%3 : !x)
  wrapper.return %3 : !x
}
