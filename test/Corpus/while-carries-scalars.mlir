// RUN: %corpus %s
// A float that is halved until it is small, and a bool that notes the parity.
// CASE: f64=10 -> 4xf32=-1 -2 -3 -4
// CASE: f64=6 -> 4xf32=1 2 3 4
// CASE: f64=0.5 -> 4xf32=-1 -2 -3 -4

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!g = !wrapper.buffer<[], f64, #wrapper.device<"cpu">>

wrapper.kernel @negate(%x0: tensor<4xf32>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = [], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "negate" [4] (%a0 = %x0) : (tensor<4xf32>) -> tensor<4xf32> {
    %v0 = loop.load %a0[d0] : tensor<4xf32> -> f32
    %m = arith.negf %v0 : f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4xf32>
}

wrapper.func @main(%f: !g) -> !b {
  %v = wrapper.item %f : !g -> f64
  %half = arith.constant 0.5 : f64
  %one = arith.constant 1.0 : f64
  %true = arith.constant true
  %false = arith.constant false
  %r:2 = wrapper.while %v, %false : f64, i1 -> (f64, i1) {
  ^bb0(%a: f64, %odd: i1):
    %c = arith.cmpf oge, %a, %one : f64
    wrapper.condition %c pass %a, %odd : f64, i1
  } do {
  ^bb0(%a: f64, %odd: i1):
    %h = arith.mulf %a, %half : f64
    %n = arith.xori %odd, %true : i1
    wrapper.yield %h, %n : f64, i1
  }
  %k = wrapper.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32> to !b
  %0 = wrapper.alloc : !b
  %even = arith.xori %r#1, %true : i1
  wrapper.if %even : i1 {
    wrapper.launch @negate[] ins(%k : !b) outs(%0 : !b)
    wrapper.yield
  } else {
    wrapper.copy %k to %0 : !b
    wrapper.yield
  }
  wrapper.return %0 : !b
}
