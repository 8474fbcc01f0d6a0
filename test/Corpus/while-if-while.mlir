// RUN: %corpus %s
// A loop in a branch in a loop: symbols of all depths.
// CASE: 4xf32=1 1 1 1 -> 4xf32=8 8 8 8

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

wrapper.func @main(%x: !b) -> !b attributes {sym.symbols = {i = #sym.range<0, 8>, j = #sym.range<0, 8>}} {
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  %r = wrapper.while %0 : !b symbols ["i"] from [0] -> (!b) {
  ^bb0(%a: !b):
    %p = wrapper.compare <i> lt <3>
    wrapper.condition %p pass %a : !b
  } do {
  ^bb0(%a: !b):
    %q = wrapper.compare <i mod 2> eq <1>
    wrapper.if %q : i1 {
      wrapper.yield
    } else {
      wrapper.while symbols ["j"] from [0] {
        %s = wrapper.compare <j> le <i floordiv 2>
        wrapper.condition %s
      } do {
        wrapper.launch @double[] ins(%a : !b) outs(%a : !b)
        wrapper.yield symbols [j + 1]
      }
      wrapper.yield
    }
    wrapper.yield %a : !b symbols [i + 1]
  }
  wrapper.return %r : !b
}
