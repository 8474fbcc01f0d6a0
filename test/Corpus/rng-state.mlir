// RUN: %corpus %s
// The generator of the run: a seed, what is read of it, and how it is moved: by an expression, in a
// branch, and to a state that the program has made.
// CASE: 3xf32=0 0 0; i1=1 -> 2xi64=42 0; 2xi64=42 12; 2xi64=42 20; 2xi64=42 400
// CASE: 5xf32=0 0 0 0 0; i1=0 -> 2xi64=42 0; 2xi64=42 20; 2xi64=42 20; 2xi64=42 400
!s = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
!r = !wrapper.buffer<[2], i64, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>
wrapper.func @main(%x: !s, %p: !p) -> (!r, !r, !r, !r) attributes {sym.symbols = {s0 = #sym.range<0, 64>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !s
  wrapper.rng_seed <42>
  %0 = wrapper.rng_state : !r
  wrapper.rng_advance by <s0 * 4>
  %1 = wrapper.rng_state : !r
  wrapper.if %p : !p {
    wrapper.rng_advance by <8>
    wrapper.yield
  } else {
    wrapper.yield
  }
  %2 = wrapper.rng_state : !r
  %c = wrapper.constant dense<[7, 400]> : tensor<2xi64> to !r
  wrapper.rng_advance to %c : !r
  %3 = wrapper.rng_state : !r
  wrapper.return %0, %1, %2, %3 : !r, !r, !r, !r
}
