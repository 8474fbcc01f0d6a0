// RUN: %corpus %s
// A group that nobody has registered.
// CASE: 2xf32=1 2 -> error: the process group 'test::none' is not registered for c

!b = !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>

wrapper.func @main(%x: !b) -> !b {
  %a = wrapper.alloc : !b
  %t = wrapper.collective all_reduce sum %x to %a group "test::none" : !b to !b
  wrapper.wait %t of %x to %a : !b to !b
  wrapper.return %a : !b
}
