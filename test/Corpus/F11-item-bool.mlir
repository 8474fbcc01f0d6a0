// RUN: %corpus %s
// A bool is a symbol of 0 or 1, and a predicate.
// CASE: i1=true -> 1xf32=0; f32=2
// CASE: i1=false -> 0xf32=; f32=3

!n = !wrapper.buffer<[n], f32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>
!f = !wrapper.buffer<[], f32, #wrapper.device<"cpu">>

wrapper.kernel @iota() attributes {input_strides = [],
    output_strides = [#sym.shape<[1]>], symbols = ["k"]} {
  %0 = loop.kernel "iota" [k] () : () -> tensor<?xf32, #sym.shape<[k]>> {
    %i = loop.index <d0>
    %m = arith.sitofp %i : i64 to f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<?xf32, #sym.shape<[k]>>
}

wrapper.kernel @two() attributes {input_strides = [], output_strides = [#sym.shape<[]>], symbols = []} {
  %0 = loop.kernel "two" [] () : () -> tensor<f32> {
    %m = arith.constant 2.0 : f32
    loop.store %m, 0 [] : f32
  }
  wrapper.yield %0 : tensor<f32>
}

wrapper.func @main(%p: !p) -> (!n, !f) attributes {sym.symbols = {n = #sym.range<0, 8>}} {
  wrapper.item "n" = %p : !p
  %0 = wrapper.alloc : !n
  wrapper.launch @iota[n] outs(%0 : !n)
  %q = wrapper.item %p : !p -> i1
  %r = wrapper.alloc : !f
  wrapper.if %q : i1 {
    wrapper.launch @two[] outs(%r : !f)
    wrapper.yield
  } else {
    %c = wrapper.constant dense<3.0> : tensor<f32> to !f
    wrapper.copy %c to %r : !f
    wrapper.yield
  }
  wrapper.return %0, %r : !n, !f
}
