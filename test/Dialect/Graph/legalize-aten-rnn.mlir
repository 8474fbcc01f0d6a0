// RUN: coil-opt %s --graph-legalize-aten --split-input-file | FileCheck %s

// Up to 16 steps are unrolled; the product of the input is one for all.
// CHECK-LABEL: @short
// CHECK-NOT:     graph.while
// CHECK:         graph.matmul %{{.*}}, %{{.*}} : (tensor<4x3xf32>, tensor<3x16xf32>)
// CHECK-COUNT-2: graph.matmul %{{.*}}, %{{.*}} : (tensor<2x4xf32>, tensor<4x16xf32>)
// CHECK-NOT:     graph.matmul
func.func @short(%x: tensor<2x2x3xf32>, %h: tensor<1x2x4xf32>, %c: tensor<1x2x4xf32>, %w: tensor<16x3xf32>, %u: tensor<16x4xf32>) -> tensor<2x2x4xf32> {
  %0:3 = graph.aten "aten.lstm.input"(%x, %h, %c, %w, %u) ["input", "hx", "hx", "params", "params"] {has_biases = false, num_layers = 1 : i64, dropout = 0.0 : f64, train = false, bidirectional = false, batch_first = false} : (tensor<2x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<16x3xf32>, tensor<16x4xf32>) -> (tensor<2x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
  return %0#0 : tensor<2x2x4xf32>
}

// -----

// More are a loop, which carries the number of steps, the state and the result.
// CHECK-LABEL: @long
// CHECK:         graph.while {{.*}} : tensor<i64>, tensor<2x4xf32>, tensor<17x2x4xf32>
// CHECK:           graph.matmul %{{.*}}, %{{.*}} : (tensor<2x4xf32>, tensor<4x12xf32>)
// CHECK:           graph.index_put
func.func @long(%x: tensor<17x2x3xf32>, %h: tensor<1x2x4xf32>, %w: tensor<12x3xf32>, %u: tensor<12x4xf32>) -> tensor<17x2x4xf32> {
  %0:2 = graph.aten "aten.gru.input"(%x, %h, %w, %u) ["input", "hx", "params", "params"] {has_biases = false, num_layers = 1 : i64, dropout = 0.0 : f64, train = false, bidirectional = false, batch_first = false} : (tensor<17x2x3xf32>, tensor<1x2x4xf32>, tensor<12x3xf32>, tensor<12x4xf32>) -> (tensor<17x2x4xf32>, tensor<1x2x4xf32>)
  return %0#0 : tensor<17x2x4xf32>
}

// -----

// CHECK-LABEL: @dropout
// CHECK:         graph.reason = "dropout between its layers draws random numbers; eval() the model"
func.func @dropout(%x: tensor<17x2x3xf32>, %h: tensor<1x2x4xf32>, %w: tensor<12x3xf32>, %u: tensor<12x4xf32>) -> tensor<17x2x4xf32> {
  %0:2 = graph.aten "aten.gru.input"(%x, %h, %w, %u) ["input", "hx", "params", "params"] {has_biases = false, num_layers = 1 : i64, dropout = 0.5 : f64, train = true, bidirectional = false, batch_first = false} : (tensor<17x2x3xf32>, tensor<1x2x4xf32>, tensor<12x3xf32>, tensor<12x4xf32>) -> (tensor<17x2x4xf32>, tensor<1x2x4xf32>)
  return %0#0 : tensor<17x2x4xf32>
}
