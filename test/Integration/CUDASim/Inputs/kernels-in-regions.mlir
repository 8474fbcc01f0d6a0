// Three iterations, each with independent kernels in a branch and beside it.
!a = tensor<12x20xf32>
!r = tensor<12x1xf32>
!c = tensor<1x20xf32>
!b = tensor<300xf32>
func.func @main(%x: !a, %y: !b) -> (!a, !r, !b) {
  %z = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %n = graph.constant dense<3> : tensor<i64>
  %half = graph.constant dense<1> : tensor<i64>
  %r0 = graph.reduce sum, %x dims [1] keepdims : (!a) -> !r
  %0:4 = graph.while %z, %x, %r0, %y : tensor<i64>, !a, !r, !b {
  ^bb0(%j: tensor<i64>, %a: !a, %s: !r, %v: !b):
    %c = graph.compare lt, %j, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    graph.condition %c : tensor<i1>
  } do {
  ^bb0(%j: tensor<i64>, %a: !a, %s: !r, %v: !b):
    %e = graph.tanh %a : (!a) -> !a
    %t = graph.reduce max, %a dims [1] keepdims : (!a) -> !r
    %w = graph.cos %v : (!b) -> !b
    %p = graph.compare lt, %j, %half : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %q:2 = graph.if %p : tensor<i1> -> (!a, !b) {
      %g = graph.reduce sum, %e dims [0] keepdims : (!a) -> !c
      %h = graph.mul %e, %g : (!a, !c) -> !a
      %k = graph.neg %w : (!b) -> !b
      graph.yield %h, %k : !a, !b
    } else {
      %g = graph.abs %e : (!a) -> !a
      %k = graph.exp %w : (!b) -> !b
      graph.yield %g, %k : !a, !b
    }
    %k = graph.add %j, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    graph.yield %k, %q#0, %t, %q#1 : tensor<i64>, !a, !r, !b
  }
  return %0#1, %0#2, %0#3 : !a, !r, !b
}
