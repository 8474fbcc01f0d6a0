// RUN: %corpus %s
// Sizes that change from one iteration to the next, and an element that ends it.
// CASE: i64=3 -> 4xf32=0 2 4 6
// CASE: i64=0 -> 1xf32=0

!s = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
!u = !wrapper.buffer<[u0], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>
!n = !wrapper.buffer<[n], f32, #wrapper.device<"cpu">>
!m = !wrapper.buffer<[n + 1], f32, #wrapper.device<"cpu">>
!one = !wrapper.buffer<[1], f32, #wrapper.device<"cpu">>
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
wrapper.func @main(%x: !i) -> !n attributes {sym.symbols = {n = #sym.range<1, 64>, u0 = #sym.range<0, 32>}} {
  wrapper.item "u0" = %x : !i
  %a = wrapper.alloc : !one
  wrapper.launch @iota[1] outs(%a : !one)
  %r = wrapper.while %a : !one symbols ["n"] from [1] -> (!n) {
  ^bb0(%c: !n):
    %t = wrapper.compare <n> le <u0>
    wrapper.condition %t pass %c : !n
  } do {
  ^bb0(%c: !n):
    %d = wrapper.alloc : !m
    wrapper.launch @iota[n + 1] outs(%d : !m)
    %e = wrapper.alloc : !m
    wrapper.launch @double[n + 1] ins(%d : !m) outs(%e : !m)
    wrapper.yield %e : !m symbols [n + 1]
  }
  wrapper.return %r : !n
}
