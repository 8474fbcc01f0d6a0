// RUN: %corpus %s
// Begin, end and step are elements: the size of a slice is how many steps fit, none
// where the end is in front of the beginning.
// CASE: i64=0; i64=7; i64=2 -> 4xf32=0 1 2 3
// CASE: i64=5; i64=7; i64=3 -> 1xf32=0
// CASE: i64=7; i64=5; i64=1 -> 0xf32=
// CASE: i64=0; i64=9; i64=4 -> 3xf32=0 1 2
// CASE: i64=0; i64=9; i64=0 -> error: symbol 'step' (an element) is below its lower bound (got 0 and 1)

wrapper.kernel @iota() attributes {input_strides = [],
    output_strides = [#sym.shape<[1]>], symbols = ["k"]} {
  %0 = loop.kernel "iota" [k] () : () -> tensor<?xf32, #sym.shape<[k]>> {
    %i = loop.index <d0>
    %m = arith.sitofp %i : i64 to f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<?xf32, #sym.shape<[k]>>
}

!n = !wrapper.buffer<[n], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>
wrapper.func @main(%b: !i, %e: !i, %s: !i) -> !n attributes {sym.symbols = {
    begin = #sym.range<0, 9>, end = #sym.range<0, 9>, step = #sym.range<1, 9>, n = #sym.range<0, 9>}} {
  wrapper.item "begin" = %b : !i
  wrapper.item "end" = %e : !i
  wrapper.item "step" = %s : !i
  wrapper.sym_expr "n" = <max(0, (end - begin + step - 1) floordiv step)>
  %0 = wrapper.alloc : !n
  wrapper.launch @iota[n] outs(%0 : !n)
  wrapper.return %0 : !n
}
