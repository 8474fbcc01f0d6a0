// Elements next to each other change with one atomic operation of 16 bytes,
// others with one each; nothing goes through local memory. An order takes no
// atomic operation.

// RUN: coil-compile %s --target=cuda:sm_90a --to=native -o %t.mlir
// RUN: coil-translate --kernels-to-ptx %t.mlir | FileCheck %s --implicit-check-not=.local
// RUN: coil-compile %s --target=cuda:sm_80 --to=native -o %t.80.mlir
// RUN: coil-translate --kernels-to-ptx %t.80.mlir | FileCheck %s --check-prefix=OLD --implicit-check-not=.local
// RUN: coil-compile %s --target=cuda:sm_90a --deterministic --to=native -o %t.det.mlir
// RUN: coil-translate --kernels-to-ptx %t.det.mlir | FileCheck %s --check-prefix=DET --implicit-check-not=red. --implicit-check-not=.local

// CHECK-LABEL: .entry rows_f32
// CHECK: ld.global{{.*}}.v4.b32
// CHECK: red.relaxed.gpu.global.add.v4.f32
// CHECK: ret
// OLD-LABEL: .entry rows_f32
// OLD-COUNT-4: atom.global.add.f32
// OLD: ret
// DET-LABEL: .entry rows_f32
// DET: ld.global.v4.b32
// DET: st.global.v4.b32
// DET: ret
func.func @rows_f32(%x: tensor<4096x1024xf32>, %i: tensor<8192xi64>, %v: tensor<8192x1024xf32>) -> tensor<4096x1024xf32> {
  %0 = loop.kernel "rows_f32" [8192, 1024] (%t = %x, %p = %i, %a = %v) : (tensor<4096x1024xf32>, tensor<8192xi64>, tensor<8192x1024xf32>) -> tensor<4096x1024xf32> {
    %1 = loop.load %p[d0] : tensor<8192xi64> -> i64
    %2 = loop.load %a[d0, d1] : tensor<8192x1024xf32> -> f32
    loop.scatter sum %2 into %t[t0, d1](%1) bounds wrap_check as 0 over [0] : f32, tensor<4096x1024xf32>
  }
  return %0 : tensor<4096x1024xf32>
}

// CHECK-LABEL: .entry rows_bf16
// CHECK: red.relaxed.gpu.global.add.noftz.v4.bf16x2
// CHECK: ret
// OLD-LABEL: .entry rows_bf16
// OLD: atom{{.*}}.cas.b32
// OLD: ret
func.func @rows_bf16(%x: tensor<4096x1024xbf16>, %i: tensor<8192xi64>, %v: tensor<8192x1024xbf16>) -> tensor<4096x1024xbf16> {
  %0 = loop.kernel "rows_bf16" [8192, 1024] (%t = %x, %p = %i, %a = %v) : (tensor<4096x1024xbf16>, tensor<8192xi64>, tensor<8192x1024xbf16>) -> tensor<4096x1024xbf16> {
    %1 = loop.load %p[d0] : tensor<8192xi64> -> i64
    %2 = loop.load %a[d0, d1] : tensor<8192x1024xbf16> -> bf16
    loop.scatter sum %2 into %t[t0, d1](%1) bounds wrap_check as 0 over [0] : bf16, tensor<4096x1024xbf16>
  }
  return %0 : tensor<4096x1024xbf16>
}

// CHECK-LABEL: .entry rows_f16
// CHECK: red.relaxed.gpu.global.add.noftz.v4.f16x2
// CHECK: ret
// OLD-LABEL: .entry rows_f16
// OLD-COUNT-4: red.relaxed.gpu.global.add.noftz.f16x2
// OLD: ret
func.func @rows_f16(%x: tensor<4096x1024xf16>, %i: tensor<8192xi64>, %v: tensor<8192x1024xf16>) -> tensor<4096x1024xf16> {
  %0 = loop.kernel "rows_f16" [8192, 1024] (%t = %x, %p = %i, %a = %v) : (tensor<4096x1024xf16>, tensor<8192xi64>, tensor<8192x1024xf16>) -> tensor<4096x1024xf16> {
    %1 = loop.load %p[d0] : tensor<8192xi64> -> i64
    %2 = loop.load %a[d0, d1] : tensor<8192x1024xf16> -> f16
    loop.scatter sum %2 into %t[t0, d1](%1) bounds wrap_check as 0 over [0] : f16, tensor<4096x1024xf16>
  }
  return %0 : tensor<4096x1024xf16>
}

