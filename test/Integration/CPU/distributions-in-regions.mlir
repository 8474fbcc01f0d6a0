// RUN: coil-run %s --input=4x5xf32=0 --input=i64=3 --input=i1=1 --random-seed=7 --random-offset=8 --reference=interp
// RUN: coil-run %s --input=4x5xf32=0 --input=i64=0 --input=i1=0 --random-seed=7 --reference=interp

// B14: distributions in a loop and in a branch of it, and what is drawn behind both.
func.func @main(%x: tensor<4x5xf32>, %n: tensor<i64>, %p: tensor<i1>) -> (tensor<4x5xf32>, tensor<3xf64>) {
  %z = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %0:2 = graph.while %z, %x : tensor<i64>, tensor<4x5xf32> {
  ^bb0(%j: tensor<i64>, %y: tensor<4x5xf32>):
    %c = graph.compare lt, %j, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    graph.condition %c : tensor<i1>
  } do {
  ^bb0(%j: tensor<i64>, %y: tensor<4x5xf32>):
    %e = graph.aten "aten.randn_like.default"(%y) ["self"] {} : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %s = graph.add %y, %e : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %q = graph.if %p : tensor<i1> -> (tensor<4x5xf32>) {
      %w = graph.aten "aten.exponential.default"(%s) ["self"] {lambd = 1.0 : f64} : (tensor<4x5xf32>) -> tensor<4x5xf32>
      graph.yield %w : tensor<4x5xf32>
    } else {
      graph.yield %s : tensor<4x5xf32>
    }
    %k = graph.add %j, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    graph.yield %k, %q : tensor<i64>, tensor<4x5xf32>
  }
  %r = graph.aten "aten.randn.default"() [] {size = array<i64: 3>} : () -> tensor<3xf64>
  return %0#1, %r : tensor<4x5xf32>, tensor<3xf64>
}
