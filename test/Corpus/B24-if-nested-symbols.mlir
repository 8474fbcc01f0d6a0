// RUN: %corpus %s
// A size that an inner branch gives, and an outer one hands on.
// CASE: i1=true; i1=true -> 2xf32=0 1
// CASE: i1=true; i1=false -> 3xf32=0 1 2
// CASE: i1=false; i1=true -> 0xf32=

!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>
!n = !wrapper.buffer<[n], f32, #wrapper.device<"cpu">>
!m = !wrapper.buffer<[m], f32, #wrapper.device<"cpu">>
!two = !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>
!three = !wrapper.buffer<[3], f32, #wrapper.device<"cpu">>
!none = !wrapper.buffer<[0], f32, #wrapper.device<"cpu">>

wrapper.kernel @iota() attributes {input_strides = [],
    output_strides = [#sym.shape<[1]>], symbols = ["k"]} {
  %0 = loop.kernel "iota" [k] () : () -> tensor<?xf32, #sym.shape<[k]>> {
    %i = loop.index <d0>
    %m = arith.sitofp %i : i64 to f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<?xf32, #sym.shape<[k]>>
}

wrapper.func @main(%p: !p, %q: !p) -> !n attributes {sym.symbols = {n = #sym.range<0, 8>, m = #sym.range<0, 8>}} {
  %r = wrapper.if %p : !p defines ["n"] -> (!n) {
    %s = wrapper.if %q : !p defines ["m"] -> (!m) {
      %0 = wrapper.alloc : !two
      wrapper.launch @iota[2] outs(%0 : !two)
      wrapper.yield %0 : !two symbols [2]
    } else {
      %0 = wrapper.alloc : !three
      wrapper.launch @iota[3] outs(%0 : !three)
      wrapper.yield %0 : !three symbols [3]
    }
    wrapper.yield %s : !m symbols [m]
  } else {
    %0 = wrapper.alloc : !none
    wrapper.launch @iota[0] outs(%0 : !none)
    wrapper.yield %0 : !none symbols [0]
  }
  wrapper.return %r : !n
}
