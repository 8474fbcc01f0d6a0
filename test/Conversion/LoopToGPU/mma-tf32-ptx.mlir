// Contractions of f32 whose factors are rounded to TF32: tiles come by asynchronous
// copies, fragments by ldmatrix where rows go along the sum, else by words; each
// word is rounded once for each fragment, and nothing goes through local memory.

// RUN: coil-compile %s --target=cuda:sm_90a --library=none --to=native -o %t.mlir
// RUN: coil-translate --kernels-to-ptx %t.mlir | FileCheck %s --implicit-check-not=.local --implicit-check-not=ld.global

// CHECK-LABEL: .entry rows_by_rows
// CHECK: .maxntid 256
// CHECK-COUNT-12: cp.async.cg.shared.global [{{.*}}], [{{.*}}], 16;
// CHECK: cp.async.commit_group
// CHECK: cp.async.wait_group 2
// CHECK-NEXT: bar.sync
// CHECK-COUNT-8: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// A warp's part is 64 x 64: 16 words of each factor, and 32 products.
// CHECK-COUNT-32: cvt.rna.tf32.f32
// CHECK-COUNT-32: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// CHECK: cvt.rna.tf32.f32
// CHECK-COUNT-96: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// CHECK-NOT: mma.sync
// CHECK: cp.async.wait_group 0
// CHECK: st.shared.v2.{{[bf]}}32
// CHECK: bar.sync
// CHECK: ld.shared.v4.{{[bf]}}32
// CHECK: st.global.v4.{{[bf]}}32
// CHECK: ret
func.func @rows_by_rows(%x: tensor<4096x4096xf32>, %w: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %0 = loop.kernel "rows_by_rows" [4096, 4096, 4096] (%a = %x, %b = %w) : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 4, threads_p = 256, items_p = 4, index_bits = 32, mma = <instruction = m16n8k8, m = 128, n = 256, k = 32, warps_m = 2, warps_n = 4, stages = 4, async = true, group = 8>> {
    %1 = loop.load %a[d0, d2] : tensor<4096x4096xf32> -> f32
    %2 = loop.load %b[d1, d2] : tensor<4096x4096xf32> -> f32
    %3 = arith.mulf %1, %2 : f32
    %4 = loop.reduce sum %3 over [2] tf32 : f32
    loop.store %4, 0[d0, d1] : f32
  }
  return %0 : tensor<4096x4096xf32>
}

// CHECK-LABEL: .entry columns_by_columns
// CHECK-NOT: ldmatrix
// CHECK: cp.async.wait_group 2
// CHECK-NOT: ldmatrix
// CHECK-COUNT-32: ld.shared.{{[bu]}}32
// CHECK-NOT: ldmatrix
// CHECK: mma.sync.aligned.m16n8k8
// CHECK: ret
func.func @columns_by_columns(%x: tensor<4096x4096xf32>, %w: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %0 = loop.kernel "columns_by_columns" [4096, 4096, 4096] (%a = %x, %b = %w) : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 4, threads_p = 256, items_p = 4, index_bits = 32, mma = <instruction = m16n8k8, m = 128, n = 256, k = 32, warps_m = 2, warps_n = 4, stages = 4, async = true, group = 8>> {
    %1 = loop.load %a[d2, d0] : tensor<4096x4096xf32> -> f32
    %2 = loop.load %b[d2, d1] : tensor<4096x4096xf32> -> f32
    %3 = arith.mulf %1, %2 : f32
    %4 = loop.reduce sum %3 over [2] tf32 : f32
    loop.store %4, 0[d0, d1] : f32
  }
  return %0 : tensor<4096x4096xf32>
}

// CHECK-LABEL: .entry rows_by_columns
// CHECK: cp.async.wait_group 2
// CHECK-DAG: ldmatrix
// CHECK-DAG: ld.shared.{{[bu]}}32
// CHECK: mma.sync.aligned.m16n8k8
// CHECK: ret
func.func @rows_by_columns(%x: tensor<4096x4096xf32>, %w: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %0 = loop.kernel "rows_by_columns" [4096, 4096, 4096] (%a = %x, %b = %w) : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 4, threads_p = 256, items_p = 4, index_bits = 32, mma = <instruction = m16n8k8, m = 128, n = 256, k = 32, warps_m = 2, warps_n = 4, stages = 4, async = true, group = 8>> {
    %1 = loop.load %a[d0, d2] : tensor<4096x4096xf32> -> f32
    %2 = loop.load %b[d2, d1] : tensor<4096x4096xf32> -> f32
    %3 = arith.mulf %1, %2 : f32
    %4 = loop.reduce sum %3 over [2] tf32 : f32
    loop.store %4, 0[d0, d1] : f32
  }
  return %0 : tensor<4096x4096xf32>
}
