// RUN: %corpus %s
// What the first half made is written again behind a read, and lives on.
// CASE: 2xf32=1 2 -> 2xf32=4 8; 2xf32=8 16; 3xf32=0 1 2
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
  %a = wrapper.alloc : !s
  wrapper.launch @double[s0] ins(%x : !s) outs(%a : !s)
  %b = wrapper.alloc : !s
  wrapper.launch @double[s0] ins(%a : !s) outs(%b : !s)
  %n = wrapper.alloc : !i
  wrapper.launch @count[s0] ins(%x : !s) outs(%n : !i)
  wrapper.item "u0" = %n : !i
  wrapper.launch @double[s0] ins(%x : !s) outs(%a : !s)
  wrapper.launch @double[s0] ins(%a : !s) outs(%b : !s)
  %p = wrapper.compare <u0> lt <100>
  wrapper.assert <u0> le <60>, "few"
  %e = wrapper.alloc : !u
  wrapper.launch @iota[u0] outs(%e : !u)
  %f = wrapper.alloc : !s
  wrapper.launch @double[s0] ins(%b : !s) outs(%f : !s)
  wrapper.return %b, %f, %e : !s, !s, !u
}
