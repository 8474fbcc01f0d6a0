// RUN: %corpus %s
// F32: events of the main stream, which order nothing anew.
// CASE: 2xf32=1 2 -> 2xf32=2 4

!b = !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>

wrapper.kernel @double(%x0: tensor<?xf32, #sym.shape<[k]>>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = ["k"], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "double" [k] (%a0 = %x0) : (tensor<?xf32, #sym.shape<[k]>>) -> tensor<?xf32, #sym.shape<[k]>> {
    %v0 = loop.load %a0[d0] : tensor<?xf32, #sym.shape<[k]>> -> f32
    %m = arith.addf %v0, %v0 : f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<?xf32, #sym.shape<[k]>>
}
wrapper.func @main(%x: !b) -> !b {
  %e = wrapper.record_event #wrapper.device<"cpu">
  %y = wrapper.alloc : !b
  wrapper.wait_event %e uses(%x : !b)
  wrapper.launch @double[2] ins(%x : !b) outs(%y : !b)
  %f = wrapper.record_event #wrapper.device<"cpu">
  wrapper.wait_event %f
  wrapper.return %y : !b
}
