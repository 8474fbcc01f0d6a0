// RUN: coil-interpret %s | FileCheck %s

// The second pass over d1 sees the row's maximum and sum.
// CHECK-LABEL: @softmax
// CHECK-NEXT: {{\[}}[0.5, 0.5], [0.25, 0.75]] : 2x2xf64
func.func @softmax() -> tensor<2x2xf64> {
  %x = arith.constant dense<[[7.0, 7.0], [0.0, 1.09861228866810969]]> : tensor<2x2xf64>
  %y = loop.kernel "softmax" [2, 2] (%a = %x) : (tensor<2x2xf64>) -> tensor<2x2xf64> {
    %v = loop.load %a[d0, d1] : tensor<2x2xf64> -> f64
    %m = loop.reduce max %v over [1] : f64
    %d = arith.subf %v, %m : f64
    %e = math.exp %d : f64
    %s = loop.reduce sum %e over [1] : f64
    %q = arith.divf %e, %s : f64
    loop.store %q, 0 [d0, d1] : f64
  }
  return %y : tensor<2x2xf64>
}

// A reduction over no points gives the neutral element, and a store that does
// not mention the empty dimension still happens.
// CHECK-LABEL: @empty_reductions
// CHECK-NEXT: [0, 0] : 2xf32
// CHECK-NEXT: [1, 1] : 2xi8
// CHECK-NEXT: [-inf, -inf] : 2xf32
// CHECK-NEXT: [127, 127] : 2xi8
// CHECK-NEXT: [0, 1] : 2xi64
func.func @empty_reductions() -> (tensor<2xf32>, tensor<2xi8>, tensor<2xf32>, tensor<2xi8>, tensor<2xi64>) {
  %x = arith.constant dense<> : tensor<2x0xf32>
  %z = arith.constant dense<> : tensor<2x0xi8>
  %y:5 = loop.kernel "empty" [2, 0] (%a = %x, %b = %z) : (tensor<2x0xf32>, tensor<2x0xi8>) -> (tensor<2xf32>, tensor<2xi8>, tensor<2xf32>, tensor<2xi8>, tensor<2xi64>) {
    %v = loop.load %a[d0, d1] : tensor<2x0xf32> -> f32
    %i = loop.load %b[d0, d1] : tensor<2x0xi8> -> i8
    %s = loop.reduce sum %v over [1] : f32
    %p = loop.reduce prod %i over [1] : i8
    %m = loop.reduce max %v over [1] : f32
    %n = loop.reduce min %i over [1] : i8
    %k = loop.index <d0>
    loop.store %s, 0 [d0] : f32
    loop.store %p, 1 [d0] : i8
    loop.store %m, 2 [d0] : f32
    loop.store %n, 3 [d0] : i8
    loop.store %k, 4 [d0] : i64
  }
  return %y#0, %y#1, %y#2, %y#3, %y#4 : tensor<2xf32>, tensor<2xi8>, tensor<2xf32>, tensor<2xi8>, tensor<2xi64>
}

// A constant summed over a dimension that it does not vary over.
// CHECK-LABEL: @sum_of_constant
// CHECK-NEXT: [4.5] : 1xf32
func.func @sum_of_constant() -> tensor<1xf32> {
  %y = loop.kernel "sum" [1, 3] () : () -> tensor<1xf32> {
    %c = arith.constant 1.5 : f32
    %s = loop.reduce sum %c over [1] : f32
    loop.store %s, 0 [d0] : f32
  }
  return %y : tensor<1xf32>
}

// NaN is the extremum, the first occurrence wins.
// CHECK-LABEL: @arg_max
// CHECK-NEXT: [7, nan] : 2xf32
// CHECK-NEXT: [1, 2] : 2xi64
func.func @arg_max() -> (tensor<2xf32>, tensor<2xi64>) {
  %x = arith.constant dense<[[1.0, 7.0, 7.0, 3.0], [1.0, 9.0, 0x7FC00000, 0x7FC00000]]> : tensor<2x4xf32>
  %y:2 = loop.kernel "argmax" [2, 4] (%a = %x) : (tensor<2x4xf32>) -> (tensor<2xf32>, tensor<2xi64>) {
    %v = loop.load %a[d0, d1] : tensor<2x4xf32> -> f32
    %p = loop.index <d1>
    %m, %w = loop.arg_reduce max %v at %p over [1] : f32
    loop.store %m, 0 [d0] : f32
    loop.store %w, 1 [d0] : i64
  }
  return %y#0, %y#1 : tensor<2xf32>, tensor<2xi64>
}

