// RUN: %corpus %s
// A call makes the buffer of the next iteration.
// CASE: i64=3; 4xf32=1 2 3 4 -> 4xf32=8 16 24 32
// CASE: i64=0; 4xf32=1 2 3 4 -> 4xf32=1 2 3 4

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>

wrapper.func @main(%i: !i, %x: !b) -> !b attributes {sym.symbols = {n = #sym.range<0, 9>, k = #sym.range<0, 9>}} {
  wrapper.item "n" = %i : !i
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  %r = wrapper.while %0 : !b symbols ["k"] from [0] -> (!b) {
  ^bb0(%a: !b):
    %p = wrapper.compare <k> lt <n>
    wrapper.condition %p pass %a : !b
  } do {
  ^bb0(%a: !b):
    %1 = wrapper.extern_call "test::scale"(%a, 2.0, none) : (!b) -> !b
    wrapper.assert_layout %1, "a" : !b
    wrapper.yield %1 : !b symbols [k + 1]
  }
  wrapper.return %r : !b
}
