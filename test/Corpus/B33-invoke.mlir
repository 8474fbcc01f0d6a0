// RUN: %corpus %s
// A function with symbols of its own, called with other sizes.
// CASE: 3xf32=1 2 3; 4xf32=1 2 3 4 -> 3xf32=2 4 6; 4xf32=4 8 12 16
// CASE: 0xf32=; 4xf32=1 2 3 4 -> 0xf32=; 4xf32=4 8 12 16

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!s = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>

wrapper.kernel @double(%x0: tensor<?xf32, #sym.shape<[k]>>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = ["k"], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "double" [k] (%a0 = %x0) : (tensor<?xf32, #sym.shape<[k]>>) -> tensor<?xf32, #sym.shape<[k]>> {
    %v0 = loop.load %a0[d0] : tensor<?xf32, #sym.shape<[k]>> -> f32
    %m = arith.addf %v0, %v0 : f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<?xf32, #sym.shape<[k]>>
}

wrapper.func private @twice(%x: !s {coil.name = "x"}) -> !s attributes {sym.symbols = {s0 = #sym.range<0, 64>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !s
  wrapper.assert_layout %x, "x" : !s
  %0 = wrapper.alloc : !s
  wrapper.launch @double[s0] ins(%x : !s) outs(%0 : !s)
  wrapper.return %0 : !s
}

wrapper.func @main(%x: !s, %y: !b) -> (!s, !b) attributes {sym.symbols = {s0 = #sym.range<0, 64>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !s
  %0 = wrapper.invoke @twice(%x) : (!s) -> !s
  %1 = wrapper.invoke @twice(%y) : (!b) -> !b
  %2 = wrapper.invoke @twice(%1) : (!b) -> !b
  wrapper.return %0, %2 : !s, !b
}
