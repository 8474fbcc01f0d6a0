// RUN: %corpus %s
// Offsets are multiples of four, and do not go back.
// CASE: i64=4 -> 2xi64=1 4
// CASE: i64=2 -> error: the offset 2 is not a multiple of 4
// CASE: i64=-4 -> error: a generator does not move back
!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>
!r = !wrapper.buffer<[2], i64, #wrapper.device<"cpu">>
wrapper.func @main(%n: !i) -> !r attributes {sym.symbols = {u0 = #sym.range<-64, 64>}} {
  wrapper.item "u0" = %n : !i
  wrapper.rng_seed <1>
  wrapper.rng_advance by <u0>
  %0 = wrapper.rng_state : !r
  wrapper.return %0 : !r
}
