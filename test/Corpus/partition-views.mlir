// RUN: %corpus %s
// Views that cross: of an argument, of what is made before, and of a result.
// CASE: 4xf32=1 2 3 4; i64=1 -> 2xf32=6 8; 4xf32=2 4 6 8; 1xf32=0
// CASE: 4xf32=0 0 0 1; i64=0 -> 2xf32=0 2; 4xf32=0 0 0 2; 0xf32=

!s = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
!u = !wrapper.buffer<[u0], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>
!f = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!h = !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>
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
wrapper.func @main(%x: !f, %n: !i) -> (!h, !f, !u) attributes {sym.symbols = {s0 = #sym.range<0, 64>, u0 = #sym.range<0, 64>}} {
  %a = wrapper.alloc : !f
  %av = wrapper.reinterpret %a at <2> : !f to !h
  %xv = wrapper.reinterpret %x at <2> : !f to !h
  wrapper.launch @double[4] ins(%x : !f) outs(%a : !f)
  %c = wrapper.alloc : !h
  wrapper.launch @double[2] ins(%xv : !h) outs(%c : !h)
  wrapper.item "u0" = %n : !i
  wrapper.copy %av to %c : !h
  %e = wrapper.alloc : !u
  wrapper.launch @iota[u0] outs(%e : !u)
  wrapper.return %c, %a, %e : !h, !f, !u
}
