// RUN: coil-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: @identity_views
// CHECK-SAME:    %[[X:.+]]: tensor<4x6xf32>
// CHECK-NEXT:    return %[[X]]
func.func @identity_views(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = graph.reshape %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %1 = graph.permute %0 [0, 1] : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %2 = graph.broadcast %1 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %3 = graph.slice %2 starts <[0, 0]> steps [1, 1] : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %4 = graph.pad %3 low [0, 0] high [0, 0] value 0.0 : f32 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %5 = graph.cat %4 dim 1 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %6 = graph.convert %5 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %7 = graph.reduce sum, %6 dims [] : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %7 : tensor<4x6xf32>
}

// Same type, but elements move.
// CHECK-LABEL: @moving_views_stay
// CHECK-DAG:     graph.permute
// CHECK-DAG:     graph.slice
// CHECK-DAG:     graph.pad
func.func @moving_views_stay(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = graph.permute %x [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = graph.slice %x starts <[3, 0]> steps [-1, 1] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = graph.pad %x low [1, 0] high [-1, 0] value 0.0 : f32 : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0, %1, %2 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// CHECK-LABEL: @neutral_elements
// CHECK-SAME:    %[[X:.+]]: tensor<4xf32>, %[[I:.+]]: tensor<4xi32>
// CHECK-NEXT:    return %[[X]], %[[I]]
func.func @neutral_elements(%x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %one = graph.full 1.0 : f32 -> tensor<f32>
  %zero = graph.full 0.0 : f32 -> tensor<f32>
  %izero = graph.full 0 : i32 -> tensor<i32>
  %0 = graph.mul %x, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = graph.div %0, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = graph.sub %1, %zero : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = graph.add %izero, %i : (tensor<i32>, tensor<4xi32>) -> tensor<4xi32>
  return %2, %3 : tensor<4xf32>, tensor<4xi32>
}

// -0.0 + 0.0 is 0.0.
// CHECK-LABEL: @float_plus_zero_stays
// CHECK:         graph.add
func.func @float_plus_zero_stays(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = graph.full 0.0 : f32 -> tensor<f32>
  %0 = graph.add %x, %zero : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The product has another shape than its operand.
// CHECK-LABEL: @broadcasting_identity_stays
// CHECK:         graph.mul
func.func @broadcasting_identity_stays(%x: tensor<4xf32>) -> tensor<3x4xf32> {
  %one = graph.full 1.0 : f32 -> tensor<3x4xf32>
  %0 = graph.mul %x, %one : (tensor<4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// CHECK-LABEL: @involutions
// CHECK-SAME:    %[[X:.+]]: tensor<4xf32>, %[[P:.+]]: tensor<4xi1>
// CHECK-NEXT:    return %[[X]], %[[P]]
func.func @involutions(%x: tensor<4xf32>, %p: tensor<4xi1>) -> (tensor<4xf32>, tensor<4xi1>) {
  %0 = graph.neg %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.neg %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = graph.bitwise_not %p : (tensor<4xi1>) -> tensor<4xi1>
  %3 = graph.bitwise_not %2 : (tensor<4xi1>) -> tensor<4xi1>
  return %1, %3 : tensor<4xf32>, tensor<4xi1>
}

// CHECK-LABEL: @idempotent
// CHECK-NEXT:    graph.relu
// CHECK-NEXT:    return
func.func @idempotent(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.relu %0 : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: @select_of_known_condition
// CHECK-SAME:    %[[X:.+]]: tensor<4xf32>, %[[Y:.+]]: tensor<4xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @select_of_known_condition(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %p = graph.full false -> tensor<i1>
  %0 = graph.select %p, %x, %y : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @reshape_of_constant
// CHECK-NEXT:    graph.constant dense<{{\[\[}}1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]> : tensor<2x2xf32>
func.func @reshape_of_constant() -> tensor<2x2xf32> {
  %0 = graph.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %1 = graph.reshape %0 : (tensor<4xf32>) -> tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}
