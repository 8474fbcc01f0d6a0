// RUN: %corpus %s
// F32: a kernel on a side stream, which waits for the caller's and is waited for.
// CASE: 3xf32=1 2 3 -> 3xf32=4 8 12
// CASE: 0xf32= -> 0xf32=

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
wrapper.kernel @add(%x0: tensor<?xf32, #sym.shape<[k]>>, %x1: tensor<?xf32, #sym.shape<[k]>>) attributes {
    input_strides = [#sym.shape<[1]>, #sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = ["k"],
    in_place = array<i64: 0, 0, 1, 0>} {
  %0 = loop.kernel "add" [k] (%a0 = %x0, %a1 = %x1) : (tensor<?xf32, #sym.shape<[k]>>, tensor<?xf32, #sym.shape<[k]>>) -> tensor<?xf32, #sym.shape<[k]>> {
    %v0 = loop.load %a0[d0] : tensor<?xf32, #sym.shape<[k]>> -> f32
    %v1 = loop.load %a1[d0] : tensor<?xf32, #sym.shape<[k]>> -> f32
    %m = arith.addf %v0, %v1 : f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<?xf32, #sym.shape<[k]>>
}
wrapper.func @main(%x: !s) -> !s attributes {sym.symbols = {s0 = #sym.range<0, 64>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !s
  %a = wrapper.alloc : !s
  %b = wrapper.alloc : !s
  %e = wrapper.record_event #wrapper.device<"cpu">
  wrapper.stream #wrapper.device<"cpu"> 1 {
    wrapper.wait_event %e
    wrapper.launch @double[s0] ins(%x : !s) outs(%a : !s)
    wrapper.yield
  }
  wrapper.launch @double[s0] ins(%x : !s) outs(%b : !s)
  %f = wrapper.record_event #wrapper.device<"cpu"> stream 1
  wrapper.wait_event %f uses(%x, %a : !s, !s)
  %y = wrapper.alloc : !s
  wrapper.launch @add[s0] ins(%a, %b : !s, !s) outs(%y : !s)
  wrapper.return %y : !s
}
