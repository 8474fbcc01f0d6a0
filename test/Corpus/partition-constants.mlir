// RUN: %corpus %s
// A literal that both halves read.
// CASE: i64=2 -> 2xf32=2 4; 2xf32=4 8; 2xf32=0 1

!s = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
!u = !wrapper.buffer<[u0], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>
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
wrapper.kernel @add(%x0: tensor<?xf32, #sym.shape<[k]>>, %x1: tensor<?xf32, #sym.shape<[k]>>) attributes {input_strides = [#sym.shape<[1]>, #sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = ["k"], in_place = array<i64: 0, 0, 1, 0>} {
  %0 = loop.kernel "add" [k] (%a0 = %x0, %a1 = %x1) : (tensor<?xf32, #sym.shape<[k]>>, tensor<?xf32, #sym.shape<[k]>>) -> tensor<?xf32, #sym.shape<[k]>> {
    %v0 = loop.load %a0[d0] : tensor<?xf32, #sym.shape<[k]>> -> f32
    %v1 = loop.load %a1[d0] : tensor<?xf32, #sym.shape<[k]>> -> f32
    %m = arith.addf %v0, %v1 : f32
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
wrapper.func @main(%n: !i) -> (!h, !h, !u) attributes {sym.symbols = {s0 = #sym.range<0, 64>, u0 = #sym.range<0, 64>}} {
  %k = wrapper.constant dense<[1.0, 2.0]> : tensor<2xf32> to !h
  %a = wrapper.alloc : !h
  wrapper.launch @double[2] ins(%k : !h) outs(%a : !h)
  %b = wrapper.alloc : !h
  wrapper.launch @add[2] ins(%k, %k : !h, !h) outs(%b : !h)
  wrapper.item "u0" = %n : !i
  %c = wrapper.alloc : !h
  wrapper.launch @add[2] ins(%a, %b : !h, !h) outs(%c : !h)
  %e = wrapper.alloc : !u
  wrapper.launch @iota[u0] outs(%e : !u)
  wrapper.return %a, %c, %e : !h, !h, !u
}
