// RUN: coil-interpret %s | FileCheck %s

// Rows of two dimensions are counted as one: a chunk of four rows goes on in the
// next position of dimension 0, and the last chunk has two.
// CHECK-LABEL: @main
// CHECK-NEXT:  {{\[}}[16, 20], [20, 22]] : 2x2xf32
// CHECK-NEXT:  [3, 7, 11, 15, 19, 23] : 6xf32
func.func @main() -> (tensor<2x2xf32>, tensor<6xf32>) {
  %x = arith.constant dense<[[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [[7.0, 8.0], [9.0, 10.0], [11.0, 12.0]]]> : tensor<2x3x2xf32>
  %c, %r = loop.kernel "both" [2, 3, 2] (%a = %x) : (tensor<2x3x2xf32>) -> (tensor<2x2xf32>, tensor<6xf32>) {
    %v = loop.load %a[d0, d1, d2] : tensor<2x3x2xf32> -> f32
    loop.accumulate sum %v, 0 columns [2] rows 4 : f32
    %s = loop.reduce sum %v over [2] : f32
    loop.store %s, 1[d0 * 3 + d1] : f32
  }
  return %c, %r : tensor<2x2xf32>, tensor<6xf32>
}

// The last chunk has one row, and what is accumulated needs the row's sum.
// CHECK-LABEL: @rest
// CHECK-NEXT:  {{\[}}[0.5, 0.75], [0.41666666, 0.5833333]] : 2x2xf32
func.func @rest() -> tensor<2x2xf32> {
  %x = arith.constant dense<[[1.0, 3.0], [2.0, 2.0], [5.0, 7.0]]> : tensor<3x2xf32>
  %c = loop.kernel "share" [3, 2] (%a = %x) : (tensor<3x2xf32>) -> tensor<2x2xf32> {
    %v = loop.load %a[d0, d1] : tensor<3x2xf32> -> f32
    %s = loop.reduce sum %v over [1] : f32
    %w = arith.divf %v, %s : f32
    loop.accumulate max %w, 0 columns [1] rows 2 : f32
  }
  return %c : tensor<2x2xf32>
}
