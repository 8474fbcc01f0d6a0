// RUN: coil-opt %s --loop-fuse | FileCheck %s

// A scatter takes a product with the result of a reduction, of which there is
// more, without storing it: the reduction stays a kernel of its own.
// CHECK-LABEL: @outer_product
// CHECK: %[[S:.*]] = loop.kernel "sum" [16, 8]
// CHECK: loop.kernel "mul+put" [16, 4] ({{.*}} = %[[S]]
// CHECK-NOT: loop.kernel
func.func @outer_product(%x: tensor<16x8xf32>, %y: tensor<16x4xf32>, %i: tensor<16xi64>, %z: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %s = loop.kernel "sum" [16, 8] (%a = %x) : (tensor<16x8xf32>) -> tensor<16xf32> {
    %v = loop.load %a[d0, d1] : tensor<16x8xf32> -> f32
    %r = loop.reduce sum %v over [1] : f32
    loop.store %r, 0 [d0] : f32
  }
  %m = loop.kernel "mul" [16, 4] (%a = %s, %b = %y) : (tensor<16xf32>, tensor<16x4xf32>) -> tensor<16x4xf32> {
    %v = loop.load %a[d0] : tensor<16xf32> -> f32
    %w = loop.load %b[d0, d1] : tensor<16x4xf32> -> f32
    %p = arith.mulf %v, %w : f32
    loop.store %p, 0 [d0, d1] : f32
  }
  %o = loop.kernel "put" [16, 4] (%t = %z, %a = %m, %at = %i) : (tensor<2x4xf32>, tensor<16x4xf32>, tensor<16xi64>) -> tensor<2x4xf32> {
    %k = loop.load %at[d0] : tensor<16xi64> -> i64
    %v = loop.load %a[d0, d1] : tensor<16x4xf32> -> f32
    loop.scatter sum %v into %t[t0, d1](%k) bounds wrap_check as 0 over [0] : f32, tensor<2x4xf32>
  }
  return %o : tensor<2x4xf32>
}
