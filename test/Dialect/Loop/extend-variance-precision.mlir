// RUN: coil-opt %s --loop-extend-variance-precision | FileCheck %s

// The deviation of a row is rounded once; what varies along the row takes it rounded.
// CHECK-LABEL: func @normalized
// CHECK: %[[MEAN:.*]], %[[M2:.*]], %{{.*}} = loop.welford {{.*}} : f32 -> f64
// CHECK: %[[NARROW:.*]] = arith.truncf %[[MEAN]] : f64 to f32
// CHECK: %[[N:.*]] = arith.constant 7.000000e+00 : f64
// CHECK: %[[VARIANCE:.*]] = arith.divf %[[M2]], %[[N]] : f64
// CHECK: %[[ROOT:.*]] = math.sqrt %[[VARIANCE]] : f64
// CHECK: %[[ROUNDED:.*]] = arith.truncf %[[ROOT]] : f64 to f32
// CHECK: %[[OFF:.*]] = arith.subf %{{.*}}, %[[NARROW]] : f32
// CHECK: %[[RESULT:.*]] = arith.divf %[[OFF]], %[[ROUNDED]] : f32
// CHECK: loop.store %[[RESULT]]
func.func @normalized(%x: tensor<4x7xf32>) -> tensor<4x7xf32> {
  %r = loop.kernel "norm" [4, 7] (%a = %x) : (tensor<4x7xf32>) -> tensor<4x7xf32> {
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %n = arith.constant 7.0 : f32
    %v = loop.load %a[d0, d1] : tensor<4x7xf32> -> f32
    %mean, %m2, %count = loop.welford %v, %zero, %one over [1] : f32
    %variance = arith.divf %m2, %n : f32
    %root = math.sqrt %variance : f32
    %off = arith.subf %v, %mean : f32
    %result = arith.divf %off, %root : f32
    loop.store %result, 0[d0, d1] : f32
  }
  return %r : tensor<4x7xf32>
}

// Where the chunks of a split reduction are merged, the rounding moves behind the root.
// CHECK-LABEL: func @merged
// CHECK: %{{.*}}, %[[M2:.*]], %{{.*}} = loop.welford
// CHECK: %[[ROOT:.*]] = math.sqrt %[[M2]] : f64
// CHECK-NEXT: arith.truncf %[[ROOT]] : f64 to f32
func.func @merged(%mean: tensor<8xf64>, %m2: tensor<8xf64>, %n: tensor<8xf64>) -> tensor<1xf32> {
  %r = loop.kernel "merge" [1, 8] (%a = %mean, %b = %m2, %c = %n) : (tensor<8xf64>, tensor<8xf64>, tensor<8xf64>) -> tensor<1xf32> {
    %u = loop.load %a[d1] : tensor<8xf64> -> f64
    %v = loop.load %b[d1] : tensor<8xf64> -> f64
    %w = loop.load %c[d1] : tensor<8xf64> -> f64
    %all, %squares, %count = loop.welford %u, %v, %w over [1] : f64
    %narrow = arith.truncf %squares : f64 to f32
    %root = math.sqrt %narrow : f32
    loop.store %root, 0[d0] : f32
  }
  return %r : tensor<1xf32>
}

// (C1) What varies along the row is not widened, and neither is a function.
// CHECK-LABEL: func @loop_extend_variance_precision_c1
// CHECK: %[[ROUNDED:.*]] = arith.truncf %{{.*}} : f64 to f32
// CHECK: arith.mulf %{{.*}}, %[[ROUNDED]] : f32
// CHECK: math.exp %[[ROUNDED]] : f32
func.func @loop_extend_variance_precision_c1(%x: tensor<4x7xf32>) -> (tensor<4x7xf32>, tensor<4xf32>) {
  %r:2 = loop.kernel "scale" [4, 7] (%a = %x) : (tensor<4x7xf32>) -> (tensor<4x7xf32>, tensor<4xf32>) {
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %v = loop.load %a[d0, d1] : tensor<4x7xf32> -> f32
    %mean, %m2, %count = loop.welford %v, %zero, %one over [1] : f32
    %scaled = arith.mulf %v, %m2 : f32
    %e = math.exp %m2 : f32
    loop.store %scaled, 0[d0, d1] : f32
    loop.store %e, 1[d0] : f32
  }
  return %r#0, %r#1 : tensor<4x7xf32>, tensor<4xf32>
}
