// RUN: %corpus %s
// Kernels and another collective run between a start and its wait; both sources live until then.
// CASE: 3xf32=1 2 3 -> 3xf32=5 10 15; 3xf32=2 4 6
// CASE: 0xf32= -> 0xf32=; 0xf32=

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
wrapper.func @main(%x: !s) -> (!s, !s) attributes {sym.symbols = {s0 = #sym.range<0, 64>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !s
  %a = wrapper.alloc : !s
  wrapper.launch @double[s0] ins(%x : !s) outs(%a : !s)
  %b = wrapper.alloc : !s
  %t = wrapper.collective all_reduce sum %a to %b group "test::world" : !s to !s
  %c = wrapper.alloc : !s
  wrapper.launch @add[s0] ins(%a, %x : !s, !s) outs(%c : !s)
  %d = wrapper.alloc : !s
  %u = wrapper.collective all_gather %a to %d group "test::world" : !s to !s
  %e = wrapper.alloc : !s
  wrapper.copy %c to %e : !s
  wrapper.wait %t of %a to %b : !s to !s
  %y = wrapper.alloc : !s
  wrapper.launch @add[s0] ins(%b, %e : !s, !s) outs(%y : !s)
  wrapper.wait %u of %a to %d : !s to !s
  wrapper.return %y, %d : !s, !s
}
