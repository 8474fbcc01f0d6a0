// RUN: %corpus %s
// Workspaces: zeros at each iteration, and one that is shared, whose user leaves zeros
// behind: the sum of what both hold at the beginning of a step is zero each time.
// CASE: 3xf32=1 2 3 -> 3xf32=4 8 12

wrapper.kernel @double(%x0: tensor<3xf32>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = [], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "double" [3] (%a0 = %x0) : (tensor<3xf32>) -> tensor<3xf32> {
    %v = loop.load %a0[d0] : tensor<3xf32> -> f32
    %r = arith.addf %v, %v : f32
    loop.store %r, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<3xf32>
}
wrapper.kernel @add(%x0: tensor<3xf32>, %x1: tensor<3xf32>) attributes {input_strides = [#sym.shape<[1]>, #sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "add" [3] (%a0 = %x0, %a1 = %x1) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32> {
    %v = loop.load %a0[d0] : tensor<3xf32> -> f32
    %w = loop.load %a1[d0] : tensor<3xf32> -> f32
    %r = arith.addf %v, %w : f32
    loop.store %r, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<3xf32>
}
wrapper.kernel @minus(%x0: tensor<3xf32>, %x1: tensor<3xf32>) attributes {input_strides = [#sym.shape<[1]>, #sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "minus" [3] (%a0 = %x0, %a1 = %x1) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32> {
    %v = loop.load %a0[d0] : tensor<3xf32> -> f32
    %w = loop.load %a1[d0] : tensor<3xf32> -> f32
    %r = arith.subf %v, %w : f32
    loop.store %r, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<3xf32>
}

!x = !wrapper.buffer<[3], f32, #wrapper.device<"cpu">>
wrapper.func @main(%x: !x) -> !x attributes {sym.symbols = {i = #sym.range<0, 2>}} {
  %0 = wrapper.alloc : !x
  wrapper.copy %x to %0 : !x
  %r = wrapper.while %0 : !x symbols ["i"] from [0] -> (!x) {
  ^bb0(%a: !x):
    %p = wrapper.compare <i> lt <2>
    wrapper.condition %p pass %a : !x
  } do {
  ^bb0(%a: !x):
    %w = wrapper.workspace on_call : !x
    %s = wrapper.workspace per_graph "sums" : !x
    %1 = wrapper.alloc : !x
    wrapper.launch @add[] ins(%w, %s : !x, !x) outs(%1 : !x)
    %2 = wrapper.alloc : !x
    wrapper.launch @add[] ins(%1, %a : !x, !x) outs(%2 : !x)
    wrapper.launch @double[] ins(%2 : !x) outs(%w : !x)
    wrapper.launch @minus[] ins(%w, %w : !x, !x) outs(%s : !x)
    %3 = wrapper.alloc : !x
    wrapper.launch @double[] ins(%a : !x) outs(%3 : !x)
    wrapper.free %a : !x
    wrapper.yield %3 : !x symbols [i + 1]
  }
  wrapper.return %r : !x
}
