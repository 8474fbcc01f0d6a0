// RUN: %corpus %s
// A scope, and a partition that stays in place: what they make and bind goes on.
// CASE: 2xf32=1 2; i64=3 -> 2xf32=4 8; 3xf32=0 1 2
// CASE: 0xf32=; i64=0 -> 0xf32=; 0xf32=

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
wrapper.func @main(%x: !s, %n: !i) -> (!s, !u) attributes {sym.symbols = {s0 = #sym.range<0, 64>, u0 = #sym.range<0, 64>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !s
  %r:2 = wrapper.device_scope #wrapper.device<"cpu"> -> (!s, i1) {
    %q = wrapper.partition #wrapper.device<"cpu"> -> (!s) {
    %a = wrapper.alloc : !s
    wrapper.launch @double[s0] ins(%x : !s) outs(%a : !s)
    %v = wrapper.reinterpret %a at <0> : !s to !s
    %b = wrapper.alloc : !s
    wrapper.launch @double[s0] ins(%v : !s) outs(%b : !s)
    wrapper.yield %b : !s
    }
    wrapper.item "u0" = %n : !i
    %c = wrapper.compare <u0> lt <100>
    wrapper.yield %q, %c : !s, i1
  }
  %e = wrapper.alloc : !u
  wrapper.launch @iota[u0] outs(%e : !u)
  %f = wrapper.if %r#1 : i1 -> (!u) {
    wrapper.yield %e : !u
  } else {
    wrapper.yield %e : !u
  }
  wrapper.return %r#0, %f : !s, !u
}
