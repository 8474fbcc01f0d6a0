// RUN: %corpus %s
// Sizes differ by branch: the op binds one symbol, an expression for each.
// What comes behind computes with it.
// CASE: i1=true; 4xf32=1 2 3 4 -> 4xf32=2 4 6 8
// CASE: i1=false; 4xf32=1 2 3 4 -> 2xf32=6 8

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!n = !wrapper.buffer<[n], f32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>
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

wrapper.func @main(%p: !p, %x: !b) -> !n attributes {sym.symbols = {n = #sym.range<0, 8>}} {
  %r = wrapper.if %p : !p defines ["n"] -> (!n) {
    %0 = wrapper.alloc : !b
    wrapper.copy %x to %0 : !b
    wrapper.yield %0 : !b symbols [4]
  } else {
    %0 = wrapper.alloc : !h
    %1 = wrapper.reinterpret %x at <2> : !b to !h
    wrapper.copy %1 to %0 : !h
    wrapper.yield %0 : !h symbols [2]
  }
  %2 = wrapper.alloc : !n
  wrapper.launch @double[n] ins(%r : !n) outs(%2 : !n)
  wrapper.return %2 : !n
}
