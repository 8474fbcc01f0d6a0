// RUN: coil-opt %s --loop-fold-roundings | FileCheck %s

// An absolute value, a negation, a maximum, a selection, an integer and twice a number
// that bf16 has: bf16 has them, too.
// CHECK-LABEL: func @exact
// CHECK: %[[X:.*]] = arith.extf
// CHECK-NEXT: %[[ABS:.*]] = math.absf %[[X]]
// CHECK-NEXT: %[[NEG:.*]] = arith.negf %[[ABS]]
// CHECK-NEXT: %[[FLOOR:.*]] = math.floor %[[X]]
// CHECK-NEXT: %[[MAX:.*]] = arith.maximumf %[[NEG]], %[[FLOOR]]
// CHECK-NEXT: %[[TWICE:.*]] = arith.mulf %[[MAX]], %{{.*}} : f32
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[TWICE]], %[[X]]
// CHECK-NEXT: arith.truncf %[[SUM]]
func.func @exact(%x: tensor<7xbf16>) -> tensor<7xbf16> {
  %r = loop.kernel "exact" [7] (%a = %x) : (tensor<7xbf16>) -> tensor<7xbf16> {
    %two = arith.constant 2.0 : f32
    %h = loop.load %a[d0] : tensor<7xbf16> -> bf16
    %v = arith.extf %h : bf16 to f32
    %0 = math.absf %v : f32
    %1 = arith.truncf %0 : f32 to bf16
    %2 = arith.extf %1 : bf16 to f32
    %3 = arith.negf %2 : f32
    %4 = arith.truncf %3 : f32 to bf16
    %5 = arith.extf %4 : bf16 to f32
    %6 = math.floor %v : f32
    %7 = arith.truncf %6 : f32 to bf16
    %8 = arith.extf %7 : bf16 to f32
    %9 = arith.maximumf %5, %8 : f32
    %10 = arith.truncf %9 : f32 to bf16
    %11 = arith.extf %10 : bf16 to f32
    %12 = arith.mulf %11, %two : f32
    %13 = arith.truncf %12 : f32 to bf16
    %14 = arith.extf %13 : bf16 to f32
    %15 = arith.addf %14, %v : f32
    %16 = arith.truncf %15 : f32 to bf16
    loop.store %16, 0[d0] : bf16
  }
  return %r : tensor<7xbf16>
}

// An integer of 8 bits is a bf16, one of 16 is not.
// CHECK-LABEL: func @integers
// CHECK: %[[I8:.*]] = arith.sitofp %{{.*}} : i8 to f32
// CHECK: %[[I16:.*]] = arith.sitofp %{{.*}} : i16 to f32
// CHECK: %[[CUT:.*]] = arith.truncf %[[I16]]
// CHECK: %[[WIDE:.*]] = arith.extf %[[CUT]]
// CHECK: arith.addf %[[I8]], %[[WIDE]]
func.func @integers(%x: tensor<7xi8>, %y: tensor<7xi16>) -> tensor<7xf32> {
  %r = loop.kernel "integers" [7] (%a = %x, %b = %y) : (tensor<7xi8>, tensor<7xi16>) -> tensor<7xf32> {
    %i = loop.load %a[d0] : tensor<7xi8> -> i8
    %j = loop.load %b[d0] : tensor<7xi16> -> i16
    %0 = arith.sitofp %i : i8 to f32
    %1 = arith.truncf %0 : f32 to bf16
    %2 = arith.extf %1 : bf16 to f32
    %3 = arith.sitofp %j : i16 to f32
    %4 = arith.truncf %3 : f32 to bf16
    %5 = arith.extf %4 : bf16 to f32
    %6 = arith.addf %2, %5 : f32
    loop.store %6, 0[d0] : f32
  }
  return %r : tensor<7xf32>
}

// f64 is not what it was rounded from.
// CHECK-LABEL: func @loop_fold_roundings_c1
// CHECK: arith.truncf
// CHECK: arith.extf %{{.*}} : bf16 to f64
func.func @loop_fold_roundings_c1(%x: tensor<7xbf16>) -> tensor<7xf64> {
  %r = loop.kernel "wider" [7] (%a = %x) : (tensor<7xbf16>) -> tensor<7xf64> {
    %h = loop.load %a[d0] : tensor<7xbf16> -> bf16
    %v = arith.extf %h : bf16 to f32
    %0 = math.absf %v : f32
    %1 = arith.truncf %0 : f32 to bf16
    %2 = arith.extf %1 : bf16 to f64
    loop.store %2, 0[d0] : f64
  }
  return %r : tensor<7xf64>
}

// A sum has more digits; half of a subnormal number, and twice a number of f16
// that overflows, are others.
// CHECK-LABEL: func @loop_fold_roundings_c2
// CHECK: arith.addf
// CHECK-NEXT: arith.truncf
// CHECK: arith.mulf
// CHECK-NEXT: arith.truncf
// CHECK: arith.mulf
// CHECK-NEXT: arith.truncf %{{.*}} : f32 to f16
func.func @loop_fold_roundings_c2(%x: tensor<7xbf16>, %y: tensor<7xf16>) -> tensor<7xf32> {
  %r = loop.kernel "rounds" [7] (%a = %x, %b = %y) : (tensor<7xbf16>, tensor<7xf16>) -> tensor<7xf32> {
    %half = arith.constant 0.5 : f32
    %two = arith.constant 2.0 : f32
    %h = loop.load %a[d0] : tensor<7xbf16> -> bf16
    %g = loop.load %b[d0] : tensor<7xf16> -> f16
    %v = arith.extf %h : bf16 to f32
    %0 = arith.addf %v, %v : f32
    %1 = arith.truncf %0 : f32 to bf16
    %2 = arith.extf %1 : bf16 to f32
    %3 = arith.mulf %2, %half : f32
    %4 = arith.truncf %3 : f32 to bf16
    %5 = arith.extf %4 : bf16 to f32
    %w = arith.extf %g : f16 to f32
    %6 = arith.mulf %w, %two : f32
    %7 = arith.truncf %6 : f32 to f16
    %8 = arith.extf %7 : f16 to f32
    %9 = arith.addf %5, %8 : f32
    loop.store %9, 0[d0] : f32
  }
  return %r : tensor<7xf32>
}
