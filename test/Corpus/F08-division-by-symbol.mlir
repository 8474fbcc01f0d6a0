// RUN: %corpus %s
// A size is the quotient of two inputs' sizes, rounded up; another the remainder.
// CASE: 7xf32=0; 2xf32=0 -> 4xf32=0 1 2 3; 1xf32=0
// CASE: 6xf32=0; 3xf32=0 -> 2xf32=0 1; 0xf32=
// CASE: 1xf32=0; 8xf32=0 -> 1xf32=0; 1xf32=0

wrapper.kernel @iota() attributes {input_strides = [],
    output_strides = [#sym.shape<[1]>], symbols = ["k"]} {
  %0 = loop.kernel "iota" [k] () : () -> tensor<?xf32, #sym.shape<[k]>> {
    %i = loop.index <d0>
    %m = arith.sitofp %i : i64 to f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<?xf32, #sym.shape<[k]>>
}

!x = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
!y = !wrapper.buffer<[s1], f32, #wrapper.device<"cpu">>
!q = !wrapper.buffer<[(s0 + s1 - 1) floordiv s1], f32, #wrapper.device<"cpu">>
!r = !wrapper.buffer<[s0 mod s1], f32, #wrapper.device<"cpu">>
wrapper.func @main(%x: !x, %y: !y) -> (!q, !r) attributes {sym.symbols = {s0 = #sym.range<1, 64>, s1 = #sym.range<1, 64>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !x
  wrapper.input_symbol "s1" = size 0 of %y : !y
  %0 = wrapper.alloc : !q
  wrapper.launch @iota[(s0 + s1 - 1) floordiv s1] outs(%0 : !q)
  %1 = wrapper.alloc : !r
  wrapper.launch @iota[s0 mod s1] outs(%1 : !r)
  wrapper.return %0, %1 : !q, !r
}
