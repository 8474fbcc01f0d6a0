// RUN: coil-run %s --output=- --output=- --output=- --output=- --output=- --output=- | FileCheck %s
// RUN: coil-run %s --reference=interp

// A large mean takes nothing from the deviations, and a value that is not
// finite makes NaN of both.
// CHECK:      1000499.5
// CHECK-NEXT: 83333248
// CHECK-NEXT: 2xf32=[nan 2]
// CHECK-NEXT: 2xf32=[nan 2]
// CHECK-NEXT: 2xf32=[nan nan]
// CHECK-NEXT: 2xf32=[0 0]
func.func @main() -> (tensor<f32>, tensor<f32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %i = graph.iota 1000000 : i64 step 1 : i64 dim 0 -> tensor<1000xi64>
  %x = graph.convert %i : (tensor<1000xi64>) -> tensor<1000xf32>
  %0, %1 = graph.welford %x dims [0] : (tensor<1000xf32>) -> (tensor<f32>, tensor<f32>)
  %y = graph.constant dense<[[1.0, 0x7F800000, 3.0], [1.0, 2.0, 3.0]]> : tensor<2x3xf32>
  %2, %3 = graph.welford %y dims [1] : (tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %e = graph.constant dense<> : tensor<2x0xf32>
  %4, %5 = graph.welford %e dims [1] : (tensor<2x0xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return %0, %1, %2, %3, %4, %5 : tensor<f32>, tensor<f32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}
