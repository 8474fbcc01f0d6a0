// RUN: %corpus %s
// A view that was made in front of a read, of storage that is written again behind it;
// and memory that comes between two steps but waits for a later one.
// CASE: 4xf32=1 2 3 4; i64=1 -> 2xf32=12 16; 4xf32=4 8 12 16; 4xf32=8 16 24 32; 1xf32=0
// CASE: 4xf32=0 0 0 1; i64=0 -> 2xf32=0 4; 4xf32=0 0 0 4; 4xf32=0 0 0 8; 0xf32=

!s = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
!u = !wrapper.buffer<[u0], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>
!f = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!g = !wrapper.buffer<[2, 2], f32, #wrapper.device<"cpu">>
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
wrapper.func @main(%x: !f, %n: !i) -> (!h, !f, !f, !u) attributes {sym.symbols = {s0 = #sym.range<0, 64>, u0 = #sym.range<0, 64>}} {
  %a = wrapper.alloc : !f
  %ag = wrapper.reinterpret %a at <0> : !f to !g
  %av = wrapper.reinterpret %ag at <2> : !g to !h
  wrapper.launch @double[4] ins(%x : !f) outs(%a : !f)
  %later = wrapper.alloc : !f
  %laterview = wrapper.reinterpret %later at <0> : !f to !f
  %b = wrapper.alloc : !f
  wrapper.launch @double[4] ins(%a : !f) outs(%b : !f)
  wrapper.item "u0" = %n : !i
  wrapper.copy %b to %a : !f
  wrapper.launch @double[4] ins(%b : !f) outs(%laterview : !f)
  %p = wrapper.compare <u0> lt <100>
  %c = wrapper.if %p : i1 -> (!h) {
    %d = wrapper.alloc : !h
    wrapper.copy %av to %d : !h
    wrapper.yield %d : !h
  } else {
    %d = wrapper.alloc : !h
    wrapper.copy %av to %d : !h
    wrapper.yield %d : !h
  }
  %e = wrapper.alloc : !u
  wrapper.launch @iota[u0] outs(%e : !u)
  wrapper.return %c, %a, %later, %e : !h, !f, !f, !u
}
