// RUN: %corpus %s
// B25: memory that a transport knows, in a branch; the group has none, so it is ordinary.
// CASE: i1=1; 4xf32=1 2 3 4 -> 4xf32=2 4 6 8
// CASE: i1=0; 4xf32=1 2 3 4 -> 4xf32=1 2 3 4

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
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
wrapper.func @main(%p: !p, %x: !b) -> !b {
  %y = wrapper.alloc : !b
  wrapper.if %p : !p {
    %c = wrapper.comm_alloc registered group "test::world" : !b
    wrapper.launch @double[4] ins(%x : !b) outs(%c : !b)
    %t = wrapper.collective all_gather %c to %y group "test::world" : !b to !b
    wrapper.wait %t of %c to %y : !b to !b
    wrapper.yield
  } else {
    wrapper.copy %x to %y : !b
    wrapper.yield
  }
  wrapper.return %y : !b
}
