// RUN: %corpus %s
// F32: two side streams work on halves that are copied together; one waits for the other.
// CASE: 4xf32=1 2 3 4 -> 4xf32=6 12 18 24

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

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
wrapper.func @main(%x: !b) -> !b {
  %a = wrapper.alloc : !b
  %b = wrapper.alloc : !b
  %c = wrapper.alloc : !b
  %e = wrapper.record_event #wrapper.device<"cpu">
  %f = wrapper.record_event #wrapper.device<"cpu">
  wrapper.stream #wrapper.device<"cpu"> 1 {
    wrapper.wait_event %e
    wrapper.launch @double[4] ins(%x : !b) outs(%a : !b)
    wrapper.yield
  }
  wrapper.stream #wrapper.device<"cpu"> 2 {
    wrapper.wait_event %f
    wrapper.copy %x to %b : !b
    wrapper.launch @double[4] ins(%b : !b) outs(%b : !b)
    wrapper.yield
  }
  %g = wrapper.record_event #wrapper.device<"cpu"> stream 1
  wrapper.stream #wrapper.device<"cpu"> 2 {
    wrapper.wait_event %g uses(%x, %a : !b, !b)
    wrapper.launch @add[4] ins(%a, %b : !b, !b) outs(%c : !b)
    wrapper.launch @add[4] ins(%a, %c : !b, !b) outs(%c : !b)
    wrapper.yield
  }
  %h = wrapper.record_event #wrapper.device<"cpu"> stream 2
  %z = wrapper.alloc : !b
  wrapper.fill %z bytes 0 : !b
  wrapper.wait_event %h uses(%x, %a, %b, %c : !b, !b, !b, !b)
  %y = wrapper.alloc : !b
  wrapper.launch @add[4] ins(%c, %z : !b, !b) outs(%y : !b)
  wrapper.return %y : !b
}
