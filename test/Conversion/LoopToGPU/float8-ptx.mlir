// Floats of 8 bits are loaded and stored 16 at a time, and converted by
// instructions of pairs, which older chips do not have.

// RUN: coil-compile %s --target=cuda:sm_90a --to=native -o %t.mlir
// RUN: coil-translate --kernels-to-ptx %t.mlir | FileCheck %s --implicit-check-not=.local
// RUN: coil-compile %s --target=cuda:sm_80 --to=native -o %t.80.mlir
// RUN: coil-translate --kernels-to-ptx %t.80.mlir | FileCheck %s --check-prefix=OLD --implicit-check-not=.local --implicit-check-not=e4m3

// CHECK-LABEL: .entry to_bytes
// CHECK: ld.global{{(.nc)?}}.v4.b32
// CHECK-COUNT-8: cvt.rn.satfinite.e4m3x2.f32
// CHECK: st.global.v4.b32
// CHECK: ret
// OLD-LABEL: .entry to_bytes
// OLD: st.global.v4.b32
// OLD: ret
func.func @to_bytes(%x: tensor<8192x4096xi8>) -> tensor<8192x4096xf8E4M3FN> {
  %0 = loop.kernel "to_bytes" [8192, 4096] (%a = %x) : (tensor<8192x4096xi8>) -> tensor<8192x4096xf8E4M3FN> {
    %1 = loop.load %a[d0, d1] : tensor<8192x4096xi8> -> i8
    %2 = arith.sitofp %1 : i8 to f32
    %h = arith.constant 5.000000e-01 : f32
    %3 = arith.mulf %2, %h : f32
    %4 = arith.truncf %3 : f32 to f8E4M3FN
    loop.store %4, 0 [d0, d1] : f8E4M3FN
  }
  return %0 : tensor<8192x4096xf8E4M3FN>
}

// CHECK-LABEL: .entry from_bytes
// CHECK: ld.global{{(.nc)?}}.v4.b16
// CHECK-COUNT-4: cvt.rn.f16x2.e5m2x2
// CHECK: st.global.v4.b32
// CHECK: ret
func.func @from_bytes(%x: tensor<8192x4096xf8E5M2>) -> tensor<8192x4096xbf16> {
  %0 = loop.kernel "from_bytes" [8192, 4096] (%a = %x) : (tensor<8192x4096xf8E5M2>) -> tensor<8192x4096xbf16> {
    %1 = loop.load %a[d0, d1] : tensor<8192x4096xf8E5M2> -> f8E5M2
    %2 = arith.extf %1 : f8E5M2 to bf16
    loop.store %2, 0 [d0, d1] : bf16
  }
  return %0 : tensor<8192x4096xbf16>
}
