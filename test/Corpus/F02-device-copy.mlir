// RUN: %corpus %s
// F02, B10: elements of the host go to a GPU, are computed with, and come back. The
// source on the host is a view of every other element; what comes back is a view of
// the GPU's, of a column.
// GPU: only
// HOST: 0
// CASE: 4xf32=1 2 3 4; 2xf32=10 20 -> 2xf32=24 48; 2xf32=24 48
// CASE: 6xf32=1 2 3 4 5 6; 3xf32=0 0 0 -> 3xf32=4 8 12; 3xf32=4 8 12
// CASE: 0xf32=; 0xf32= -> 0xf32=; 0xf32=

!h2 = !wrapper.buffer<[s0 * 2], f32, #wrapper.device<"cpu">>
!hs = !wrapper.buffer<[s0], strides = [2], f32, #wrapper.device<"cpu">>
!h = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
!g = !wrapper.buffer<[s0], f32, #wrapper.device<"cuda">>
!g2 = !wrapper.buffer<[s0, 2], f32, #wrapper.device<"cuda">>
!gc = !wrapper.buffer<[s0], strides = [2], f32, #wrapper.device<"cuda">>
!t = tensor<?xf32, #sym.shape<[k]>>
!t2 = tensor<?x2xf32, #sym.shape<[k, 2]>>

// What is shown next to itself: two columns.
wrapper.kernel @twice(%x0: !t, %x1: !t) attributes {device = #wrapper.device<"cuda">,
    input_strides = [#sym.shape<[1]>, #sym.shape<[1]>], output_strides = [#sym.shape<[2, 1]>], symbols = ["k"]} {
  %0 = loop.kernel "twice" [k, 2] (%a0 = %x0, %a1 = %x1) : (!t, !t) -> !t2 {
    %v0 = loop.load %a0[d0] : !t -> f32
    %v1 = loop.load %a1[d0] : !t -> f32
    %m = arith.addf %v0, %v1 : f32
    %d = arith.addf %m, %m : f32
    loop.store %d, 0 [d0, d1] : f32
  }
  wrapper.yield %0 : !t2
}

wrapper.func @main(%x: !h2, %y: !g) -> (!h, !g) attributes {sym.symbols = {s0 = #sym.range<0, 64>}} {
  wrapper.input_symbol "s0" = size 0 of %y : !g
  wrapper.assert_layout %x, "x" : !h2
  wrapper.assert_layout %y, "y" : !g
  %odd = wrapper.reinterpret %x at <1> : !h2 to !hs
  %0 = wrapper.alloc : !g
  wrapper.transfer %odd to %0 : !hs to !g
  %1 = wrapper.alloc : !g2
  wrapper.launch @twice[s0] ins(%0, %y : !g, !g) outs(%1 : !g2)
  %column = wrapper.reinterpret %1 at <1> : !g2 to !gc
  %2 = wrapper.alloc : !h
  wrapper.transfer %column to %2 : !gc to !h
  %3 = wrapper.alloc : !g
  wrapper.transfer %2 to %3 : !h to !g
  wrapper.return %2, %3 : !h, !g
}
