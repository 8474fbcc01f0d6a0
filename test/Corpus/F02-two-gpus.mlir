// RUN: %corpus %s
// F02, B10: buffers on two GPUs. Elements go to the second, also those of a view with
// gaps and of one that shows an element again and again, are computed with there, and
// come back; each result is where it was made. What is copied is freed at once.
// GPU: only
// SECOND: 1
// CASE: 4xf32=1 2 3 4; 2xf32=10 20 -> 2xf32=24 48; 2xf32=12 24; 2x3xf32=2 2 2 4 4 4
// CASE: 6xf32=1 2 3 4 5 6; 3xf32=0 0 0 -> 3xf32=4 8 12; 3xf32=2 4 6; 3x3xf32=2 2 2 4 4 4 6 6 6
// CASE: 0xf32=; 0xf32= -> 0xf32=; 0xf32=; 0x3xf32=

!a2 = !wrapper.buffer<[s0 * 2], f32, #wrapper.device<"cuda">>
!as = !wrapper.buffer<[s0], strides = [2], f32, #wrapper.device<"cuda">>
!ar = !wrapper.buffer<[s0, 3], strides = [2, 0], f32, #wrapper.device<"cuda">>
!a = !wrapper.buffer<[s0], f32, #wrapper.device<"cuda">>
!b = !wrapper.buffer<[s0], f32, #wrapper.device<"cuda", 1>>
!b3 = !wrapper.buffer<[s0, 3], f32, #wrapper.device<"cuda", 1>>
!t = tensor<?xf32, #sym.shape<[k]>>

wrapper.kernel @add(%x0: !t, %x1: !t) attributes {device = #wrapper.device<"cuda", 1>,
    input_strides = [#sym.shape<[1]>, #sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = ["k"]} {
  %0 = loop.kernel "add" [k] (%a0 = %x0, %a1 = %x1) : (!t, !t) -> !t {
    %v0 = loop.load %a0[d0] : !t -> f32
    %v1 = loop.load %a1[d0] : !t -> f32
    %m = arith.addf %v0, %v1 : f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : !t
}
wrapper.kernel @twice(%x0: !t) attributes {device = #wrapper.device<"cuda">,
    input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = ["k"]} {
  %0 = loop.kernel "twice" [k] (%a0 = %x0) : (!t) -> !t {
    %v0 = loop.load %a0[d0] : !t -> f32
    %m = arith.addf %v0, %v0 : f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : !t
}

wrapper.func @main(%x: !a2, %y: !b) -> (!a, !b, !b3) attributes {sym.symbols = {s0 = #sym.range<0, 64>}} {
  wrapper.input_symbol "s0" = size 0 of %y : !b
  wrapper.assert_layout %x, "x" : !a2
  wrapper.assert_layout %y, "y" : !b
  %odd = wrapper.reinterpret %x at <1> : !a2 to !as
  %0 = wrapper.alloc : !b
  wrapper.transfer %odd to %0 : !as to !b
  %1 = wrapper.alloc : !b
  wrapper.launch @add[s0] ins(%0, %y : !b, !b) outs(%1 : !b)
  %2 = wrapper.alloc : !a
  wrapper.transfer %1 to %2 : !b to !a
  %3 = wrapper.alloc : !a
  wrapper.launch @twice[s0] ins(%2 : !a) outs(%3 : !a)
  %again = wrapper.reinterpret %x at <1> : !a2 to !ar
  %4 = wrapper.alloc : !b3
  wrapper.transfer %again to %4 : !ar to !b3
  wrapper.return %3, %1, %4 : !a, !b, !b3
}
