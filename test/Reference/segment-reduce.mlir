// RUN: coil-interpret %s | FileCheck %s
// RUN: coil-opt %s --convert-graph-to-loop | coil-interpret | FileCheck %s

// Ranges: two places, none, one that is cut at both ends, one in reverse; positions outside count as the nearest.
// CHECK: {{\[}}[101, 202], [0, 0], [111, 222], [0, 0]] : 4x2xf32
// CHECK: {{\[}}[11, 22], [0, 0], [111, 222], [0, 0]] : 4x2xf32
// CHECK: {{\[}}[0, 0], [0, 0], [0, 0], [0, 0]] : 4x2xf32
// CHECK: {{\[}}[102, 202], [1, 0], [112, 222], [1, 0]] : 4x2xf32
func.func @main() -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>) {
  %x = graph.constant dense<[[1.0, 2.0], [10.0, 20.0], [100.0, 200.0]]> : tensor<3x2xbf16>
  %none = graph.slice %x starts <[0, 0]> steps [1, 1] : (tensor<3x2xbf16>) -> tensor<0x2xbf16>
  %lo = graph.constant dense<[0, 1, -9, 3]> : tensor<4xi64>
  %hi = graph.constant dense<[2, 1, 9, 2]> : tensor<4xi64>
  %p = graph.constant dense<[-7, 7, 1]> : tensor<3xi64>
  %q = graph.constant dense<[0, 2, 1]> : tensor<3xi64>
  %0 = graph.segment_reduce sum %x at %q from %lo to %hi : (tensor<3x2xbf16>, tensor<4xi64>, tensor<4xi64>, tensor<3xi64>) -> tensor<4x2xf32>
  %1 = graph.segment_reduce sum %x from %lo to %hi : (tensor<3x2xbf16>, tensor<4xi64>, tensor<4xi64>) -> tensor<4x2xf32>
  %2 = graph.segment_reduce sum %none at %p from %lo to %hi : (tensor<0x2xbf16>, tensor<4xi64>, tensor<4xi64>, tensor<3xi64>) -> tensor<4x2xf32>
  %y = graph.constant dense<[[1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [1.0, 0.0]]> : tensor<4x2xf32>
  %3 = graph.segment_reduce sum %x at %q from %lo to %hi plus %y : (tensor<3x2xbf16>, tensor<4xi64>, tensor<4xi64>, tensor<3xi64>, tensor<4x2xf32>) -> tensor<4x2xf32>
  return %0, %1, %2, %3 : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>
}
