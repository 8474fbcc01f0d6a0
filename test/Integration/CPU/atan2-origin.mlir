// RUN: coil-run %s --output=- --output=- | FileCheck %s

// LLVM 22 folds math.atan2 of two zeros to NaN.
// CHECK:      4xf32=[0 3.1415927 -0 -3.1415927]
// CHECK-NEXT: 4xbf16=[0 3.14 -0 -3.14]
func.func @main() -> (tensor<4xf32>, tensor<4xbf16>) {
  %y = graph.constant dense<[0.0, 0.0, -0.0, -0.0]> : tensor<4xf32>
  %x = graph.constant dense<[0.0, -0.0, 0.0, -0.0]> : tensor<4xf32>
  %0 = graph.atan2 %y, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %v = graph.convert %y : (tensor<4xf32>) -> tensor<4xbf16>
  %u = graph.convert %x : (tensor<4xf32>) -> tensor<4xbf16>
  %1 = graph.atan2 %v, %u : (tensor<4xbf16>, tensor<4xbf16>) -> tensor<4xbf16>
  return %0, %1 : tensor<4xf32>, tensor<4xbf16>
}
