// Sums of rows at sorted positions: accesses of 16 bytes, four rows under way at a time, nothing through local memory,
// no atomic operation. Lengths that no vector divides are read element by element, in the same loops.

// RUN: coil-compile %s --target=cuda:sm_90a --to=native -o %t.mlir
// RUN: coil-translate --kernels-to-ptx %t.mlir | FileCheck %s --implicit-check-not=.local --implicit-check-not=red. --implicit-check-not=atom.

// CHECK-LABEL: .entry rows_bf16
// CHECK-COUNT-4: ld.global.b64
// CHECK-COUNT-4: ld.global.v4.b32
// CHECK:         ld.global.b64
// CHECK:         ld.global.v4.b32
// CHECK:         st.global.v4.b32
// CHECK:         ret
func.func @rows_bf16(%x: tensor<65536x2048xbf16>, %lo: tensor<32768xi64>, %hi: tensor<32768xi64>, %p: tensor<65536xi64>) -> tensor<32768x2048xbf16> {
  %0 = loop.kernel "rows_bf16" [32768, 2048] (%a = %x, %l = %lo, %h = %hi, %q = %p) : (tensor<65536x2048xbf16>, tensor<32768xi64>, tensor<32768xi64>, tensor<65536xi64>) -> tensor<32768x2048xbf16> {
    %1 = loop.load %l[d0] : tensor<32768xi64> -> i64
    %2 = loop.load %h[d0] : tensor<32768xi64> -> i64
    %3 = loop.gather_sum %a[t0, d1] at %q : tensor<65536xi64> from %1 to %2 : tensor<65536x2048xbf16> -> f32
    %4 = arith.truncf %3 : f32 to bf16
    loop.store %4, 0[d0, d1] : bf16
  }
  return %0 : tensor<32768x2048xbf16>
}

// Without positions places are rows.
// CHECK-LABEL: .entry rows_f32
// CHECK-COUNT-2: ld.global.b64
// CHECK-NOT:     ld.global.b64
// CHECK-COUNT-5: ld.global.v4.b32
// CHECK:         st.global.v4.b32
// CHECK:         ret
func.func @rows_f32(%x: tensor<65536x1024xf32>, %lo: tensor<32768xi64>, %hi: tensor<32768xi64>) -> tensor<32768x1024xf32> {
  %0 = loop.kernel "rows_f32" [32768, 1024] (%a = %x, %l = %lo, %h = %hi) : (tensor<65536x1024xf32>, tensor<32768xi64>, tensor<32768xi64>) -> tensor<32768x1024xf32> {
    %1 = loop.load %l[d0] : tensor<32768xi64> -> i64
    %2 = loop.load %h[d0] : tensor<32768xi64> -> i64
    %3 = loop.gather_sum %a[t0, d1] from %1 to %2 : tensor<65536x1024xf32> -> f32
    loop.store %3, 0[d0, d1] : f32
  }
  return %0 : tensor<32768x1024xf32>
}

// CHECK-LABEL: .entry rows_odd
// CHECK-NOT:     v4
// CHECK:         ret
func.func @rows_odd(%x: tensor<4096x1021xf32>, %lo: tensor<32768xi64>, %hi: tensor<32768xi64>) -> tensor<32768x1021xf32> {
  %0 = loop.kernel "rows_odd" [32768, 1021] (%a = %x, %l = %lo, %h = %hi) : (tensor<4096x1021xf32>, tensor<32768xi64>, tensor<32768xi64>) -> tensor<32768x1021xf32> {
    %1 = loop.load %l[d0] : tensor<32768xi64> -> i64
    %2 = loop.load %h[d0] : tensor<32768xi64> -> i64
    %3 = loop.gather_sum %a[t0, d1] from %1 to %2 : tensor<4096x1021xf32> -> f32
    loop.store %3, 0[d0, d1] : f32
  }
  return %0 : tensor<32768x1021xf32>
}
