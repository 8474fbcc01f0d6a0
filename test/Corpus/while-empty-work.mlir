// RUN: %corpus %s
// A loop whose kernels have nothing to do, as a size is zero, still counts.
// CASE: 0xf32= -> 3xi64=3 3 3; 0xf32=
// CASE: 2xf32=1 2 -> 3xi64=3 3 3; 2xf32=8 16

wrapper.kernel @double(%x0: tensor<?xf32, #sym.shape<[n]>>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = ["n"], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "double" [n] (%a0 = %x0) : (tensor<?xf32, #sym.shape<[n]>>) -> tensor<?xf32, #sym.shape<[n]>> {
    %v = loop.load %a0[d0] : tensor<?xf32, #sym.shape<[n]>> -> f32
    %r = arith.addf %v, %v : f32
    loop.store %r, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<?xf32, #sym.shape<[n]>>
}
wrapper.kernel @fill() attributes {input_strides = [],
    output_strides = [#sym.shape<[1]>], symbols = ["i"]} {
  %0 = loop.kernel "fill" [3] () : () -> tensor<3xi64> {
    %i = loop.index <i>
    loop.store %i, 0 [d0] : i64
  }
  wrapper.yield %0 : tensor<3xi64>
}

!x = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
!c = !wrapper.buffer<[3], i64, #wrapper.device<"cpu">>
wrapper.func @main(%x: !x) -> (!c, !x) attributes {sym.symbols = {s0 = #sym.range<0, 8>, i = #sym.range<0, 3>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !x
  %0 = wrapper.alloc : !x
  wrapper.copy %x to %0 : !x
  %r = wrapper.while %0 : !x symbols ["i"] from [0] -> (!x) {
  ^bb0(%a: !x):
    %p = wrapper.compare <i> lt <3>
    wrapper.condition %p pass %a : !x
  } do {
  ^bb0(%a: !x):
    %1 = wrapper.alloc : !x
    wrapper.launch @double[s0] ins(%a : !x) outs(%1 : !x)
    wrapper.free %a : !x
    wrapper.yield %1 : !x symbols [i + 1]
  }
  %2 = wrapper.alloc : !c
  wrapper.launch @fill[i] outs(%2 : !c)
  wrapper.return %2, %r : !c, !x
}
