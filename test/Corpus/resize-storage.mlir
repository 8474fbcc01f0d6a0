// RUN: %corpus %s
// Storage of the function that grows, shrinks and goes: what fits stays.
// CASE: 3xf32=1 2 3; i64=5 -> 5xf32=1 2 3 0 0; 2xf32=1 2
// CASE: 3xf32=1 2 3; i64=2 -> 2xf32=1 2; 2xf32=1 2
// CASE: 3xf32=1 2 3; i64=0 -> 0xf32=; 2xf32=1 2
!s = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
!u = !wrapper.buffer<[u0], f32, #wrapper.device<"cpu">>
!m = !wrapper.buffer<[s0 + u0], f32, #wrapper.device<"cpu">>
!c = !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>
!n = !wrapper.buffer<[0], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>
wrapper.func @main(%x: !s, %k: !i) -> (!u, !c) attributes {sym.symbols = {s0 = #sym.range<2, 64>, u0 = #sym.range<0, 64>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !s
  wrapper.item "u0" = %k : !i
  // Zeros first, so that what is not kept is known.
  %0 = wrapper.alloc : !m
  wrapper.fill %0 bytes 0 : !m
  %v = wrapper.reinterpret %0 at <0> : !m to !s
  wrapper.copy %x to %v : !s
  %1 = wrapper.resize_storage %0 : !m to !u
  %2 = wrapper.alloc : !s
  wrapper.copy %x to %2 : !s
  %3 = wrapper.resize_storage %2 : !s to !c
  %4 = wrapper.alloc : !c
  wrapper.copy %3 to %4 : !c
  %5 = wrapper.resize_storage %3 : !c to !n
  wrapper.return %1, %4 : !u, !c
}
