// RUN: %corpus %s
// Many short lives on both sides of a read: each side plans its own memory.
// CASE: 2xf32=1 2 -> 2xf32=17 34; 2xf32=272 544; 3xf32=0 1 2
// CASE: 0xf32= -> 0xf32=; 0xf32=; 0xf32=

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
wrapper.kernel @iota() attributes {input_strides = [],
    output_strides = [#sym.shape<[1]>], symbols = ["k"]} {
  %0 = loop.kernel "iota" [k] () : () -> tensor<?xf32, #sym.shape<[k]>> {
    %i = loop.index <d0>
    %m = arith.sitofp %i : i64 to f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<?xf32, #sym.shape<[k]>>
}
wrapper.kernel @count(%x0: tensor<?xf32, #sym.shape<[k]>>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[]>], symbols = ["k"]} {
  %0 = loop.kernel "count" [k] (%a0 = %x0) : (tensor<?xf32, #sym.shape<[k]>>) -> tensor<i64> {
    %v0 = loop.load %a0[d0] : tensor<?xf32, #sym.shape<[k]>> -> f32
    %s = loop.reduce sum %v0 over [0] : f32
    %m = arith.fptosi %s : f32 to i64
    loop.store %m, 0 [] : i64
  }
  wrapper.yield %0 : tensor<i64>
}
wrapper.func @main(%x: !s) -> (!s, !s, !u) attributes {sym.symbols = {s0 = #sym.range<0, 64>, u0 = #sym.range<0, 64>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !s
  %t0 = wrapper.alloc : !s
  wrapper.launch @double[s0] ins(%x : !s) outs(%t0 : !s)
  %t1 = wrapper.alloc : !s
  wrapper.launch @double[s0] ins(%t0 : !s) outs(%t1 : !s)
  %t2 = wrapper.alloc : !s
  wrapper.launch @double[s0] ins(%t1 : !s) outs(%t2 : !s)
  %t3 = wrapper.alloc : !s
  wrapper.launch @double[s0] ins(%t2 : !s) outs(%t3 : !s)
  %y = wrapper.alloc : !s
  wrapper.launch @add[s0] ins(%t3, %x : !s, !s) outs(%y : !s)
  %n = wrapper.alloc : !i
  wrapper.launch @count[s0] ins(%x : !s) outs(%n : !i)
  wrapper.item "u0" = %n : !i
  %w0 = wrapper.alloc : !s
  wrapper.launch @double[s0] ins(%y : !s) outs(%w0 : !s)
  %w1 = wrapper.alloc : !s
  wrapper.launch @double[s0] ins(%w0 : !s) outs(%w1 : !s)
  %w2 = wrapper.alloc : !s
  wrapper.launch @double[s0] ins(%w1 : !s) outs(%w2 : !s)
  %w3 = wrapper.alloc : !s
  wrapper.launch @double[s0] ins(%w2 : !s) outs(%w3 : !s)
  %e = wrapper.alloc : !u
  wrapper.launch @iota[u0] outs(%e : !u)
  wrapper.return %y, %w3, %e : !s, !s, !u
}
