// RUN: %corpus %s
// F58: relations of a number and of a bool with themselves, of which compilers of C++ warn.
// CASE: 4xf32=1 2 3 4 -> 4xf32=2 4 6 8

!s = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.kernel @double(%x0: tensor<4xf32>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = [], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "double" [4] (%a0 = %x0) : (tensor<4xf32>) -> tensor<4xf32> {
    %v0 = loop.load %a0[d0] : tensor<4xf32> -> f32
    %m = arith.addf %v0, %v0 : f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4xf32>
}

wrapper.func @main(%x: !s) -> !b attributes {sym.symbols = {s0 = #sym.range<0, 8>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !s
  wrapper.assert <s0> eq <4>, "four"
  wrapper.assert <s0 + 1> le <s0 + 1>, "itself"
  %y = wrapper.reinterpret %x at <0> : !s to !b
  %less = wrapper.compare <s0> lt <s0>
  %equal = wrapper.compare <s0 * 2> eq <s0 * 2>
  %differ = arith.xori %equal, %equal : i1
  %either = arith.ori %less, %differ : i1
  %0 = wrapper.alloc : !b
  wrapper.if %either : i1 {
    wrapper.copy %y to %0 : !b
    wrapper.yield
  } else {
    wrapper.launch @double[] ins(%y : !b) outs(%0 : !b)
    wrapper.yield
  }
  wrapper.return %0 : !b
}
