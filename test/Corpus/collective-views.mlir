// RUN: %corpus %s
// Halves of one buffer are reduced apart, in place and through views.
// CASE: 4xf32=1 2 3 4 -> 4xf32=2 4 6 8

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
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
wrapper.func @main(%x: !b) -> !b {
  %a = wrapper.alloc : !b
  wrapper.launch @double[4] ins(%x : !b) outs(%a : !b)
  %0 = wrapper.reinterpret %a at <0> : !b to !h
  %t = wrapper.collective all_reduce sum %0 to %0 group "test::world" : !h to !h
  wrapper.wait %t of %0 to %0 : !h to !h
  %1 = wrapper.reinterpret %a at <2> : !b to !h
  %u = wrapper.collective broadcast %1 to %1 root 0 group "test::world" : !h to !h
  wrapper.wait %u of %1 to %1 : !h to !h
  wrapper.return %a : !b
}
