// RUN: %corpus %s
// A name that nothing is bound to.
// CASE: 1xf32=1 -> error: no object is bound to the name 'missing'
!b = !wrapper.buffer<[1], f32, #wrapper.device<"cpu">>
!o = !wrapper.object<"test::Scale">
wrapper.func @main(%x: !b) -> !b {
  %t = wrapper.bound_object "missing" : !o
  %0 = wrapper.object_call "apply"(%t, %x) : (!o, !b) -> !b
  wrapper.return %0 : !b
}
