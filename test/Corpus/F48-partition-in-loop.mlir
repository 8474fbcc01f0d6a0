// RUN: %corpus %s
// A partition that runs in each iteration, reads from outside, and carries.
// CASE: 2xf32=1 2 -> 2xf32=8 16
// CASE: 0xf32= -> 0xf32=

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
wrapper.func @main(%x: !s) -> !s attributes {sym.symbols = {s0 = #sym.range<0, 64>, u0 = #sym.range<0, 64>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !s
  %o = wrapper.alloc : !s
  wrapper.launch @double[s0] ins(%x : !s) outs(%o : !s)
  %a = wrapper.alloc : !s
  wrapper.launch @add[s0] ins(%x, %x : !s, !s) outs(%a : !s)
  %r = wrapper.while %a : !s symbols ["i"] from [0] -> (!s) {
  ^bb0(%c: !s):
    %t = wrapper.compare <i> lt <3>
    wrapper.condition %t pass %c : !s
  } do {
  ^bb0(%c: !s):
  %d = wrapper.alloc : !s
  wrapper.launch @add[s0] ins(%c, %o : !s, !s) outs(%d : !s)
    wrapper.yield %d : !s symbols [i + 1]
  }
  wrapper.return %r : !s
}
