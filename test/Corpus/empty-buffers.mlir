// RUN: %corpus %s
// Buffers without elements, between steps and at the ends.
// CASE: 0xf32= -> 0xf32=
// CASE: 2xf32=1 2 -> 2xf32=4 8

!s = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>

wrapper.kernel @double(%x0: tensor<?xf32, #sym.shape<[k]>>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = ["k"], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "double" [k] (%a0 = %x0) : (tensor<?xf32, #sym.shape<[k]>>) -> tensor<?xf32, #sym.shape<[k]>> {
    %v0 = loop.load %a0[d0] : tensor<?xf32, #sym.shape<[k]>> -> f32
    %m = arith.addf %v0, %v0 : f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<?xf32, #sym.shape<[k]>>
}

wrapper.func @main(%x: !s) -> !s attributes {sym.symbols = {s0 = #sym.range<0, 64>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !s
  %0 = wrapper.alloc : !s
  wrapper.launch @double[s0] ins(%x : !s) outs(%0 : !s)
  %1 = wrapper.alloc : !s
  wrapper.launch @double[s0] ins(%0 : !s) outs(%1 : !s)
  wrapper.return %1 : !s
}
