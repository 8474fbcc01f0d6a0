// RUN: coil-opt %s --graph-decompose=library=onednn | FileCheck %s
// RUN: coil-opt %s --graph-decompose | FileCheck %s --check-prefix=OWN

// Weights that are nothing beside the largest of a row are zeros on CPUs, for
// which subnormal numbers are slow.
// CHECK-LABEL: @attention
// CHECK:         %[[SHIFTED:.+]] = graph.sub
// CHECK:         %[[LEAST:.+]] = graph.full -7.000000e+01 : f32
// CHECK:         %[[SMALL:.+]] = graph.compare lt, %[[SHIFTED]], %[[LEAST]]
// CHECK:         %[[ZERO:.+]] = graph.full 0.000000e+00 : f32
// CHECK:         %[[LIMITED:.+]] = graph.maximum %[[SHIFTED]], %[[LEAST]]
// CHECK:         %[[EXP:.+]] = graph.exp %[[LIMITED]]
// CHECK:         graph.select %[[SMALL]], %[[ZERO]], %[[EXP]]
// OWN-LABEL: @attention
// OWN-NOT:     graph.maximum
func.func @attention(%q: tensor<2x4x16x8xf32>) -> tensor<2x4x16x8xf32> {
  %0 = graph.attention %q, %q, %q scale 0.125 : (tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x8xf32>
  return %0 : tensor<2x4x16x8xf32>
}
