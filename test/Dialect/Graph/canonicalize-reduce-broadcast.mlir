// RUN: coil-opt %s --canonicalize | FileCheck %s

// A conversion that repeats its operand is no view of it: each element counts as often as it occurs.
// CHECK-LABEL: @repeated
// CHECK:         %[[C:.+]] = graph.convert %{{.*}} : ({{.*}}xi1>) -> tensor<2x{{.*}}xi64>
// CHECK:         graph.reduce sum, %[[C]]
func.func @repeated(%x: tensor<i1>) -> tensor<i64> {
  %0 = graph.reshape %x : (tensor<i1>) -> tensor<1x1xi1>
  %1 = graph.broadcast %0 : (tensor<1x1xi1>) -> tensor<2x1xi1>
  %2 = graph.reshape %1 : (tensor<2x1xi1>) -> tensor<2xi1>
  %3 = graph.convert %2 : (tensor<2xi1>) -> tensor<2xi64>
  %4 = graph.reduce sum, %3 dims [0] : (tensor<2xi64>) -> tensor<i64>
  return %4 : tensor<i64>
}

// One that does not is seen through.
// CHECK-LABEL: @whole
// CHECK:         graph.convert %arg0 : (tensor<3x5xi1>) -> tensor<3x5xi64>
// CHECK-NEXT:    graph.reduce sum, %{{.*}} dims [0, 1]
func.func @whole(%x: tensor<3x5xi1>) -> tensor<i64> {
  %0 = graph.permute %x [1, 0] : (tensor<3x5xi1>) -> tensor<5x3xi1>
  %1 = graph.convert %0 : (tensor<5x3xi1>) -> tensor<5x3xi64>
  %2 = graph.reduce sum, %1 dims [0, 1] : (tensor<5x3xi64>) -> tensor<i64>
  return %2 : tensor<i64>
}
