// RUN: %corpus %s
// Buffers of a size that is defined by an expression, which a kernel, a call and a branch give, are of one size
// in every executor: the graph of torch.fx knows one number for the symbol and for its expression.
// CASE: 2xf32=5 6; 1xi1=1 -> 3xf32=3 3 3; 3xf32=3 3 3
// CASE: 2xf32=5 6; 1xi1=0 -> 3xf32=3 3 3; 3xf32=0 1 2

!x = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[1], i1, #wrapper.device<"cpu">>
!e = !wrapper.buffer<[e0], f32, #wrapper.device<"cpu">>
!m = !wrapper.buffer<[m], f32, #wrapper.device<"cpu">>
!q = !wrapper.buffer<[q], f32, #wrapper.device<"cpu">>

wrapper.kernel @iota() attributes {input_strides = [],
    output_strides = [#sym.shape<[1]>], symbols = ["k"]} {
  %0 = loop.kernel "iota" [k] () : () -> tensor<?xf32, #sym.shape<[k]>> {
    %i = loop.index <d0>
    %m = arith.sitofp %i : i64 to f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<?xf32, #sym.shape<[k]>>
}

wrapper.func @main(%x: !x, %p: !p) -> (!e, !m) attributes {sym.symbols = {s0 = #sym.range<0, 64>, e0 = #sym.range<0, 64>, m = #sym.range<0, 64>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !x
  wrapper.assert_layout %x, "x" : !x
  wrapper.assert_layout %p, "p" : !p
  wrapper.sym_expr "e0" = <s0 + 1>
  %0 = wrapper.alloc : !e
  wrapper.launch @iota[e0] outs(%0 : !e)
  %1 = wrapper.extern_call "test::fill"([<e0>], 3.0, f32) : () -> !e
  wrapper.assert_layout %1, "v1" : !e
  %c = wrapper.item %p : !p -> i1
  %2 = wrapper.if %c : i1 defines ["m"] -> (!m) {
    wrapper.sym_expr "q" = <s0 + 1>
    %3 = wrapper.alloc : !q
    %4 = wrapper.extern_call "test::fill"([<q>], 3.0, f32) : () -> !q
    wrapper.assert_layout %4, "v4" : !q
    wrapper.copy %4 to %3 : !q
    wrapper.yield %3 : !q symbols [q]
  } else {
    wrapper.sym_expr "q" = <e0>
    %3 = wrapper.alloc : !q
    wrapper.launch @iota[q] outs(%3 : !q)
    wrapper.yield %3 : !q symbols [q]
  }
  wrapper.copy %1 to %0 : !e
  wrapper.return %0, %2 : !e, !m
}
