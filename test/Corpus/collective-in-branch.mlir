// RUN: %corpus %s
// Both branches wait for what was started in front of them, and one starts more.
// CASE: i1=1; 4xf32=1 2 3 4 -> 4xf32=4 8 12 16
// CASE: i1=0; 4xf32=1 2 3 4 -> 4xf32=2 4 6 8

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
  %a = wrapper.alloc : !b
  wrapper.launch @double[4] ins(%x : !b) outs(%a : !b)
  %b = wrapper.alloc : !b
  %t = wrapper.collective all_reduce sum %a to %b group "test::world" : !b to !b
  %r = wrapper.if %p : !p -> (!b) {
    wrapper.wait %t of %a to %b : !b to !b
    %c = wrapper.alloc : !b
    wrapper.launch @double[4] ins(%b : !b) outs(%c : !b)
    %d = wrapper.alloc : !b
    %u = wrapper.collective all_gather %c to %d group "test::world" : !b to !b
    wrapper.wait %u of %c to %d : !b to !b
    wrapper.yield %d : !b
  } else {
    wrapper.wait %t of %a to %b : !b to !b
    wrapper.yield %b : !b
  }
  wrapper.return %r : !b
}
