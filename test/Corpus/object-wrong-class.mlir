// RUN: %corpus %s
// An object of another class than the program says.
// CASE: 1xf32=1 -> error: the object 'empty' is a 'test::Empty', but the program takes a 'test::Scale'
!b = !wrapper.buffer<[1], f32, #wrapper.device<"cpu">>
!o = !wrapper.object<"test::Scale">
wrapper.func @main(%x: !b) -> !b {
  %t = wrapper.bound_object "empty" : !o
  %0 = wrapper.object_call "apply"(%t, %x) : (!o, !b) -> !b
  wrapper.return %0 : !b
}
