// RUN: coil-opt %s --loop-extend-product-precision | FileCheck %s

// CHECK-LABEL: func @row
// CHECK: %[[FACTOR:.*]] = arith.extf %{{.*}} : f32 to f64
// CHECK: %[[ALL:.*]] = loop.reduce prod %[[FACTOR]] over [1] : f64
// CHECK: %[[ROUNDED:.*]] = arith.truncf %[[ALL]] : f64 to f32
// CHECK: loop.store %[[ROUNDED]]
func.func @row(%x: tensor<4x7xf32>) -> tensor<4xf32> {
  %r = loop.kernel "prod" [4, 7] (%a = %x) : (tensor<4x7xf32>) -> tensor<4xf32> {
    %v = loop.load %a[d0, d1] : tensor<4x7xf32> -> f32
    %p = loop.reduce prod %v over [1] : f32
    loop.store %p, 0[d0] : f32
  }
  return %r : tensor<4xf32>
}

// Nothing is wider than f64, and integers lose nothing.
// CHECK-LABEL: func @loop_extend_product_precision_c1
// CHECK-NOT: arith.extf
// CHECK: loop.reduce prod %{{.*}} over [1] : f64
// CHECK: loop.reduce prod %{{.*}} over [1] : i64
// CHECK: loop.reduce sum %{{.*}} over [1] : f32
func.func @loop_extend_product_precision_c1(%x: tensor<4x7xf64>, %y: tensor<4x7xi64>, %z: tensor<4x7xf32>) -> (tensor<4xf64>, tensor<4xi64>, tensor<4xf32>) {
  %r:3 = loop.kernel "prod" [4, 7] (%a = %x, %b = %y, %c = %z) : (tensor<4x7xf64>, tensor<4x7xi64>, tensor<4x7xf32>) -> (tensor<4xf64>, tensor<4xi64>, tensor<4xf32>) {
    %u = loop.load %a[d0, d1] : tensor<4x7xf64> -> f64
    %v = loop.load %b[d0, d1] : tensor<4x7xi64> -> i64
    %w = loop.load %c[d0, d1] : tensor<4x7xf32> -> f32
    %p = loop.reduce prod %u over [1] : f64
    %q = loop.reduce prod %v over [1] : i64
    %s = loop.reduce sum %w over [1] : f32
    loop.store %p, 0[d0] : f64
    loop.store %q, 1[d0] : i64
    loop.store %s, 2[d0] : f32
  }
  return %r#0, %r#1, %r#2 : tensor<4xf64>, tensor<4xi64>, tensor<4xf32>
}

// CHECK-LABEL: func @loop_extend_product_precision_c2
// CHECK: loop.reduce prod %{{.*}} over [1] : f32
func.func @loop_extend_product_precision_c2(%x: tensor<4x7xbf16>) -> tensor<4xbf16> {
  %r = loop.kernel "prod" [4, 7] (%a = %x) : (tensor<4x7xbf16>) -> tensor<4xbf16> {
    %v = loop.load %a[d0, d1] : tensor<4x7xbf16> -> bf16
    %w = arith.extf %v : bf16 to f32
    %p = loop.reduce prod %w over [1] : f32
    %n = arith.truncf %p : f32 to bf16
    loop.store %n, 0[d0] : bf16
  }
  return %r : tensor<4xbf16>
}
