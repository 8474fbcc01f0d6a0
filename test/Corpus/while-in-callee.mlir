// RUN: %corpus %s
// A loop in a function that is called twice.
// CASE: 4xf32=1 2 3 4 -> 4xf32=64 128 192 256

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

wrapper.func private @eightfold(%x: !b) -> !b {
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  %r = wrapper.while %0 : !b symbols ["i"] from [0] -> (!b) {
  ^bb0(%a: !b):
    %p = wrapper.compare <i> lt <3>
    wrapper.condition %p pass %a : !b
  } do {
  ^bb0(%a: !b):
    wrapper.launch @double[] ins(%a : !b) outs(%a : !b)
    wrapper.yield %a : !b symbols [i + 1]
  }
  wrapper.return %r : !b
}

wrapper.func @main(%x: !b) -> !b {
  %0 = wrapper.invoke @eightfold(%x) : (!b) -> !b
  %1 = wrapper.invoke @eightfold(%0) : (!b) -> !b
  wrapper.return %1 : !b
}
