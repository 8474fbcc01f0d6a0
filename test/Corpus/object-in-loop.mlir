// RUN: %corpus %s
// An object that a loop finds anew each time, and one from outside of it.
// CASE: 2xf32=1 2; i64=3 -> 2xf32=3.375 6.75
// CASE: 2xf32=1 2; i64=0 -> 2xf32=1 2
!b = !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>
!o = !wrapper.object<"test::Scale">
wrapper.func @main(%x: !b, %n: !i) -> !b attributes {sym.symbols = {u0 = #sym.range<0, 64>, i = #sym.range<0, 65>}} {
  wrapper.item "u0" = %n : !i
  %h = wrapper.bound_object "half" : !o
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  %r = wrapper.while %0 : !b symbols ["i"] from [0] -> (!b) {
  ^bb0(%a: !b):
    %p = wrapper.compare <i> lt <u0>
    wrapper.condition %p pass %a : !b
  } do {
  ^bb0(%a: !b):
    %t = wrapper.bound_object "triple" : !o
    %1 = wrapper.object_call "apply"(%t, %a) : (!o, !b) -> !b
    wrapper.drop %t : !o
    %2 = wrapper.object_call "apply"(%h, %1) : (!o, !b) -> !b
    wrapper.yield %2 : !b symbols [i + 1]
  }
  wrapper.return %r : !b
}
