// Reductions over small windows: a thread loads all of the windows of its
// lanes at once, every element once, in vectors, without branches.

// RUN: coil-compile %s --target=cuda:sm_90a --to=wrapper | FileCheck %s --check-prefix=SCHEDULE
// RUN: coil-compile %s --target=cuda:sm_90a --to=native -o %t.mlir
// RUN: coil-translate --kernels-to-ptx %t.mlir | FileCheck %s --implicit-check-not=.local

// Two windows of 3 x 3 take 5 columns of each row: one is in the vector before.
// SCHEDULE: loop.kernel "max_pool"{{.*}} schedule #loop.gpu_schedule<vector_dim = 2, vector_width = 2, threads_p = 256, items_r = 9, persistent = true, index_bits = 32>
// CHECK-LABEL: .entry max_pool
// CHECK-NOT: bra
// CHECK-COUNT-6: ld.global
// CHECK-NOT: ld.global
// CHECK: st.global.v2.b32
// CHECK: ret
func.func @max_pool(%x: tensor<16384x112x112xf32>) -> tensor<16384x56x56xf32> {
  %0 = loop.kernel "max_pool" [16384, 56, 56, 3, 3] (%a = %x) : (tensor<16384x112x112xf32>) -> tensor<16384x56x56xf32> {
    %zero = arith.constant 0 : i64
    %1 = loop.index <d1 * 2 + d3 - 1>
    %2 = arith.cmpi sge, %1, %zero : i64
    %3 = loop.index <d2 * 2 + d4 - 1>
    %4 = arith.cmpi sge, %3, %zero : i64
    %5 = arith.andi %2, %4 : i1
    %cst = arith.constant 0xFF800000 : f32
    %6 = loop.load %a[d0, d1 * 2 + d3 - 1, d2 * 2 + d4 - 1] mask %5 else %cst : f32 : tensor<16384x112x112xf32> -> f32
    %7 = loop.reduce max %6 over [3, 4] : f32
    loop.store %7, 0[d0, d1, d2] : f32
  }
  return %0 : tensor<16384x56x56xf32>
}

// SCHEDULE: loop.kernel "average"{{.*}} schedule #loop.gpu_schedule<vector_dim = 2, vector_width = 4, threads_p = 256, items_r = 4, persistent = true, index_bits = 32>
// CHECK-LABEL: .entry average
// CHECK-NOT: bra
// CHECK-COUNT-2: ld.global{{.*}}.v4.b32
// CHECK-NOT: ld.global
// CHECK: st.global.v2.b32
// CHECK: ret
func.func @average(%x: tensor<32768x112x112xbf16>) -> tensor<32768x56x56xbf16> {
  %0 = loop.kernel "average" [32768, 56, 56, 2, 2] (%a = %x) : (tensor<32768x112x112xbf16>) -> tensor<32768x56x56xbf16> {
    %1 = loop.load %a[d0, d1 * 2 + d3, d2 * 2 + d4] : tensor<32768x112x112xbf16> -> bf16
    %2 = arith.extf %1 : bf16 to f32
    %3 = loop.reduce sum %2 over [3, 4] : f32
    %cst = arith.constant 2.500000e-01 : f32
    %4 = arith.mulf %3, %cst : f32
    %5 = arith.truncf %4 : f32 to bf16
    loop.store %5, 0[d0, d1, d2] : bf16
  }
  return %0 : tensor<32768x56x56xbf16>
}

// A short reduction of what is contiguous is no window.
// SCHEDULE: loop.kernel "rows"{{.*}} schedule #loop.gpu_schedule<vector_dim = 1,
func.func @rows(%x: tensor<65536x16xf32>) -> tensor<65536xf32> {
  %0 = loop.kernel "rows" [65536, 16] (%a = %x) : (tensor<65536x16xf32>) -> tensor<65536xf32> {
    %1 = loop.load %a[d0, d1] : tensor<65536x16xf32> -> f32
    %2 = loop.reduce sum %1 over [1] : f32
    loop.store %2, 0[d0] : f32
  }
  return %0 : tensor<65536xf32>
}
