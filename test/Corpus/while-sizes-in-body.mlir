// RUN: %corpus %s
// An allocation in the body whose size differs in each iteration, and an element
// that bounds the loop.
// CASE: i64=4; 4xf32=1 2 3 4 -> 4xf32=1 3 6 10
// CASE: i64=0; 4xf32=1 2 3 4 -> 4xf32=0 0 0 0

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>
!k = !wrapper.buffer<[i + 1], f32, #wrapper.device<"cpu">>
!o = !wrapper.buffer<[1], f32, #wrapper.device<"cpu">>

wrapper.kernel @take(%x0: tensor<4xf32>) attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = ["m"]} {
  %0 = loop.kernel "take" [m] (%a0 = %x0) : (tensor<4xf32>) -> tensor<?xf32, #sym.shape<[m]>> {
    %m = loop.load %a0[d0] : tensor<4xf32> -> f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<?xf32, #sym.shape<[m]>>
}

wrapper.kernel @sum(%x0: tensor<?xf32, #sym.shape<[m]>>) attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = ["m"]} {
  %0 = loop.kernel "sum" [1, m] (%a0 = %x0) : (tensor<?xf32, #sym.shape<[m]>>) -> tensor<1xf32> {
    %v = loop.load %a0[d1] : tensor<?xf32, #sym.shape<[m]>> -> f32
    %s = loop.reduce sum %v over [1] : f32
    loop.store %s, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<1xf32>
}

wrapper.kernel @zero() attributes {input_strides = [],
    output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "zero" [4] () : () -> tensor<4xf32> {
    %m = arith.constant 0.0 : f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4xf32>
}

wrapper.func @main(%n: !i, %x: !b) -> !b attributes {sym.symbols = {n = #sym.range<0, 4>, i = #sym.range<0, 4>}} {
  wrapper.item "n" = %n : !i
  %r = wrapper.alloc : !b
  wrapper.launch @zero[] outs(%r : !b)
  wrapper.while symbols ["i"] from [0] {
    %c = wrapper.compare <i> lt <n>
    wrapper.condition %c
  } do {
    %0 = wrapper.alloc : !k
    wrapper.launch @take[i + 1] ins(%x : !b) outs(%0 : !k)
    %1 = wrapper.reinterpret %r at <i> : !b to !o
    wrapper.launch @sum[i + 1] ins(%0 : !k) outs(%1 : !o)
    wrapper.yield symbols [i + 1]
  }
  wrapper.return %r : !b
}
