// RUN: %corpus %s
// B25: a communication buffer, in which a collective works in place; it is no other's memory before or behind.
// CASE: 4xf32=1 2 3 4 -> 4xf32=5 9 13 17

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
  wrapper.launch @double[4] ins(%x : !b) outs(%a : !b)
  %c = wrapper.comm_alloc symmetric group "test::world" : !b
  wrapper.launch @double[4] ins(%a : !b) outs(%c : !b)
  %t = wrapper.collective all_reduce sum %c to %c group "test::world" : !b to !b
  %one = wrapper.constant dense<1.0> : tensor<4xf32> to !b
  %d = wrapper.alloc : !b
  wrapper.copy %one to %d : !b
  wrapper.wait %t of %c to %c : !b to !b
  %y = wrapper.alloc : !b
  wrapper.launch @add[4] ins(%c, %d : !b, !b) outs(%y : !b)
  wrapper.return %y : !b
}
