// RUN: %corpus %s
// A loop that adds a buffer of outside in each iteration, and one that it writes to.
// CASE: 4xf32=1 2 3 4; 4xf32=10 10 10 10 -> 4xf32=31 32 33 34; 4xf32=20 20 20 20

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.kernel @add(%x0: tensor<4xf32>, %x1: tensor<4xf32>) attributes {
    input_strides = [#sym.shape<[1]>, #sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = [], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "add" [4] (%a0 = %x0, %a1 = %x1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    %v0 = loop.load %a0[d0] : tensor<4xf32> -> f32
    %v1 = loop.load %a1[d0] : tensor<4xf32> -> f32
    %m = arith.addf %v0, %v1 : f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4xf32>
}

wrapper.func @main(%x: !b, %y: !b) -> (!b, !b) attributes {sym.symbols = {i = #sym.range<0, 16>}} {
  %last = wrapper.alloc : !b
  wrapper.copy %y to %last : !b
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  %r = wrapper.while %0 : !b symbols ["i"] from [0] -> (!b) {
  ^bb0(%a: !b):
    %p = wrapper.compare <i> lt <3>
    wrapper.condition %p pass %a : !b
  } do {
  ^bb0(%a: !b):
    wrapper.launch @add[] ins(%a, %y : !b, !b) outs(%a : !b)
    %q = wrapper.compare <i> eq <1>
    wrapper.if %q : i1 {
      wrapper.launch @add[] ins(%last, %y : !b, !b) outs(%last : !b)
      wrapper.yield
    } else {
      wrapper.yield
    }
    wrapper.yield %a : !b symbols [i + 1]
  }
  wrapper.return %r, %last : !b, !b
}
