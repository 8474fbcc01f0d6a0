// RUN: %corpus %s
// An integer element is a size: of an allocation, a launch and the result.
// CASE: i64=3 -> 3xf32=0 1 2
// CASE: i64=0 -> 0xf32=
// CASE: i64=-1 -> error: symbol 'n' (an element) is below its lower bound (got -1 and 0)
// CASE: i64=9 -> error: symbol 'n' (an element) is above its upper bound (got 9 and 8)

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
  wrapper.item "n" = %i : !i
  %0 = wrapper.alloc : !n
  wrapper.launch @iota[n] outs(%0 : !n)
  wrapper.return %0 : !n
}
