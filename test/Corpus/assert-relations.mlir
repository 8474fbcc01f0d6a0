// RUN: %corpus %s
// Each relation holds and fails; the first that fails says so.
// CASE: i64=4; 4xf32=1 2 3 4 -> 4xf32=1 2 3 4
// CASE: i64=5; 4xf32=1 2 3 4 -> error: odd (got 1 and 0)
// CASE: i64=6; 4xf32=1 2 3 4 -> error: six (got 6 and 6)
// CASE: i64=12; 4xf32=1 2 3 4 -> error: more than ten (got 12 and 10)
// CASE: i64=0; 4xf32=1 2 3 4 -> error: not positive (got 0 and 0)

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>

wrapper.func @main(%i: !i, %x: !b) -> !b attributes {sym.symbols = {n = #sym.range<-64, 64>}} {
  wrapper.item "n" = %i : !i
  wrapper.assert <n mod 2> eq <0>, "odd"
  wrapper.assert <n> ne <6>, "six"
  wrapper.assert <n> le <10>, "more than ten"
  wrapper.assert <0> lt <n>, "not positive"
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  wrapper.return %0 : !b
}
