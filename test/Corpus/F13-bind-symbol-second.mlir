// RUN: %corpus %s
// The key path of a symbol may begin with the number of a result (SequenceKey of torch): here
// that is the result itself. Its size, and half of its stride.
// CASE: 2x2xf32=1 -2 3 -4 -> 2x2xf32=1 0 3 0; 2x2xf32=0 -4 0 -8; f32=3
// CASE: 2x4xf32=1 -2 3 -4 5 -6 7 -8 -> 2x4xf32=1 0 3 0 5 0 7 0; 2x4xf32=0 -4 0 -8 0 -12 0 -16; f32=6
// CASE: 2x3xf32=1 -2 3 -4 5 -6 -> error: not a multiple of its divisor (got 3 and 2)

!s = !wrapper.buffer<[2, s0], f32, #wrapper.device<"cpu">>
!u = !wrapper.buffer<[2, u0], f32, #wrapper.device<"cpu">>
!v = !wrapper.buffer<[2, u1 * 2], f32, #wrapper.device<"cpu">>
!n = !wrapper.buffer<[], f32, #wrapper.device<"cpu">>
!t = tensor<2x?xf32, #sym.shape<[2, k]>>

wrapper.kernel @double(%x0: !t) attributes {input_strides = [#sym.shape<[k, 1]>],
    output_strides = [#sym.shape<[k, 1]>], symbols = ["k"]} {
  %0 = loop.kernel "double" [2, k] (%a0 = %x0) : (!t) -> !t {
    %v0 = loop.load %a0[d0, d1] : !t -> f32
    %m = arith.addf %v0, %v0 : f32
    loop.store %m, 0 [d0, d1] : f32
  }
  wrapper.yield %0 : !t
}
wrapper.kernel @number() attributes {input_strides = [], output_strides = [#sym.shape<[]>], symbols = ["a", "b"]} {
  %0 = loop.kernel "number" [] () : () -> tensor<f32> {
    %e = loop.index <a + b>
    %m = arith.sitofp %e : i64 to f32
    loop.store %m, 0 [] : f32
  }
  wrapper.yield %0 : tensor<f32>
}

wrapper.func @main(%x: !s) -> (!u, !v, !n) attributes {sym.symbols = {s0 = #sym.range<0, 64>, u0 = #sym.range<0, 64>, u1 = #sym.range<0, 32>}} {
  wrapper.input_symbol "s0" = size 1 of %x : !s
  wrapper.assert_layout %x, "x" : !s
  %0:2 = wrapper.extern_call "test::split"(%x) : (!s) -> (!u, !v)
  wrapper.bind_symbol "u0" = [#wrapper.key<size, 1>] of %0#0 : !u
  wrapper.bind_symbol "u1" = [#wrapper.key<stride, 0>, #wrapper.key<divide_by, 2>] of %0#1 : !v
  wrapper.assert_layout %0#0, "positive" : !u
  wrapper.assert_layout %0#1, "negative" : !v
  %1 = wrapper.alloc : !v
  wrapper.launch @double[u1 * 2] ins(%0#1 : !v) outs(%1 : !v)
  %2 = wrapper.alloc : !n
  wrapper.launch @number[u0, u1] outs(%2 : !n)
  wrapper.return %0#0, %1, %2 : !u, !v, !n
}
