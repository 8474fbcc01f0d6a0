// RUN: %corpus %s
// F06: an input that nothing uses is let go before the first launch, others behind their
// last use: an input that is read twice, through a view, in a branch, and by a check alone.
// CASE: 4xf32=1 2 3 4; 4xf32=9 9 9 9; 2xf32=5 6; i1=1 -> 4xf32=4 8 12 16; 2xf32=10 12
// CASE: 4xf32=1 2 3 4; 4xf32=9 9 9 9; 2xf32=5 6; i1=0 -> 4xf32=4 8 12 16; 2xf32=5 6

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!c = !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>
!s = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>

wrapper.kernel @double(%x0: tensor<?xf32, #sym.shape<[k]>>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = ["k"], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "double" [k] (%a0 = %x0) : (tensor<?xf32, #sym.shape<[k]>>) -> tensor<?xf32, #sym.shape<[k]>> {
    %v0 = loop.load %a0[d0] : tensor<?xf32, #sym.shape<[k]>> -> f32
    %m = arith.addf %v0, %v0 : f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<?xf32, #sym.shape<[k]>>
}

wrapper.func @main(%x: !b {coil.name = "x"}, %unused: !b {coil.name = "unused"}, %y: !s {coil.name = "y"}, %p: !p)
    -> (!b, !s) attributes {sym.symbols = {s0 = #sym.range<1, 64>}} {
  wrapper.input_symbol "s0" = size 0 of %y : !s
  wrapper.assert_layout %unused, "unused" : !b
  wrapper.drop %unused : !b
  %0 = wrapper.alloc : !b
  wrapper.launch @double[4] ins(%x : !b) outs(%0 : !b)
  %v = wrapper.reinterpret %x at <0> : !b to !b
  %1 = wrapper.alloc : !b
  wrapper.copy %v to %1 : !b
  wrapper.drop %x : !b
  %2 = wrapper.alloc : !b
  wrapper.launch @double[4] ins(%0 : !b) outs(%2 : !b)
  %r = wrapper.if %p : !p -> (!s) {
    %3 = wrapper.alloc : !s
    wrapper.launch @double[s0] ins(%y : !s) outs(%3 : !s)
    wrapper.yield %3 : !s
  } else {
    %3 = wrapper.alloc : !s
    wrapper.copy %y to %3 : !s
    wrapper.yield %3 : !s
  }
  wrapper.drop %p : !p
  wrapper.drop %y : !s
  wrapper.return %2, %r : !b, !s
}
