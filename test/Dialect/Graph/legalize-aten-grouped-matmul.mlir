// RUN: coil-opt %s --graph-legalize-aten --split-input-file --verify-diagnostics | FileCheck %s

// Each row is multiplied with the matrix of its group, element by element of the sum; rows behind the last group are zero.
// CHECK-LABEL: @rows
// CHECK-SAME:    (%[[X:.+]]: tensor<6x4xf32>, %[[W:.+]]: tensor<3x4x5xf32>, %[[ENDS:.+]]: tensor<3xi32>)
// CHECK:         %[[IS_PAST:.+]] = graph.compare le
// CHECK:         %[[GROUP:.+]] = graph.reduce sum, %{{.*}} dims [1] : (tensor<6x3xi64>) -> tensor<6xi64>
// CHECK:         %[[CHOSEN:.+]] = graph.index %[[W]][%{{.*}}] dims [0] : (tensor<3x4x5xf32>, tensor<6xi64>) -> tensor<6x4x5xf32>
// CHECK:         %[[PRODUCT:.+]] = graph.mul %{{.*}}, %[[CHOSEN]] : (tensor<6x4x1xf32>, tensor<6x4x5xf32>) -> tensor<6x4x5xf32>
// CHECK:         graph.reduce sum, %[[PRODUCT]] dims [1]
// CHECK:         graph.select
func.func @rows(%x: tensor<6x4xf32>, %w: tensor<3x4x5xf32>, %ends: tensor<3xi32>) -> tensor<6x5xf32> {
  %0 = graph.aten "transformers.grouped_mm_fallback.default"(%x, %w, %ends) ["input", "weight", "offs"] {} : (tensor<6x4xf32>, tensor<3x4x5xf32>, tensor<3xi32>) -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}

// Groups of what is summed are one product each, of which the left operand is zero elsewhere. Elements that are not finite make the sums
// of their own group NaN, and of no other one.
// CHECK-LABEL: @parts
// CHECK:         graph.compare eq
// CHECK:         %[[FINITE:.+]] = graph.compare lt, %{{.+}} : (tensor<4x6xbf16>, tensor<bf16>) -> tensor<4x6xi1>
// CHECK:         graph.select %[[FINITE]]
// CHECK:         %[[SUMS:.+]] = graph.matmul %{{.*}} : (tensor<3x4x6xbf16>, tensor<3x6x5xbf16>) -> tensor<3x4x5xbf16>
// CHECK-COUNT-2: graph.reduce any
// CHECK:         graph.select %{{.+}}, %{{.+}}, %[[SUMS]]
func.func @parts(%x: tensor<4x6xbf16>, %y: tensor<6x5xbf16>, %ends: tensor<3xi32>) -> tensor<3x4x5xbf16> {
  %0 = graph.aten "aten._grouped_mm.default"(%x, %y, %ends) ["self", "mat2", "offs"] {} : (tensor<4x6xbf16>, tensor<6x5xbf16>, tensor<3xi32>) -> tensor<3x4x5xbf16>
  return %0 : tensor<3x4x5xbf16>
}

// The gradient of rows is a product of rows; that of matrices is a product for each group.
// CHECK-LABEL: @backward
// CHECK:         %[[CHOSEN:.+]] = graph.index %{{.*}} dims [0] : (tensor<3x5x4xf32>, tensor<6xi64>) -> tensor<6x5x4xf32>
// CHECK:         graph.mul %{{.*}}, %[[CHOSEN]]
// CHECK:         graph.matmul %{{.*}} : (tensor<3x4x6xf32>, tensor<3x6x5xf32>) -> tensor<3x4x5xf32>
func.func @backward(%x: tensor<6x4xf32>, %w: tensor<3x4x5xf32>, %ends: tensor<3xi32>, %g: tensor<6x5xf32>) -> (tensor<6x4xf32>, tensor<3x4x5xf32>) {
  %0:2 = graph.aten "transformers.grouped_mm_fallback_backward.default"(%x, %w, %ends, %g) ["input", "weight", "offs", "grad_output"] {} : (tensor<6x4xf32>, tensor<3x4x5xf32>, tensor<3xi32>, tensor<6x5xf32>) -> (tensor<6x4xf32>, tensor<3x4x5xf32>)
  return %0#0, %0#1 : tensor<6x4xf32>, tensor<3x4x5xf32>
}

// -----

// CHECK-LABEL: @no_ends
// CHECK:         graph.aten "aten._grouped_mm.default"
func.func @no_ends(%x: tensor<6x4xf32>, %w: tensor<3x4x5xf32>) -> tensor<6x5xf32> {
  %0 = graph.aten "aten._grouped_mm.default"(%x, %w) ["self", "mat2"] {} : (tensor<6x4xf32>, tensor<3x4x5xf32>) -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
