// RUN: %corpus %s
// A buffer of the outside, in a pool, is read in both branches, which have pools
// of their own.
// CASE: i1=true; 3xf32=1 2 3 -> 3xf32=11 9 7
// CASE: i1=false; 3xf32=1 2 3 -> 3xf32=7 8 9

!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>
!s = !wrapper.buffer<[s], f32, #wrapper.device<"cpu">>

wrapper.kernel @inc(%x0: tensor<?xf32, #sym.shape<[n]>>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = ["n"]} {
  %0 = loop.kernel "inc" [n] (%a0 = %x0) : (tensor<?xf32, #sym.shape<[n]>>) -> tensor<?xf32, #sym.shape<[n]>> {
    %v0 = loop.load %a0[n - 1 - d0] : tensor<?xf32, #sym.shape<[n]>> -> f32
    %c = arith.constant 1.0 : f32
    %m = arith.addf %v0, %c : f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<?xf32, #sym.shape<[n]>>
}
wrapper.kernel @add(%x0: tensor<?xf32, #sym.shape<[n]>>, %x1: tensor<?xf32, #sym.shape<[n]>>) attributes {input_strides = [#sym.shape<[1]>, #sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = ["n"]} {
  %0 = loop.kernel "add" [n] (%a0 = %x0, %a1 = %x1) : (tensor<?xf32, #sym.shape<[n]>>, tensor<?xf32, #sym.shape<[n]>>) -> tensor<?xf32, #sym.shape<[n]>> {
    %v0 = loop.load %a0[d0] : tensor<?xf32, #sym.shape<[n]>> -> f32
    %v1 = loop.load %a1[n - 1 - d0] : tensor<?xf32, #sym.shape<[n]>> -> f32
    %m = arith.addf %v0, %v1 : f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<?xf32, #sym.shape<[n]>>
}

wrapper.func @main(%p: !p, %x: !s) -> !s attributes {sym.symbols = {s = #sym.range<1, 64, hint = 32>}} {
  wrapper.input_symbol "s" = size 0 of %x : !s
  %0 = wrapper.alloc : !s
  wrapper.launch @inc[s] ins(%x : !s) outs(%0 : !s)
  %1 = wrapper.alloc : !s
  wrapper.launch @inc[s] ins(%0 : !s) outs(%1 : !s)
  %r = wrapper.if %p : !p -> (!s) {
    %a = wrapper.alloc : !s
    wrapper.launch @inc[s] ins(%1 : !s) outs(%a : !s)
    %b = wrapper.alloc : !s
    wrapper.launch @add[s] ins(%a, %x : !s, !s) outs(%b : !s)
    %c = wrapper.alloc : !s
    wrapper.launch @inc[s] ins(%b : !s) outs(%c : !s)
    %d = wrapper.alloc : !s
    wrapper.launch @inc[s] ins(%c : !s) outs(%d : !s)
    wrapper.yield %d : !s
  } else {
    %a = wrapper.alloc : !s
    wrapper.launch @inc[s] ins(%1 : !s) outs(%a : !s)
    %b = wrapper.alloc : !s
    wrapper.launch @inc[s] ins(%a : !s) outs(%b : !s)
    %c = wrapper.alloc : !s
    wrapper.launch @inc[s] ins(%b : !s) outs(%c : !s)
    %d = wrapper.alloc : !s
    wrapper.launch @inc[s] ins(%c : !s) outs(%d : !s)
    wrapper.yield %d : !s
  }
  wrapper.return %r : !s
}
