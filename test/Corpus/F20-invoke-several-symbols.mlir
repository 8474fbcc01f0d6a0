// RUN: %corpus %s
// A function with two symbols of its own, called with the same sizes the other way round.
// CASE: 2xf32=1 2; 3xf32=1 2 3 -> 5xf32=0 1 2 3 4; 5xf32=0 1 2 3 4
// CASE: 0xf32=; 1xf32=7 -> 1xf32=0; 1xf32=0

!x = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
!y = !wrapper.buffer<[s1], f32, #wrapper.device<"cpu">>
!n = !wrapper.buffer<[s0 + s1], f32, #wrapper.device<"cpu">>

wrapper.kernel @iota() attributes {input_strides = [],
    output_strides = [#sym.shape<[1]>], symbols = ["k"]} {
  %0 = loop.kernel "iota" [k] () : () -> tensor<?xf32, #sym.shape<[k]>> {
    %i = loop.index <d0>
    %m = arith.sitofp %i : i64 to f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<?xf32, #sym.shape<[k]>>
}

wrapper.func private @count(%x: !x, %y: !y) -> !n attributes {sym.symbols = {s0 = #sym.range<0, 8>, s1 = #sym.range<0, 8>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !x
  wrapper.input_symbol "s1" = size 0 of %y : !y
  wrapper.sym_expr "k" = <s0 + s1>
  %0 = wrapper.alloc : !n
  wrapper.launch @iota[s0 + s1] outs(%0 : !n)
  wrapper.return %0 : !n
}

wrapper.func @main(%x: !x, %y: !y) -> (!n, !n) attributes {sym.symbols = {s0 = #sym.range<0, 8>, s1 = #sym.range<0, 8>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !x
  wrapper.input_symbol "s1" = size 0 of %y : !y
  %0 = wrapper.invoke @count(%x, %y) : (!x, !y) -> !n
  %1 = wrapper.invoke @count(%y, %x) : (!y, !x) -> !n
  wrapper.return %0, %1 : !n, !n
}
