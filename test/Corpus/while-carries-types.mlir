// RUN: %corpus %s
// A loop that carries buffers of three element types, a bool and a float.
// CASE: 4xf32=1 2 3 4; 2xi64=1 -1; 3xi1=true false true -> 4xf32=8 16 24 32; 2xi64=1 -1; 3xi1=true false true

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[2], i64, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[3], i1, #wrapper.device<"cpu">>

wrapper.kernel @double(%x0: tensor<4xf32>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = [], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "double" [4] (%a0 = %x0) : (tensor<4xf32>) -> tensor<4xf32> {
    %v0 = loop.load %a0[d0] : tensor<4xf32> -> f32
    %m = arith.addf %v0, %v0 : f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4xf32>
}

wrapper.func @main(%x: !b, %y: !i, %z: !p) -> (!b, !i, !p) {
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  %1 = wrapper.alloc : !i
  wrapper.copy %y to %1 : !i
  %2 = wrapper.alloc : !p
  wrapper.copy %z to %2 : !p
  %go = arith.constant true
  %sum = arith.constant 0.0 : f64
  %r:5 = wrapper.while %0, %1, %2, %go, %sum : !b, !i, !p, i1, f64 -> (!b, !i, !p, i1, f64) {
  ^bb0(%a: !b, %b: !i, %c: !p, %g: i1, %s: f64):
    wrapper.condition %g pass %a, %b, %c, %g, %s : !b, !i, !p, i1, f64
  } do {
  ^bb0(%a: !b, %b: !i, %c: !p, %g: i1, %s: f64):
    %one = arith.constant 1.0 : f64
    %three = arith.constant 3.0 : f64
    wrapper.launch @double[] ins(%a : !b) outs(%a : !b)
    %t = arith.addf %s, %one : f64
    %h = arith.cmpf olt, %t, %three : f64
    wrapper.yield %a, %b, %c, %h, %t : !b, !i, !p, i1, f64
  }
  wrapper.return %r#0, %r#1, %r#2 : !b, !i, !p
}
