// RUN: %corpus %s
// A function binds its symbols from what it is passed, not from the root: s0 is
// twice the caller's. It takes nothing, gives nothing, or gives two.
// CASE: 2xf32=1 2 -> 4xf32=0 2 4 6; 2xf32=1 1
// CASE: 0xf32= -> 0xf32=; 2xf32=1 1

!s = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
!d = !wrapper.buffer<[s0 * 2], f32, #wrapper.device<"cpu">>
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

wrapper.kernel @iota() attributes {input_strides = [],
    output_strides = [#sym.shape<[1]>], symbols = ["k"]} {
  %0 = loop.kernel "iota" [k] () : () -> tensor<?xf32, #sym.shape<[k]>> {
    %i = loop.index <d0>
    %m = arith.sitofp %i : i64 to f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<?xf32, #sym.shape<[k]>>
}

wrapper.kernel @one() attributes {input_strides = [],
    output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "one" [2] () : () -> tensor<2xf32> {
    %m = arith.constant 1.0 : f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<2xf32>
}

wrapper.func private @nothing() {
  wrapper.return
}
wrapper.func private @two(%x: !s) -> (!s, !h) attributes {sym.symbols = {s0 = #sym.range<0, 128>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !s
  %0 = wrapper.alloc : !s
  wrapper.launch @double[s0] ins(%x : !s) outs(%0 : !s)
  %1 = wrapper.alloc : !h
  wrapper.launch @one[] outs(%1 : !h)
  wrapper.return %0, %1 : !s, !h
}
wrapper.func @main(%x: !s) -> (!d, !h) attributes {sym.symbols = {s0 = #sym.range<0, 64>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !s
  wrapper.invoke @nothing() : () -> ()
  %0 = wrapper.alloc : !d
  wrapper.launch @iota[s0 * 2] outs(%0 : !d)
  %1:2 = wrapper.invoke @two(%0) : (!d) -> (!d, !h)
  wrapper.return %1#0, %1#1 : !d, !h
}
