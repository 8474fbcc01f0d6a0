// RUN: %corpus %s
// Steps between reads that have nothing to do with them.
// CASE: 2xf32=1 2; i64=1; i64=2 -> 2xf32=2 4; 2xf32=4 8; 2xf32=8 16; 3xf32=0 1 2
// CASE: 2xf32=1 2; i64=5; i64=2 -> error: the second is larger

!s = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
!u = !wrapper.buffer<[u0], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>
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
wrapper.kernel @iota() attributes {input_strides = [],
    output_strides = [#sym.shape<[1]>], symbols = ["k"]} {
  %0 = loop.kernel "iota" [k] () : () -> tensor<?xf32, #sym.shape<[k]>> {
    %i = loop.index <d0>
    %m = arith.sitofp %i : i64 to f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<?xf32, #sym.shape<[k]>>
}
!v = !wrapper.buffer<[u0 + u1], f32, #wrapper.device<"cpu">>
wrapper.func @main(%x: !s, %n: !i, %m: !i) -> (!s, !s, !s, !v) attributes {sym.symbols = {s0 = #sym.range<0, 64>, u0 = #sym.range<0, 64>, u1 = #sym.range<0, 64>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !s
  %a = wrapper.alloc : !s
  wrapper.launch @double[s0] ins(%x : !s) outs(%a : !s)
  wrapper.item "u0" = %n : !i
  %b = wrapper.alloc : !s
  wrapper.launch @double[s0] ins(%a : !s) outs(%b : !s)
  wrapper.item "u1" = %m : !i
  %c = wrapper.alloc : !s
  wrapper.launch @double[s0] ins(%b : !s) outs(%c : !s)
  wrapper.assert <u0> le <u1>, "the second is larger"
  %e = wrapper.alloc : !v
  wrapper.launch @iota[u0 + u1] outs(%e : !v)
  wrapper.return %a, %b, %c, %e : !s, !s, !s, !v
}
