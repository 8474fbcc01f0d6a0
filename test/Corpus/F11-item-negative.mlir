// RUN: %corpus %s
// A number that may be negative, and what is computed of it.
// CASE: i32=-3 -> 3xf32=0 1 2
// CASE: i32=5 -> 5xf32=0 1 2 3 4
// CASE: i32=-9 -> error: symbol 'n' (an element) is below its lower bound (got -9 and -8)

!i = !wrapper.buffer<[], i32, #wrapper.device<"cpu">>
!n = !wrapper.buffer<[m], f32, #wrapper.device<"cpu">>

wrapper.kernel @iota() attributes {input_strides = [],
    output_strides = [#sym.shape<[1]>], symbols = ["k"]} {
  %0 = loop.kernel "iota" [k] () : () -> tensor<?xf32, #sym.shape<[k]>> {
    %i = loop.index <d0>
    %m = arith.sitofp %i : i64 to f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<?xf32, #sym.shape<[k]>>
}

wrapper.func @main(%i: !i) -> !n attributes {sym.symbols = {n = #sym.range<-8, 8>, m = #sym.range<0, 8>}} {
  wrapper.item "n" = %i : !i
  wrapper.sym_expr "m" = <max(n, -n)>
  %0 = wrapper.alloc : !n
  wrapper.launch @iota[m] outs(%0 : !n)
  wrapper.return %0 : !n
}
