// RUN: coil-interpret %s | FileCheck %s

// A tie rounds to even, and a sum in bf16 rounds after the operation.
// CHECK-LABEL: @bf16_rounding
// CHECK-NEXT: [256, 260, 1] : 3xbf16
func.func @bf16_rounding() -> tensor<3xbf16> {
  %x = arith.constant dense<[256.0, 256.0, 0.99609375]> : tensor<3xbf16>
  %z = arith.constant dense<[1.0, 3.0, 0.001953125]> : tensor<3xbf16>
  %y = loop.kernel "add" [3] (%a = %x, %b = %z) : (tensor<3xbf16>, tensor<3xbf16>) -> tensor<3xbf16> {
    %v = loop.load %a[d0] : tensor<3xbf16> -> bf16
    %w = loop.load %b[d0] : tensor<3xbf16> -> bf16
    %s = arith.addf %v, %w : bf16
    loop.store %s, 0 [d0] : bf16
  }
  return %y : tensor<3xbf16>
}

// CHECK-LABEL: @f16_range
// CHECK-NEXT: [inf, 65504, 6e-08, 0] : 4xf16
func.func @f16_range() -> tensor<4xf16> {
  %x = arith.constant dense<[65520.0, 65519.9961, 3.0e-08, 2.98e-08]> : tensor<4xf32>
  %y = loop.kernel "truncate" [4] (%a = %x) : (tensor<4xf32>) -> tensor<4xf16> {
    %v = loop.load %a[d0] : tensor<4xf32> -> f32
    %s = arith.truncf %v : f32 to f16
    loop.store %s, 0 [d0] : f16
  }
  return %y : tensor<4xf16>
}

// f32 is computed in single precision: 2^24 + 1 is not a float.
// CHECK-LABEL: @f32_precision
// CHECK-NEXT: 0 : f32
// CHECK-NEXT: 1 : f64
func.func @f32_precision() -> (tensor<f32>, tensor<f64>) {
  %y:2 = loop.kernel "precision" [] () : () -> (tensor<f32>, tensor<f64>) {
    %x = arith.constant 16777216.0 : f32
    %z = arith.constant 1.0 : f32
    %s = arith.addf %x, %z : f32
    %d = arith.subf %s, %x : f32
    %dx = arith.extf %x : f32 to f64
    %dz = arith.extf %z : f32 to f64
    %ds = arith.addf %dx, %dz : f64
    %dd = arith.subf %ds, %dx : f64
    loop.store %d, 0 [] : f32
    loop.store %dd, 1 [] : f64
  }
  return %y#0, %y#1 : tensor<f32>, tensor<f64>
}

// Signs of the least integers, and of i1, whose set bit is minus one.
// CHECK-LABEL: @integers
// CHECK-NEXT: -128 : i8
// CHECK-NEXT: 127 : i8
// CHECK-NEXT: true : i1
// CHECK-NEXT: -1 : i32
// CHECK-NEXT: 1 : i32
// CHECK-NEXT: -4 : i32
// CHECK-NEXT: 255 : f32
func.func @integers() -> (tensor<i8>, tensor<i8>, tensor<i1>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<f32>) {
  %y:7 = loop.kernel "integers" [] () : () -> (tensor<i8>, tensor<i8>, tensor<i1>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<f32>) {
    %least = arith.constant -128 : i8
    %one = arith.constant 1 : i8
    %abs = math.absi %least : i8
    %wrapped = arith.subi %least, %one : i8
    %true = arith.constant true
    %false = arith.constant false
    %less = arith.cmpi slt, %true, %false : i1
    %signed = arith.extsi %true : i1 to i32
    %unsigned = arith.extui %true : i1 to i32
    %seven = arith.constant -7 : i32
    %two = arith.constant 2 : i32
    %floor = arith.floordivsi %seven, %two : i32
    %minus = arith.constant -1 : i8
    %f = arith.uitofp %minus : i8 to f32
    loop.store %abs, 0 [] : i8
    loop.store %wrapped, 1 [] : i8
    loop.store %less, 2 [] : i1
    loop.store %signed, 3 [] : i32
    loop.store %unsigned, 4 [] : i32
    loop.store %floor, 5 [] : i32
    loop.store %f, 6 [] : f32
  }
  return %y#0, %y#1, %y#2, %y#3, %y#4, %y#5, %y#6 : tensor<i8>, tensor<i8>, tensor<i1>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<f32>
}

// CHECK-LABEL: @nan_in_comparisons
// CHECK-NEXT: false : i1
// CHECK-NEXT: true : i1
// CHECK-NEXT: nan : f32
// CHECK-NEXT: 1 : f32
func.func @nan_in_comparisons() -> (tensor<i1>, tensor<i1>, tensor<f32>, tensor<f32>) {
  %y:4 = loop.kernel "nan" [] () : () -> (tensor<i1>, tensor<i1>, tensor<f32>, tensor<f32>) {
    %n = arith.constant 0x7FC00000 : f32
    %o = arith.constant 1.0 : f32
    %e = arith.cmpf oeq, %n, %n : f32
    %u = arith.cmpf une, %n, %n : f32
    %m = arith.maximumf %n, %o : f32
    %k = arith.maxnumf %n, %o : f32
    loop.store %e, 0 [] : i1
    loop.store %u, 1 [] : i1
    loop.store %m, 2 [] : f32
    loop.store %k, 3 [] : f32
  }
  return %y#0, %y#1, %y#2, %y#3 : tensor<i1>, tensor<i1>, tensor<f32>, tensor<f32>
}

// CHECK-LABEL: @special_functions
// CHECK-NEXT: 0.5723649 : f32
// CHECK-NEXT: 0.4769362762044699 : f64
func.func @special_functions() -> (tensor<f32>, tensor<f64>) {
  %y:2 = loop.kernel "special" [] () : () -> (tensor<f32>, tensor<f64>) {
    %x = arith.constant 0.5 : f32
    %z = arith.constant 0.5 : f64
    %g = loop.special lgamma(%x) : f32
    %e = loop.special erfinv(%z) : f64
    loop.store %g, 0 [] : f32
    loop.store %e, 1 [] : f64
  }
  return %y#0, %y#1 : tensor<f32>, tensor<f64>
}
