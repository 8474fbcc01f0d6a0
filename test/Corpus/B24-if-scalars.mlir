// RUN: %corpus %s
// A branch gives a bool and a float besides a buffer; they decide what comes
// behind.
// CASE: i1=true; f32=2.5; 4xf32=1 2 3 4 -> 4xf32=2 4 6 8
// CASE: i1=true; f32=0.5; 4xf32=1 2 3 4 -> 4xf32=-1 -2 -3 -4
// CASE: i1=false; f32=2.5; 4xf32=1 2 3 4 -> 4xf32=-1 -2 -3 -4

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>
!f = !wrapper.buffer<[], f32, #wrapper.device<"cpu">>

wrapper.kernel @double(%x0: tensor<4xf32>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = [], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "double" [4] (%a0 = %x0) : (tensor<4xf32>) -> tensor<4xf32> {
    %v0 = loop.load %a0[d0] : tensor<4xf32> -> f32
    %m = arith.addf %v0, %v0 : f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4xf32>
}

wrapper.kernel @negate(%x0: tensor<4xf32>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = [], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "negate" [4] (%a0 = %x0) : (tensor<4xf32>) -> tensor<4xf32> {
    %v0 = loop.load %a0[d0] : tensor<4xf32> -> f32
    %m = arith.negf %v0 : f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4xf32>
}

wrapper.func @main(%p: !p, %f: !f, %x: !b) -> !b {
  %one = arith.constant 1.0 : f64
  %c0:2 = wrapper.if %p : !p -> (f64, i1) {
    %0 = wrapper.item %f : !f -> f64
    %t = arith.constant true
    wrapper.yield %0, %t : f64, i1
  } else {
    %f0 = arith.constant false
    wrapper.yield %one, %f0 : f64, i1
  }
  %c = arith.cmpf ogt, %c0#0, %one : f64
  %d = arith.andi %c, %c0#1 : i1
  %0 = wrapper.alloc : !b
  wrapper.if %d : i1 {
    wrapper.launch @double[] ins(%x : !b) outs(%0 : !b)
    wrapper.yield
  } else {
    wrapper.launch @negate[] ins(%x : !b) outs(%0 : !b)
    wrapper.yield
  }
  wrapper.return %0 : !b
}
