// RUN: %corpus %s
// A partition by hand that is called twice, with other expressions for its symbols,
// once taking its operand over.
// CASE: 2xf32=1 2 -> 4xf32=0 4 8 12; 2xf32=2 4
// CASE: 0xf32= -> 0xf32=; 0xf32=

!s = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
!u = !wrapper.buffer<[u0], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>
!d = !wrapper.buffer<[s0 * 2], f32, #wrapper.device<"cpu">>
!k = !wrapper.buffer<[k], f32, #wrapper.device<"cpu">>
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
wrapper.func private @part(%x: !k) -> !k attributes {sym.symbols = {k = #sym.range<0, 128>}} {
  wrapper.param_symbols ["k"]
  %0 = wrapper.alloc : !k
  wrapper.launch @double[k] ins(%x : !k) outs(%0 : !k)
  wrapper.return %0 : !k
}
wrapper.func private @over(%x: !k {wrapper.consumed}) -> !k attributes {sym.symbols = {k = #sym.range<0, 128>}} {
  wrapper.param_symbols ["k"]
  %0 = wrapper.alloc : !k
  wrapper.launch @double[k] ins(%x : !k) outs(%0 : !k)
  wrapper.return %0 : !k
}
wrapper.func @main(%x: !s) -> (!d, !s) attributes {sym.symbols = {s0 = #sym.range<0, 64>, u0 = #sym.range<0, 64>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !s
  %0 = wrapper.alloc : !d
  wrapper.launch @iota[s0 * 2] outs(%0 : !d)
  %1 = wrapper.partition_call @over(%0) symbols [s0 * 2] consumes [0] : (!d) -> !d
  %2 = wrapper.partition_call @over(%1) symbols [s0 * 2] consumes [0] : (!d) -> !d
  %3 = wrapper.partition_call @part(%x) symbols [s0] : (!s) -> !s
  wrapper.return %2, %3 : !d, !s
}
