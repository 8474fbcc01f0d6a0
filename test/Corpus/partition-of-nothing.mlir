// RUN: %corpus %s
// A partition without buffers or results, and one whose result nobody reads.
// CASE: 2xf32=1 2 -> 2xf32=2 4

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
wrapper.func private @nothing() {
  wrapper.return
}
wrapper.func private @count() attributes {sym.symbols = {n = #sym.range<0, 64>}} {
  wrapper.param_symbols ["n"]
  wrapper.return
}
wrapper.func private @part(%x: !s) -> (!s, !s) attributes {sym.symbols = {s0 = #sym.range<0, 64>}} {
  wrapper.param_symbols ["s0"]
  %a = wrapper.alloc : !s
  wrapper.launch @double[s0] ins(%x : !s) outs(%a : !s)
  %b = wrapper.alloc : !s
  wrapper.launch @double[s0] ins(%x : !s) outs(%b : !s)
  wrapper.return %a, %b : !s, !s
}
wrapper.func @main(%x: !s) -> !s attributes {sym.symbols = {s0 = #sym.range<0, 64>, u0 = #sym.range<0, 64>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !s
  wrapper.partition_call @nothing() : () -> ()
  wrapper.partition_call @count() symbols [s0 + 1] : () -> ()
  %0:2 = wrapper.partition_call @part(%x) symbols [s0] : (!s) -> (!s, !s)
  wrapper.return %0#0 : !s
}
