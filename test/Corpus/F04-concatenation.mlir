// RUN: %corpus %s
// Three kernels write into slices of one buffer, whose sizes are symbols: a
// concatenation without a copy.
// CASE: 2xf32=1 2; 3xf32=3 4 5 -> 7xf32=2 4 4 5 6 1 2
// CASE: 1xf32=1; 1xf32=9 -> 3xf32=2 10 1

wrapper.kernel @double(%x0: tensor<?xf32, #sym.shape<[n]>>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = ["n"], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "double" [n] (%a0 = %x0) : (tensor<?xf32, #sym.shape<[n]>>) -> tensor<?xf32, #sym.shape<[n]>> {
    %v = loop.load %a0[d0] : tensor<?xf32, #sym.shape<[n]>> -> f32
    %r = arith.addf %v, %v : f32
    loop.store %r, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<?xf32, #sym.shape<[n]>>
}
wrapper.kernel @inc(%x0: tensor<?xf32, #sym.shape<[n]>>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = ["n"], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "inc" [n] (%a0 = %x0) : (tensor<?xf32, #sym.shape<[n]>>) -> tensor<?xf32, #sym.shape<[n]>> {
    %v = loop.load %a0[d0] : tensor<?xf32, #sym.shape<[n]>> -> f32
    %c = arith.constant 1.0 : f32
    %r = arith.addf %v, %c : f32
    loop.store %r, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<?xf32, #sym.shape<[n]>>
}

!x = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
!y = !wrapper.buffer<[s1], f32, #wrapper.device<"cpu">>
!r = !wrapper.buffer<[s0 * 2 + s1], f32, #wrapper.device<"cpu">>
wrapper.func @main(%x: !x, %y: !y) -> !r attributes {sym.symbols = {s0 = #sym.range<1, 8>, s1 = #sym.range<1, 8>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !x
  wrapper.input_symbol "s1" = size 0 of %y : !y
  %0 = wrapper.alloc : !r
  %a = wrapper.reinterpret %0 at <0> : !r to !x
  wrapper.launch @double[s0] ins(%x : !x) outs(%a : !x)
  %b = wrapper.reinterpret %0 at <s0> : !r to !y
  wrapper.launch @inc[s1] ins(%y : !y) outs(%b : !y)
  %c = wrapper.reinterpret %0 at <s0 + s1> : !r to !x
  wrapper.copy %x to %c : !x
  wrapper.return %0 : !r
}
