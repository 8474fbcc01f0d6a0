// A loop that draws, in a branch in its first iteration.
func.func @main(%n: tensor<i64>) -> tensor<64xf32> {
  %x = graph.constant dense<1.0> : tensor<64xf32>
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %0:2 = graph.while %zero, %x : tensor<i64>, tensor<64xf32> {
  ^bb0(%i: tensor<i64>, %y: tensor<64xf32>):
    %p = graph.compare lt, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    graph.condition %p : tensor<i1>
  } do {
  ^bb0(%i: tensor<i64>, %y: tensor<64xf32>):
    %k = graph.add %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %q = graph.compare lt, %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %z = graph.if %q : tensor<i1> -> (tensor<64xf32>) {
      %a = graph.aten "aten.dropout.default"(%y) ["input"] {p = 0.25 : f64, train = true} : (tensor<64xf32>) -> tensor<64xf32>
      graph.yield %a : tensor<64xf32>
    } else {
      %a = graph.aten "aten.dropout.default"(%y) ["input"] {p = 0.25 : f64, train = true} : (tensor<64xf32>) -> tensor<64xf32>
      graph.yield %a : tensor<64xf32>
    }
    graph.yield %k, %z : tensor<i64>, tensor<64xf32>
  }
  return %0#1 : tensor<64xf32>
}
