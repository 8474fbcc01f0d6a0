// What the quotients of extreme divisors take is behind a branch also where the divisor is the same for all of a row, and
// is not computed beside the others.
// RUN: coil-compile %s --target=cuda:sm_90a --to=native -o %t.mlir
// RUN: coil-translate --kernels-to-ptx %t.mlir | FileCheck %s

// CHECK-LABEL: .entry quotient
// CHECK-NOT: div.rn
// CHECK: rcp.approx.ftz.f32
// CHECK-NOT: div.rn
// CHECK: bra
// CHECK: div.rn.f32
func.func @main(%x: tensor<64x65536xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %0 = loop.kernel "quotient" [64, 65536] (%a = %x, %b = %y) : (tensor<64x65536xf32>, tensor<64xf32>) -> tensor<64xf32> {
    %v = loop.load %a[d0, d1] : tensor<64x65536xf32> -> f32
    %w = loop.load %b[d0] : tensor<64xf32> -> f32
    %q = arith.divf %v, %w : f32
    %m = loop.reduce max %q over [1] : f32
    loop.store %m, 0 [d0] : f32
  }
  return %0 : tensor<64xf32>
}
