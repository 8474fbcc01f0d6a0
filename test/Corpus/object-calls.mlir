// RUN: %corpus %s
// Methods of bound objects: results, an operand that changes, sizes that only the method knows, and
// an object that is let go before the program ends. The class is test::Scale (test/lib/Functions).
// CASE: 4xf32=1 2 3 4 -> 4xf32=3 6 9 12; 4xf32=2 4 6 8; 3xf32=3 6 9
!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!u = !wrapper.buffer<[u0], f32, #wrapper.device<"cpu">>
!o = !wrapper.object<"test::Scale">
wrapper.func @main(%x: !b) -> (!b, !b, !u) attributes {sym.symbols = {u0 = #sym.range<0, 64>}} {
  %t = wrapper.bound_object "triple" : !o
  %0 = wrapper.object_call "apply"(%t, %x) : (!o, !b) -> !b
  wrapper.assert_layout %0, "result" : !b
  %n = wrapper.object_call "first"(%t, %0) names ["self", "x"] : (!o, !b) -> !u
  wrapper.bind_symbol "u0" = [#wrapper.key<size, 0>] of %n : !u
  wrapper.drop %t : !o
  %h = wrapper.bound_object "half" : !o
  %1 = wrapper.alloc : !b
  wrapper.copy %x to %1 : !b
  wrapper.object_call "accumulate"(%h, %x, %1, <2>) mutates [2] : (!o, !b, !b) -> ()
  wrapper.return %0, %1, %n : !b, !b, !u
}
