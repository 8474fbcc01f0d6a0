// RUN: coil-interpret %s | FileCheck %s

// NaN is the largest whatever its sign, zeros are equal whatever theirs, and
// equal elements keep their order, in descending order, too.
// CHECK-LABEL: @floats
// CHECK-NEXT: [-inf, -1, 0, -0, 0, 2, inf, nan, nan] : 9xf32
// CHECK-NEXT: [6, 1, 0, 2, 7, 3, 5, 4, 8] : 9xi64
// CHECK-NEXT: [nan, nan, inf, 2, 0, -0, 0, -1, -inf] : 9xf32
// CHECK-NEXT: [4, 8, 5, 3, 0, 2, 7, 1, 6] : 9xi64
func.func @floats() -> (tensor<9xf32>, tensor<9xi64>, tensor<9xf32>, tensor<9xi64>) {
  %x = graph.constant dense<[0.0, -1.0, -0.0, 2.0, 0x7FC00000, 0x7F800000, 0xFF800000, 0.0, 0xFFC00000]> : tensor<9xf32>
  %v, %i = graph.sort %x dim 0 : (tensor<9xf32>) -> (tensor<9xf32>, tensor<9xi64>)
  %w, %j = graph.sort %x dim 0 descending : (tensor<9xf32>) -> (tensor<9xf32>, tensor<9xi64>)
  return %v, %i, %w, %j : tensor<9xf32>, tensor<9xi64>, tensor<9xf32>, tensor<9xi64>
}

// Each column by itself; unsigned integers are.
// CHECK-LABEL: @columns
// CHECK-NEXT: {{\[}}[1, 0], [2, 200], [255, 201]] : 3x2xui8
// CHECK-NEXT: {{\[}}[2, 1], [1, 0], [0, 2]] : 3x2xi64
func.func @columns() -> (tensor<3x2xui8>, tensor<3x2xi64>) {
  %x = graph.constant dense<[[255, 200], [2, 0], [1, 201]]> : tensor<3x2xui8>
  %v, %i = graph.sort %x dim 0 : (tensor<3x2xui8>) -> (tensor<3x2xui8>, tensor<3x2xi64>)
  return %v, %i : tensor<3x2xui8>, tensor<3x2xi64>
}

// CHECK-LABEL: @selected
// CHECK-NEXT: [7, 5] : 2xi32
// CHECK-NEXT: [3, 0] : 2xi64
// CHECK-NEXT: [-2, 4, 5] : 3xi32
// CHECK-NEXT: [2, 1, 0] : 3xi64
func.func @selected() -> (tensor<2xi32>, tensor<2xi64>, tensor<3xi32>, tensor<3xi64>) {
  %x = graph.constant dense<[5, 4, -2, 7, 5]> : tensor<5xi32>
  %v, %i = graph.topk %x k <2> dim 0 largest sorted : (tensor<5xi32>) -> (tensor<2xi32>, tensor<2xi64>)
  %w, %j = graph.topk %x k <3> dim 0 : (tensor<5xi32>) -> (tensor<3xi32>, tensor<3xi64>)
  return %v, %i, %w, %j : tensor<2xi32>, tensor<2xi64>, tensor<3xi32>, tensor<3xi64>
}

// CHECK-LABEL: @in_loops
// CHECK-NEXT: [3, 2] : 2xf32
// CHECK-NEXT: [1, 2] : 2xi64
func.func @in_loops() -> (tensor<2xf32>, tensor<2xi64>) {
  %x = graph.constant dense<[1.0, 3.0, 2.0]> : tensor<3xf32>
  %v, %i = loop.sort "runtime" %x dim 0 descending : (tensor<3xf32>) -> (tensor<2xf32>, tensor<2xi64>)
  return %v, %i : tensor<2xf32>, tensor<2xi64>
}
