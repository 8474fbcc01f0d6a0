// RUN: %corpus %s
// A loop whose condition a kernel computes: its bool is read in each iteration.
// CASE: 4xf32=3 1 2 4 -> 4xf32=192 64 128 256
// CASE: 4xf32=100 1 2 4 -> 4xf32=100 1 2 4
// CASE: 4xf32=nan 1 2 4 -> 4xf32=nan 1 2 4

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>

wrapper.kernel @double(%x0: tensor<4xf32>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = [], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "double" [4] (%a0 = %x0) : (tensor<4xf32>) -> tensor<4xf32> {
    %v0 = loop.load %a0[d0] : tensor<4xf32> -> f32
    %m = arith.addf %v0, %v0 : f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4xf32>
}

wrapper.kernel @below(%x0: tensor<4xf32>) attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[]>], symbols = []} {
  %0 = loop.kernel "below" [] (%a0 = %x0) : (tensor<4xf32>) -> tensor<i1> {
    %v = loop.load %a0[0] : tensor<4xf32> -> f32
    %h = arith.constant 100.0 : f32
    %m = arith.cmpf olt, %v, %h : f32
    loop.store %m, 0 [] : i1
  }
  wrapper.yield %0 : tensor<i1>
}

wrapper.func @main(%x: !b) -> !b {
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  %r = wrapper.while %0 : !b -> (!b) {
  ^bb0(%a: !b):
    %1 = wrapper.alloc : !p
    wrapper.launch @below[] ins(%a : !b) outs(%1 : !p)
    %c = wrapper.item %1 : !p -> i1
    wrapper.condition %c pass %a : !b
  } do {
  ^bb0(%a: !b):
    wrapper.launch @double[] ins(%a : !b) outs(%a : !b)
    wrapper.yield %a : !b
  }
  wrapper.return %r : !b
}