// An unsigned element is loaded as a signless one; 100 * 200 wraps.
// CHECK-LABEL: @unsigned_elements
// CHECK-NEXT: [255, 200] : 2xui8
// CHECK-NEXT: [56, 32] : 2xui8
func.func @unsigned_elements() -> (tensor<2xui8>, tensor<2xui8>) {
  %x = arith.constant dense<[255, 100]> : tensor<2xui8>
  %z = arith.constant dense<[200, 200]> : tensor<2xui8>
  %y:2 = loop.kernel "u8" [2] (%a = %x, %b = %z) : (tensor<2xui8>, tensor<2xui8>) -> (tensor<2xui8>, tensor<2xui8>) {
    %v = loop.load %a[d0] : tensor<2xui8> -> i8
    %w = loop.load %b[d0] : tensor<2xui8> -> i8
    %m = arith.maxui %v, %w : i8
    %d = arith.muli %v, %w : i8
    loop.store %m, 0 [d0] : i8
    loop.store %d, 1 [d0] : i8
  }
  return %y#0, %y#1 : tensor<2xui8>, tensor<2xui8>
}

// wrap_check counts from the end, clamp goes to the nearest element, and a
// masked load is not done where the mask does not hold.
// CHECK-LABEL: @bounds
// CHECK-NEXT: [3, 1, 2] : 3xi32
// CHECK-NEXT: [1, 1, 2] : 3xi32
// CHECK-NEXT: [-5, 3, 3] : 3xi32
func.func @bounds() -> (tensor<3xi32>, tensor<3xi32>, tensor<3xi32>) {
  %x = arith.constant dense<[1, 2, 3]> : tensor<3xi32>
  %i = arith.constant dense<[-1, 0, 1]> : tensor<3xi64>
  %y:3 = loop.kernel "bounds" [3] (%a = %x, %b = %i) : (tensor<3xi32>, tensor<3xi64>) -> (tensor<3xi32>, tensor<3xi32>, tensor<3xi32>) {
    %p = loop.load %b[d0] : tensor<3xi64> -> i64
    %v = loop.load %a[t0](%p) bounds wrap_check : tensor<3xi32> -> i32
    %w = loop.load %a[t0](%p) bounds clamp : tensor<3xi32> -> i32
    %five = arith.constant -5 : i32
    %two = arith.constant 2 : i64
    %one = arith.constant 1 : i64
    %zero = arith.constant 0 : i64
    %m = arith.cmpi sge, %p, %zero : i64
    %q = arith.addi %p, %one : i64
    %r = arith.remsi %q, %two : i64
    %u = loop.load %a[t0 + d0](%r) bounds trusted mask %m else %five : i32 : tensor<3xi32> -> i32
    loop.store %v, 0 [d0] : i32
    loop.store %w, 1 [d0] : i32
    loop.store %u, 2 [d0] : i32
  }
  return %y#0, %y#1, %y#2 : tensor<3xi32>, tensor<3xi32>, tensor<3xi32>
}

// Integer sums wrap; sums of bf16 round once at the end.
// CHECK-LABEL: @sums
// CHECK-NEXT: -56 : i8
// CHECK-NEXT: 258 : bf16
func.func @sums() -> (tensor<i8>, tensor<bf16>) {
  %x = arith.constant dense<100> : tensor<2xi8>
  %z = arith.constant dense<[256.0, 1.5]> : tensor<2xbf16>
  %y:2 = loop.kernel "sums" [2] (%a = %x, %b = %z) : (tensor<2xi8>, tensor<2xbf16>) -> (tensor<i8>, tensor<bf16>) {
    %v = loop.load %a[d0] : tensor<2xi8> -> i8
    %w = loop.load %b[d0] : tensor<2xbf16> -> bf16
    %s = loop.reduce sum %v over [0] : i8
    %t = loop.reduce sum %w over [0] : bf16
    loop.store %s, 0 [] : i8
    loop.store %t, 1 [] : bf16
  }
  return %y#0, %y#1 : tensor<i8>, tensor<bf16>
}

// CHECK-LABEL: @views_and_calls
// CHECK-NEXT: {{\[}}[1, 3, 5], [2, 4, 6]] : 2x3xf32
func.func @views_and_calls() -> tensor<2x3xf32> {
  %x = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]> : tensor<6xf32>
  %t = loop.view %x[d1 * 2 + d0] : tensor<6xf32> -> tensor<2x3xf32>
  %y = call @identity(%t) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}
func.func private @identity(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  return %x : tensor<2x3xf32>
}
