// RUN: coil-opt %s --graph-legalize-aten | FileCheck %s
// RUN: coil-opt %s --coil-graph-pipeline --coil-loop-pipeline=library=none | FileCheck %s --check-prefix=FUSED

// No log-softmax of all classes is formed: the score of the right one is
// subtracted from the logarithm of the sum.
// CHECK-LABEL: @cross_entropy
// The logarithm is added to the distance from the largest score, next to which
// it would be rounded away.
// CHECK:         %[[MAX:.+]] = graph.reduce max
// CHECK:         %[[LOG:.+]] = graph.log
// CHECK:         graph.gather %arg0
// CHECK:         %[[TOP:.+]] = graph.reshape %[[MAX]]
// CHECK:         %[[REST:.+]] = graph.reshape %[[LOG]]
// CHECK:         %[[DISTANCE:.+]] = graph.sub %[[TOP]]
// CHECK:         graph.add %[[DISTANCE]], %[[REST]]
// FUSED-LABEL: @cross_entropy
// FUSED:         loop.kernel {{.*}} [4, 8] {{.*}} -> tensor<4xf32>
// FUSED-NOT:     ) -> tensor<4x8xf32>
// FUSED:         return
func.func @cross_entropy(%x: tensor<4x8xf32>, %t: tensor<4xi64>) -> tensor<f32> {
  %0 = graph.aten "aten.cross_entropy_loss.default"(%x, %t) ["self", "target"] {reduction = 1 : i64, ignore_index = -100 : i64, label_smoothing = 0.0 : f64} : (tensor<4x8xf32>, tensor<4xi64>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: @huber
// CHECK:         graph.compare le, %{{.*}}, %{{.*}}
// CHECK:         graph.select
// CHECK:         graph.reduce sum
func.func @huber(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<f32> {
  %0 = graph.aten "aten.huber_loss.default"(%x, %y) ["self", "target"] {reduction = 2 : i64, delta = 0.5 : f64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}
