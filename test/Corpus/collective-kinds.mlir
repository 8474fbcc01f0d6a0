// RUN: %corpus %s
// Gathers, scatters, exchanges and sends, of rows that are symbols.
// CASE: 3x2xf32=1 2 3 4 5 6 -> 3x2xf32=1 2 3 4 5 6; 3x2xf32=1 2 3 4 5 6; 3x2xf32=1 2 3 4 5 6; 3x2xf32=1 2 3 4 5 6; 3x2xf32=1 2 3 4 5 6
// CASE: 1x2xf32=7 8 -> 1x2xf32=7 8; 1x2xf32=7 8; 1x2xf32=7 8; 1x2xf32=7 8; 1x2xf32=7 8

!s = !wrapper.buffer<[s0, 2], f32, #wrapper.device<"cpu">>

wrapper.func @main(%x: !s) -> (!s, !s, !s, !s, !s) attributes {sym.symbols = {s0 = #sym.range<0, 64>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !s
  %a = wrapper.alloc : !s
  %0 = wrapper.collective all_gather %x to %a group "test::world" : !s to !s
  wrapper.wait %0 of %x to %a : !s to !s
  %b = wrapper.alloc : !s
  %1 = wrapper.collective reduce_scatter sum %a to %b group "test::world" : !s to !s
  wrapper.wait %1 of %a to %b : !s to !s
  %c = wrapper.alloc : !s
  %2 = wrapper.collective all_to_all %b to %c group "test::world" : !s to !s
  wrapper.wait %2 of %b to %c : !s to !s
  %d = wrapper.alloc : !s
  %3 = wrapper.collective all_to_all %c to %d splits [s0] to [s0] group "test::world" : !s to !s
  wrapper.wait %3 of %c to %d : !s to !s
  %e = wrapper.alloc : !s
  %4 = wrapper.collective broadcast %d to %e root 0 group "test::world" : !s to !s
  wrapper.wait %4 of %d to %e : !s to !s
  wrapper.return %a, %b, %c, %d, %e : !s, !s, !s, !s, !s
}
