// RUN: coil-interpret %s | FileCheck %s

// Causal rows see the columns up to theirs; a row that sees nothing is zero.
// CHECK-LABEL: @attention
// CHECK-NEXT: {{\[}}[4], [6]] : 2x1xf32
// CHECK-NEXT: {{\[}}[8], [0]] : 2x1xf32
func.func @attention() -> (tensor<2x1xf32>, tensor<2x1xf32>) {
  %q = graph.constant dense<0.0> : tensor<2x1xf32>
  %k = graph.constant dense<1.0> : tensor<2x1xf32>
  %v = graph.constant dense<[[4.0], [8.0]]> : tensor<2x1xf32>
  %m = graph.constant dense<[[false, true], [false, false]]> : tensor<2x2xi1>
  %0 = graph.attention %q, %k, %v causal scale 1.0 : (tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  %1 = graph.attention %q, %k, %v mask %m scale 1.0 : (tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x2xi1>) -> tensor<2x1xf32>
  return %0, %1 : tensor<2x1xf32>, tensor<2x1xf32>
}

// A number that hides all of a row leaves the mean; rows of minus infinities may be
// NaN; a soft cap of one makes scores of at most one.
// CHECK-LABEL: @spelled
// CHECK-NEXT: {{\[}}[8], [6]] : 2x1xf32
// CHECK-NEXT: {{\[}}[8], [nan]] : 2x1xf32
// CHECK-NEXT: {{\[}}[6.92{{[0-9]+}}], [6.92{{[0-9]+}}]] : 2x1xf32
func.func @spelled() -> (tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>) {
  %q = graph.constant dense<1.0> : tensor<2x1xf32>
  %k = graph.constant dense<[[0.0], [100.0]]> : tensor<2x1xf32>
  %v = graph.constant dense<[[4.0], [8.0]]> : tensor<2x1xf32>
  %m = graph.constant dense<[[false, true], [false, false]]> : tensor<2x2xi1>
  %0 = graph.attention %q, %k, %v mask %m fill -1.0e30 scale 1.0 : (tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x2xi1>) -> tensor<2x1xf32>
  %1 = graph.attention %q, %k, %v mask %m nan_rows scale 1.0 : (tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x2xi1>) -> tensor<2x1xf32>
  %2 = graph.attention %q, %k, %v scale 1.0 softcap 1.0 : (tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  return %0, %1, %2 : tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>
}
