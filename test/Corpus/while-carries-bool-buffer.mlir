// RUN: %corpus %s
// The condition is a carried buffer: the body computes that of the next iteration.
// CASE: i1=true; 4xf32=50 1 2 3 -> 4xf32=100 2 4 6
// CASE: i1=false; 4xf32=50 1 2 3 -> 4xf32=50 1 2 3

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

wrapper.func @main(%p: !p, %x: !b) -> !b {
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  %q = wrapper.alloc : !p
  wrapper.copy %p to %q : !p
  %r:2 = wrapper.while %0, %q : !b, !p -> (!b, !p) {
  ^bb0(%a: !b, %c: !p):
    %t = wrapper.item %c : !p -> i1
    wrapper.condition %t pass %a, %c : !b, !p
  } do {
  ^bb0(%a: !b, %c: !p):
    %1 = wrapper.alloc : !b
    wrapper.launch @double[] ins(%a : !b) outs(%1 : !b)
    %2 = wrapper.alloc : !p
    wrapper.launch @below[] ins(%1 : !b) outs(%2 : !p)
    wrapper.yield %1, %2 : !b, !p
  }
  wrapper.return %r#0 : !b
}
