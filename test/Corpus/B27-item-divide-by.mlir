// RUN: %corpus %s
// F11: the check of the division fires in every emitter.
// An element divided by a number, with the check that it divides.
// CASE: i64=12 -> 3xf32=0 1 2
// CASE: i64=0 -> 0xf32=
// CASE: i64=10 -> error: the element that symbol 'n' is read from is not a multiple of its divisor (got 10 and 4)
// CASE: i64=-4 -> error: symbol 'n' (an element) is below its lower bound (got -1 and 0)

!n = !wrapper.buffer<[n], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>

wrapper.kernel @iota() attributes {input_strides = [],
    output_strides = [#sym.shape<[1]>], symbols = ["k"]} {
  %0 = loop.kernel "iota" [k] () : () -> tensor<?xf32, #sym.shape<[k]>> {
    %i = loop.index <d0>
    %m = arith.sitofp %i : i64 to f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<?xf32, #sym.shape<[k]>>
}

wrapper.func @main(%i: !i) -> !n attributes {sym.symbols = {n = #sym.range<0, 8>}} {
  wrapper.item "n" = %i divide_by 4 : !i
  %0 = wrapper.alloc : !n
  wrapper.launch @iota[n] outs(%0 : !n)
  wrapper.return %0 : !n
}
