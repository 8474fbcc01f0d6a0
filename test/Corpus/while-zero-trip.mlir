// RUN: %corpus %s
// No iteration: the results are the operands, and nothing of the body happens.
// CASE: 4xf32=1 2 3 4 -> 4xf32=1 2 3 4

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

wrapper.func @main(%x: !b) -> !b {
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  %r = wrapper.while %0 : !b symbols ["i"] from [0] -> (!b) {
  ^bb0(%a: !b):
    %c = arith.constant false
    wrapper.condition %c pass %a : !b
  } do {
  ^bb0(%a: !b):
    wrapper.assert <i> eq <1>, "never"
    wrapper.yield %a : !b symbols [i + 1]
  }
  wrapper.return %r : !b
}