// Rows of 2050 bytes: no alignment is known.
// CHECK-LABEL: .entry odd_rows
// CHECK: red.relaxed.gpu.global.add.noftz.bf16 [
// CHECK: ret
func.func @odd_rows(%x: tensor<4096x1025xbf16>, %i: tensor<8192xi64>, %v: tensor<8192x1025xbf16>) -> tensor<4096x1025xbf16> {
  %0 = loop.kernel "odd_rows" [8192, 1025] (%t = %x, %p = %i, %a = %v) : (tensor<4096x1025xbf16>, tensor<8192xi64>, tensor<8192x1025xbf16>) -> tensor<4096x1025xbf16> {
    %1 = loop.load %p[d0] : tensor<8192xi64> -> i64
    %2 = loop.load %a[d0, d1] : tensor<8192x1025xbf16> -> bf16
    loop.scatter sum %2 into %t[t0, d1](%1) bounds wrap_check as 0 over [0] : bf16, tensor<4096x1025xbf16>
  }
  return %0 : tensor<4096x1025xbf16>
}

// CHECK-LABEL: .entry counts
// CHECK: atom.global.add.u64
// CHECK: ret
// DET-LABEL: .entry counts
// DET: atom.global.add.u64
// DET: ret
func.func @counts(%x: tensor<1000xi64>, %i: tensor<65536xi64>) -> tensor<1000xi64> {
  %0 = loop.kernel "counts" [65536] (%t = %x, %p = %i) : (tensor<1000xi64>, tensor<65536xi64>) -> tensor<1000xi64> {
    %1 = loop.load %p[d0] : tensor<65536xi64> -> i64
    %one = arith.constant 1 : i64
    loop.scatter sum %one into %t[t0](%1) bounds check as 0 over [0] : i64, tensor<1000xi64>
  }
  return %0 : tensor<1000xi64>
}

// Without a kind the elements of a vector are written together.
// CHECK-LABEL: .entry rows_written
// CHECK: st.relaxed.gpu.global.v2.b64
// CHECK: ret
func.func @rows_written(%x: tensor<4096x1024xf32>, %i: tensor<8192xi64>, %v: tensor<8192x1024xf32>) -> tensor<4096x1024xf32> {
  %0 = loop.kernel "rows_written" [8192, 1024] (%t = %x, %p = %i, %a = %v) : (tensor<4096x1024xf32>, tensor<8192xi64>, tensor<8192x1024xf32>) -> tensor<4096x1024xf32> {
    %1 = loop.load %p[d0] : tensor<8192xi64> -> i64
    %2 = loop.load %a[d0, d1] : tensor<8192x1024xf32> -> f32
    loop.scatter %2 into %t[t0, d1](%1) bounds wrap_check as 0 over [0] : f32, tensor<4096x1024xf32>
  }
  return %0 : tensor<4096x1024xf32>
}

// No instruction multiplies: compare and swap.
// CHECK-LABEL: .entry products
// CHECK: ld.relaxed.gpu.global.b32
// CHECK: atom.relaxed.gpu.global.cas.b32
// CHECK: ret
func.func @products(%x: tensor<1000xf32>, %i: tensor<65536xi64>, %v: tensor<65536xf32>) -> tensor<1000xf32> {
  %0 = loop.kernel "products" [65536] (%t = %x, %p = %i, %a = %v) : (tensor<1000xf32>, tensor<65536xi64>, tensor<65536xf32>) -> tensor<1000xf32> {
    %1 = loop.load %p[d0] : tensor<65536xi64> -> i64
    %2 = loop.load %a[d0] : tensor<65536xf32> -> f32
    loop.scatter prod %2 into %t[t0](%1) bounds wrap_check as 0 over [0] : f32, tensor<1000xf32>
  }
  return %0 : tensor<1000xf32>
}
