// RUN: %corpus %s
// F58: a call whose results nobody uses is there for what it checks and what it does to the generator; a loop that
// carries no value for the number that it binds.
// CASE: 4xf32=1 2 3 4 -> 2xi64=5 8; 3xf32=1 2 3
// CASE: 5xf32=1 2 3 4 5 -> error: more than four (got 5 and 4)

!s = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
!r = !wrapper.buffer<[2], i64, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[i], f32, #wrapper.device<"cpu">>
wrapper.func private @checks(%x: !s) attributes {sym.symbols = {s0 = #sym.range<0, 8>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !s
  wrapper.assert <s0> le <4>, "more than four"
  wrapper.return
}
wrapper.func private @draws() {
  wrapper.rng_advance by <8>
  wrapper.return
}
wrapper.func @main(%x: !s) -> (!r, !i) attributes {sym.symbols = {s0 = #sym.range<3, 8>, i = #sym.range<0, 3>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !s
  wrapper.rng_seed <5>
  wrapper.invoke @checks(%x) : (!s) -> ()
  wrapper.invoke @draws() : () -> ()
  wrapper.while symbols ["i"] from [0] {
    %c = wrapper.compare <i> lt <3>
    wrapper.condition %c
  } do {
    wrapper.yield symbols [i + 1]
  }
  %state = wrapper.rng_state : !r
  %0 = wrapper.alloc : !i
  %1 = wrapper.reinterpret %x at <0> : !s to !i
  wrapper.copy %1 to %0 : !i
  wrapper.return %state, %0 : !r, !i
}
