// RUN: %corpus %s
// All ways to combine; of one rank, every result is the source.
// CASE: 3xf32=1 -2 3 -> 3xf32=1 -2 3; 3xf32=1 -2 3; 3xf32=1 -2 3; 3xf32=1 -2 3; 3xf32=1 -2 3
// CASE: 0xf32= -> 0xf32=; 0xf32=; 0xf32=; 0xf32=; 0xf32=

!s = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>

wrapper.func @main(%x: !s) -> (!s, !s, !s, !s, !s) attributes {sym.symbols = {s0 = #sym.range<0, 64>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !s
  %sum = wrapper.alloc : !s
  %t0 = wrapper.collective all_reduce sum %x to %sum group "test::world" : !s to !s
  %avg = wrapper.alloc : !s
  %t1 = wrapper.collective all_reduce avg %x to %avg group "test::world" : !s to !s
  %min = wrapper.alloc : !s
  %t2 = wrapper.collective all_reduce min %x to %min group "test::world" : !s to !s
  %max = wrapper.alloc : !s
  %t3 = wrapper.collective all_reduce max %x to %max group "test::world" : !s to !s
  %prod = wrapper.alloc : !s
  %t4 = wrapper.collective all_reduce prod %x to %prod group "test::world" : !s to !s
  wrapper.wait %t4 of %x to %prod : !s to !s
  wrapper.wait %t3 of %x to %max : !s to !s
  wrapper.wait %t2 of %x to %min : !s to !s
  wrapper.wait %t1 of %x to %avg : !s to !s
  wrapper.wait %t0 of %x to %sum : !s to !s
  wrapper.return %sum, %avg, %min, %max, %prod : !s, !s, !s, !s, !s
}
