// RUN: %corpus %s
// F32: a side stream makes what a collective sends, and starts it; the main one waits for the collective.
// CASE: 3xf32=1 2 3 -> 3xf32=4 8 12

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
  %c = wrapper.alloc : !s
  %e = wrapper.record_event #wrapper.device<"cpu">
  wrapper.stream #wrapper.device<"cpu"> 1 {
    wrapper.wait_event %e
    wrapper.launch @double[s0] ins(%x : !s) outs(%a : !s)
    wrapper.yield
  }
  %f = wrapper.record_event #wrapper.device<"cpu"> stream 1
  wrapper.launch @double[s0] ins(%x : !s) outs(%b : !s)
  wrapper.wait_event %f uses(%x : !s)
  %t = wrapper.collective all_reduce sum %a to %c group "test::world" : !s to !s
  wrapper.launch @add[s0] ins(%b, %x : !s, !s) outs(%b : !s)
  wrapper.wait %t of %a to %c : !s to !s
  %g = wrapper.record_event #wrapper.device<"cpu">
  %y = wrapper.alloc : !s
  %h = wrapper.record_event #wrapper.device<"cpu">
  wrapper.stream #wrapper.device<"cpu"> 1 {
    wrapper.wait_event %g
    wrapper.wait_event %h
    %u = wrapper.collective broadcast %c to %y root 0 group "test::world" : !s to !s
    wrapper.wait %u of %c to %y : !s to !s
    wrapper.launch @add[s0] ins(%y, %x : !s, !s) outs(%y : !s)
    wrapper.launch @add[s0] ins(%y, %x : !s, !s) outs(%y : !s)
    wrapper.yield
  }
  %i = wrapper.record_event #wrapper.device<"cpu"> stream 1
  wrapper.wait_event %i uses(%y, %c, %x : !s, !s, !s)
  wrapper.return %y : !s
}
