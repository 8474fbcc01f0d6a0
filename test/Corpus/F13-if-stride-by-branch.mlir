// RUN: %corpus %s
// Strides differ by branch: a row-major and a transposed matrix under one name.
// CASE: i1=true; 2x2xf32=1 2 3 4 -> 2x2xf32=1 2 3 4
// CASE: i1=false; 2x2xf32=1 2 3 4 -> 2x2xf32=1 3 2 4

!m = !wrapper.buffer<[2, 2], f32, #wrapper.device<"cpu">>
!t = !wrapper.buffer<[2, 2], strides = [1, 2], f32, #wrapper.device<"cpu">>
!r = !wrapper.buffer<[2, 2], strides = [p, q], f32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>

wrapper.func @main(%c: !p, %x: !m) -> !r attributes {sym.symbols = {p = #sym.range<1, 2>, q = #sym.range<1, 2>}} {
  %r = wrapper.if %c : !p defines ["p", "q"] -> (!r) {
    %0 = wrapper.alloc : !m
    wrapper.copy %x to %0 : !m
    wrapper.yield %0 : !m symbols [2, 1]
  } else {
    %0 = wrapper.alloc : !m
    wrapper.copy %x to %0 : !m
    %1 = wrapper.reinterpret %0 at <0> : !m to !t
    wrapper.yield %1 : !t symbols [1, 2]
  }
  wrapper.return %r : !r
}
