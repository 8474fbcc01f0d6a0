// RUN: %corpus %s
// A function that is called has its own, beside that of its caller.
// CASE: 4xf32=1 2 3 4 -> 4xf32=3 6 9 12

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
wrapper.func private @callee(%x: !b) -> !b {
  wrapper.assert_layout %x, "x" : !b
  %a = wrapper.alloc : !b
  wrapper.launch @double[4] ins(%x : !b) outs(%a : !b)
  %b = wrapper.alloc : !b
  %t = wrapper.collective all_reduce sum %a to %b group "test::world" : !b to !b
  wrapper.wait %t of %a to %b : !b to !b
  wrapper.return %b : !b
}
wrapper.func @main(%x: !b) -> !b {
  %b = wrapper.alloc : !b
  %t = wrapper.collective all_gather %x to %b group "test::world" : !b to !b
  %c = wrapper.invoke @callee(%x) : (!b) -> !b
  wrapper.wait %t of %x to %b : !b to !b
  %y = wrapper.alloc : !b
  wrapper.launch @add[4] ins(%b, %c : !b, !b) outs(%y : !b)
  wrapper.return %y : !b
}
