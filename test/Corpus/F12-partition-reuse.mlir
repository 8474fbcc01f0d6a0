// RUN: %corpus %s
// What the second half returns takes over what the first half left, twice.
// CASE: 2xf32=1 2 -> 2xf32=16 32; 3xf32=0 1 2
// CASE: 0xf32= -> 0xf32=; 0xf32=

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
wrapper.func @main(%x: !s) -> (!s, !u) attributes {sym.symbols = {s0 = #sym.range<0, 64>, u0 = #sym.range<0, 64>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !s
  %a = wrapper.alloc : !s
  wrapper.launch @double[s0] ins(%x : !s) outs(%a : !s)
  %b = wrapper.alloc : !s
  wrapper.launch @double[s0] ins(%a : !s) outs(%b : !s)
  %n = wrapper.alloc : !i
  wrapper.launch @count[s0] ins(%x : !s) outs(%n : !i)
  wrapper.item "u0" = %n : !i
  %c = wrapper.alloc : !s
  wrapper.launch @double[s0] ins(%b : !s) outs(%c : !s)
  %d = wrapper.alloc : !s
  wrapper.launch @double[s0] ins(%c : !s) outs(%d : !s)
  %e = wrapper.alloc : !u
  wrapper.launch @iota[u0] outs(%e : !u)
  wrapper.return %d, %e : !s, !u
}
