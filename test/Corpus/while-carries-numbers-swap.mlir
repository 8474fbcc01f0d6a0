// RUN: %corpus %s
// Two numbers that a loop carries change places at each iteration, and a buffer
// of their sum follows: all next values are those of the old ones.
// CASE: i64=5 -> 13xf32=0 1 2 3 4 5 6 7 8 9 10 11 12
// CASE: i64=0 -> 2xf32=0 1
// CASE: i64=1 -> 2xf32=0 1

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
!n = !wrapper.buffer<[a + b], f32, #wrapper.device<"cpu">>
wrapper.func @main(%n: !i) -> !n attributes {sym.symbols = {n = #sym.range<0, 9>, i = #sym.range<0, 9>,
    a = #sym.range<0, 99>, b = #sym.range<0, 99>}} {
  wrapper.item "n" = %n : !i
  wrapper.while symbols ["a", "b", "i"] from [1, 1, 0] {
    %p = wrapper.compare <i + 1> lt <n>
    wrapper.condition %p
  } do {
    wrapper.yield symbols [b, a + b, i + 1]
  }
  %0 = wrapper.alloc : !n
  wrapper.launch @iota[a + b] outs(%0 : !n)
  wrapper.return %0 : !n
}
