// RUN: %corpus %s
// F06: comments are for readers: they change nothing, wherever they are.
// CASE: 4xf32=1 2 3 4; i64=2 -> 4xf32=1 2 3 4
!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>
wrapper.func @main(%x: !b, %n: !i) -> !b attributes {sym.symbols = {u0 = #sym.range<0, 8>, i = #sym.range<0, 9>}} {
  wrapper.comment "begins; */ ends? \\ \22quoted\22"
  wrapper.item "u0" = %n : !i
  %a = wrapper.alloc : !b
  wrapper.copy %x to %a : !b
  %0 = wrapper.while %a : !b symbols ["i"] from [0] -> (!b) {
  ^bb0(%c: !b):
    wrapper.comment "in the condition"
    %p = wrapper.compare <i> lt <u0>
    wrapper.condition %p pass %c : !b
  } do {
  ^bb0(%c: !b):
    wrapper.comment "in the body"
    wrapper.yield %c : !b symbols [i + 1]
  }
  wrapper.comment "done"
  wrapper.return %0 : !b
}
