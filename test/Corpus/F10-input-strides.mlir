// RUN: %corpus %s
// An input with strides of its own: the symbols are its size and its stride, a view
// shows what lies between.
// CASE: 2x3xf32=1 2 3 4 5 6 -> 2xf32=1 4; 2xf32=2 8
// CASE: 1x5xf32=9 8 7 6 5 -> 1xf32=9; 1xf32=18

wrapper.kernel @gather(%x0: tensor<?xf32, #sym.shape<[n]>>) attributes {input_strides = [#sym.shape<[m]>],
    output_strides = [#sym.shape<[1]>], symbols = ["n", "m"]} {
  %0 = loop.kernel "gather" [n] (%a0 = %x0) : (tensor<?xf32, #sym.shape<[n]>>) -> tensor<?xf32, #sym.shape<[n]>> {
    %v = loop.load %a0[d0] : tensor<?xf32, #sym.shape<[n]>> -> f32
    %r = arith.addf %v, %v : f32
    loop.store %r, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<?xf32, #sym.shape<[n]>>
}
wrapper.kernel @dense(%x0: tensor<?xf32, #sym.shape<[n]>>) attributes {input_strides = [#sym.shape<[m]>],
    output_strides = [#sym.shape<[1]>], symbols = ["n", "m"]} {
  %0 = loop.kernel "dense" [n] (%a0 = %x0) : (tensor<?xf32, #sym.shape<[n]>>) -> tensor<?xf32, #sym.shape<[n]>> {
    %v = loop.load %a0[d0] : tensor<?xf32, #sym.shape<[n]>> -> f32
    loop.store %v, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<?xf32, #sym.shape<[n]>>
}

!x = !wrapper.buffer<[s0, s1], f32, #wrapper.device<"cpu">>
!c = !wrapper.buffer<[s0], strides = [s1], f32, #wrapper.device<"cpu">>
!r = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
wrapper.func @main(%x: !x) -> (!r, !r) attributes {sym.symbols = {s0 = #sym.range<1, 8>, s1 = #sym.range<1, 8>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !x
  wrapper.input_symbol "s1" = size 1 of %x : !x
  wrapper.assert_layout %x, "x" : !x
  %0 = wrapper.reinterpret %x at <0> : !x to !c
  %1 = wrapper.alloc : !r
  wrapper.launch @dense[s0, s1] ins(%0 : !c) outs(%1 : !r)
  %2 = wrapper.alloc : !r
  wrapper.launch @gather[s0, s1] ins(%0 : !c) outs(%2 : !r)
  wrapper.return %1, %2 : !r, !r
}
