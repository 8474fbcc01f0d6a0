// RUN: %corpus %s
// Integers, floats of 16 bits and bools.
// CASE: 3xi64=1 -2 3; 2xbf16=1.5 -2; 2xi1=1 0; 2xu8=200 7 -> 3xi64=1 -2 3; 2xbf16=1.5 -2; 2xi1=1 0; 2xu8=200 7

!i = !wrapper.buffer<[3], i64, #wrapper.device<"cpu">>
!h = !wrapper.buffer<[2], bf16, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[2], i1, #wrapper.device<"cpu">>
!u = !wrapper.buffer<[2], ui8, #wrapper.device<"cpu">>

wrapper.func @main(%i: !i, %h: !h, %p: !p, %u: !u) -> (!i, !h, !p, !u) {
  %a = wrapper.alloc : !i
  %0 = wrapper.collective all_reduce prod %i to %a group "test::world" : !i to !i
  %b = wrapper.alloc : !h
  %1 = wrapper.collective reduce_scatter avg %h to %b group "test::world" : !h to !h
  %c = wrapper.alloc : !p
  %2 = wrapper.collective all_gather %p to %c group "test::world" : !p to !p
  %d = wrapper.alloc : !u
  %3 = wrapper.collective all_reduce min %u to %d group "test::world" : !u to !u
  wrapper.wait %0 of %i to %a : !i to !i
  wrapper.wait %1 of %h to %b : !h to !h
  wrapper.wait %2 of %p to %c : !p to !p
  wrapper.wait %3 of %u to %d : !u to !u
  wrapper.return %a, %b, %c, %d : !i, !h, !p, !u
}
