// RUN: coil-opt %s --loop-relax-roundings | FileCheck %s

// B14: a chain is computed in f32 and rounded where it is stored.
// CHECK-LABEL: func.func @chain
// CHECK: %[[M:.*]] = arith.mulf
// CHECK-NEXT: %[[A:.*]] = arith.addf %[[M]], %[[M]]
// CHECK-NEXT: arith.truncf %[[A]]
func.func @chain(%x: tensor<8xbf16>) -> tensor<8xbf16> {
  %0 = loop.kernel "chain" [8] (%in = %x) : (tensor<8xbf16>) -> tensor<8xbf16> {
    %1 = loop.load %in[d0] : tensor<8xbf16> -> bf16
    %2 = arith.extf %1 : bf16 to f32
    %3 = arith.mulf %2, %2 : f32
    %4 = arith.truncf %3 : f32 to bf16
    %5 = arith.extf %4 : bf16 to f32
    %6 = arith.addf %5, %5 : f32
    %7 = arith.truncf %6 : f32 to bf16
    loop.store %7, 0[d0] : bf16
  }
  return %0 : tensor<8xbf16>
}

// CHECK-LABEL: func.func @loop_relax_roundings_c1
// CHECK: arith.truncf %{{.*}} : f64 to bf16
// CHECK: arith.extf %{{.*}} : bf16 to f32
func.func @loop_relax_roundings_c1(%x: tensor<8xf64>) -> tensor<8xf32> {
  %0 = loop.kernel "types" [8] (%in = %x) : (tensor<8xf64>) -> tensor<8xf32> {
    %1 = loop.load %in[d0] : tensor<8xf64> -> f64
    %2 = arith.truncf %1 : f64 to bf16
    %3 = arith.extf %2 : bf16 to f32
    loop.store %3, 0[d0] : f32
  }
  return %0 : tensor<8xf32>
}

// What a comparison sees is what the framework compares; what is selected by it is not.
// CHECK-LABEL: func.func @loop_relax_roundings_c2
// CHECK: %[[M:.*]] = arith.mulf
// CHECK-NEXT: %[[R:.*]] = arith.truncf %[[M]]
// CHECK-NEXT: %[[E:.*]] = arith.extf %[[R]]
// CHECK-NEXT: %[[P:.*]] = arith.cmpf ogt, %[[E]]
// CHECK-NEXT: %[[A:.*]] = arith.addf %{{.*}}, %{{.*}} : f32
// CHECK-NEXT: arith.select %[[P]], %[[A]]
func.func @loop_relax_roundings_c2(%x: tensor<8xf16>, %y: tensor<8xf16>) -> tensor<8xf16> {
  %0 = loop.kernel "compare" [8] (%in = %x, %other = %y) : (tensor<8xf16>, tensor<8xf16>) -> tensor<8xf16> {
    %1 = loop.load %in[d0] : tensor<8xf16> -> f16
    %y1 = loop.load %other[d0] : tensor<8xf16> -> f16
    %2 = arith.extf %1 : f16 to f32
    %y2 = arith.extf %y1 : f16 to f32
    %3 = arith.mulf %2, %2 : f32
    %4 = arith.truncf %3 : f32 to f16
    %5 = arith.extf %4 : f16 to f32
    %6 = arith.cmpf ogt, %5, %y2 : f32
    %7 = arith.addf %y2, %y2 : f32
    %8 = arith.truncf %7 : f32 to f16
    %9 = arith.extf %8 : f16 to f32
    %10 = arith.select %6, %9, %y2 : f32
    %11 = arith.truncf %10 : f32 to f16
    loop.store %11, 0[d0] : f16
  }
  return %0 : tensor<8xf16>
}

// CHECK-LABEL: func.func @loop_relax_roundings_c3
// CHECK: arith.mulf
// CHECK-NEXT: arith.truncf
// CHECK-NEXT: arith.extf
// CHECK-NEXT: arith.addf
// CHECK-NEXT: arith.truncf
func.func @loop_relax_roundings_c3(%x: tensor<8xbf16>) -> tensor<8xbf16> {
  %0 = loop.kernel "strict" [8] (%in = %x) : (tensor<8xbf16>) -> tensor<8xbf16> {
    %1 = loop.load %in[d0] : tensor<8xbf16> -> bf16
    %2 = arith.extf %1 : bf16 to f32
    %3 = arith.mulf %2, %2 : f32
    %4 = arith.truncf %3 : f32 to bf16
    %5 = arith.extf %4 {coil.strict} : bf16 to f32
    %6 = arith.addf %5, %5 {coil.strict} : f32
    %7 = arith.truncf %6 {coil.strict} : f32 to bf16
    loop.store %7, 0[d0] : bf16
  }
  return %0 : tensor<8xbf16>
}
