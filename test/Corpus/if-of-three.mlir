// RUN: %corpus %s
// A predicate is computed from a number: three ways, the second of which binds a size.
// CASE: i64=-2 -> 1xf32=0
// CASE: i64=0 -> 2xf32=0 1
// CASE: i64=5 -> 5xf32=0 1 2 3 4

wrapper.kernel @iota() attributes {input_strides = [],
    output_strides = [#sym.shape<[1]>], symbols = ["k"]} {
  %0 = loop.kernel "iota" [k] () : () -> tensor<?xf32, #sym.shape<[k]>> {
    %i = loop.index <d0>
    %m = arith.sitofp %i : i64 to f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<?xf32, #sym.shape<[k]>>
}

!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>
!u = !wrapper.buffer<[u], f32, #wrapper.device<"cpu">>
!w = !wrapper.buffer<[w], f32, #wrapper.device<"cpu">>
wrapper.func @main(%i: !i) -> !u attributes {sym.symbols = {i = #sym.range<-9, 9>, u = #sym.range<1, 9>, w = #sym.range<1, 9>}} {
  wrapper.item "i" = %i : !i
  %p = wrapper.compare <i> lt <0>
  %0 = wrapper.if %p : i1 defines ["u"] -> (!u) {
    %a = wrapper.alloc : !wrapper.buffer<[1], f32, #wrapper.device<"cpu">>
    wrapper.launch @iota[1] outs(%a : !wrapper.buffer<[1], f32, #wrapper.device<"cpu">>)
    wrapper.yield %a : !wrapper.buffer<[1], f32, #wrapper.device<"cpu">> symbols [1]
  } else {
    %q = wrapper.compare <i> eq <0>
    %1 = wrapper.if %q : i1 defines ["w"] -> (!w) {
      %a = wrapper.alloc : !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>
      wrapper.launch @iota[2] outs(%a : !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>)
      wrapper.yield %a : !wrapper.buffer<[2], f32, #wrapper.device<"cpu">> symbols [2]
    } else {
      wrapper.assert <1> le <i>, "at least one"
      %a = wrapper.alloc : !wrapper.buffer<[i], f32, #wrapper.device<"cpu">>
      wrapper.launch @iota[i] outs(%a : !wrapper.buffer<[i], f32, #wrapper.device<"cpu">>)
      wrapper.yield %a : !wrapper.buffer<[i], f32, #wrapper.device<"cpu">> symbols [i]
    }
    wrapper.yield %1 : !w symbols [w]
  }
  wrapper.return %0 : !u
}
