// RUN: %corpus %s
// Names that are words of other languages, or the same but for what no language takes.
// CASE: 4xf32=1 2 3 4; 4xf32=5 6 7 8; 4xf32=9 9 9 9 -> 4xf32=2 4 6 8; 4xf32=10 12 14 16

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.kernel @while_(%x0: tensor<4xf32>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = [], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "while_" [4] (%a0 = %x0) : (tensor<4xf32>) -> tensor<4xf32> {
    %v0 = loop.load %a0[d0] : tensor<4xf32> -> f32
    %m = arith.addf %v0, %v0 : f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4xf32>
}

wrapper.func @main(%a: !b {coil.name = "class"}, %b: !b {coil.name = "a b"}, %c: !b {coil.name = "a_b"}) -> (!b, !b) attributes {sym.symbols = {lambda = #sym.range<0, 8>}} {
  wrapper.sym_expr "lambda" = <4>
  wrapper.assert <lambda> eq <4>, "words \22quoted\22"
  %0 = wrapper.alloc : !b
  wrapper.launch @while_[] ins(%a : !b) outs(%0 : !b)
  %1 = wrapper.alloc : !b
  wrapper.launch @while_[] ins(%b : !b) outs(%1 : !b)
  wrapper.return %0, %1 : !b, !b
}
