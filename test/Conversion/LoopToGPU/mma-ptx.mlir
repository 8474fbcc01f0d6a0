// Contractions on tensor cores: tiles come by asynchronous copies of 16 bytes,
// fragments by ldmatrix, and nothing goes through local memory.

// RUN: coil-compile %s --target=cuda:sm_90a --library=none --to=native -o %t.mlir
// RUN: coil-translate --kernels-to-ptx %t.mlir | FileCheck %s --implicit-check-not=.local --implicit-check-not=ld.global

// A tile of 128 x 256 x 64 of both factors in each of four stages: 4 + 8 copies
// of every thread for a tile, three tiles ahead.
// CHECK: .extern .shared .align 1024 .b8 rows_by_rows{{.*}}_shared[];
// CHECK-LABEL: .entry rows_by_rows
// CHECK: .maxntid 256
// CHECK-COUNT-12: cp.async.cg.shared.global [{{.*}}], [{{.*}}], 16;
// CHECK: cp.async.commit_group
// CHECK-COUNT-12: cp.async.cg.shared.global
// CHECK: cp.async.commit_group
// CHECK-COUNT-12: cp.async.cg.shared.global
// CHECK: cp.async.commit_group
// CHECK: cp.async.wait_group 2
// CHECK-NEXT: bar.sync
// Fragments of the first step, then three more for each tile and the first of
// the next: 4 for each factor.
// CHECK-COUNT-8: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK-COUNT-96: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// CHECK: cp.async.wait_group 2
// CHECK-NEXT: bar.sync
// CHECK-COUNT-8: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK-COUNT-32: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// CHECK-NOT: mma.sync
// CHECK: cp.async.wait_group 0
// Sums go through shared memory, so that rows are stored 16 bytes at a time.
// CHECK: st.shared.v2.{{[bf]}}32
// CHECK: bar.sync
// CHECK: ld.shared.v4.{{[bf]}}32
// CHECK: st.global.v4.b32
// CHECK: ret
func.func @rows_by_rows(%x: tensor<8192x4096xbf16>, %w: tensor<16384x4096xbf16>) -> tensor<8192x16384xbf16> {
  %0 = loop.kernel "rows_by_rows" [8192, 16384, 4096] (%a = %x, %b = %w) : (tensor<8192x4096xbf16>, tensor<16384x4096xbf16>) -> tensor<8192x16384xbf16> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 8, threads_p = 256, items_p = 4, index_bits = 32, mma = <instruction = m16n8k16, m = 128, n = 256, k = 64, warps_m = 2, warps_n = 4, stages = 4, async = true, group = 8>> {
    %1 = loop.load %a[d0, d2] : tensor<8192x4096xbf16> -> bf16
    %2 = loop.load %b[d1, d2] : tensor<16384x4096xbf16> -> bf16
    %3 = arith.extf %1 : bf16 to f32
    %4 = arith.extf %2 : bf16 to f32
    %5 = arith.mulf %3, %4 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    %7 = arith.truncf %6 : f32 to bf16
    loop.store %7, 0[d0, d1] : bf16
  }
  return %0 : tensor<8192x16384xbf16>
}

// Factors whose rows do not go along the sum are transposed on the way to
// registers.
// CHECK-LABEL: .entry columns_by_columns
// CHECK-COUNT-8: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK: ret
func.func @columns_by_columns(%x: tensor<4096x8192xf16>, %w: tensor<4096x4096xf16>) -> tensor<8192x4096xf16> {
  %0 = loop.kernel "columns_by_columns" [8192, 4096, 4096] (%a = %x, %b = %w) : (tensor<4096x8192xf16>, tensor<4096x4096xf16>) -> tensor<8192x4096xf16> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 8, threads_p = 256, items_p = 4, index_bits = 32, mma = <instruction = m16n8k16, m = 128, n = 256, k = 64, warps_m = 2, warps_n = 4, stages = 4, async = true, group = 8>> {
    %1 = loop.load %a[d2, d0] : tensor<4096x8192xf16> -> f16
    %2 = loop.load %b[d2, d1] : tensor<4096x4096xf16> -> f16
    %3 = arith.extf %1 : f16 to f32
    %4 = arith.extf %2 : f16 to f32
    %5 = arith.mulf %3, %4 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    %7 = arith.truncf %6 : f32 to f16
    loop.store %7, 0[d0, d1] : f16
  }
  return %0 : tensor<8192x4096xf16>
}

// What is outside along the sum is copied as zeros, without a branch.
// CHECK-LABEL: .entry tail
// CHECK: selp.b32 [[SIZE:%r[0-9]+]], 16, 0
// CHECK: cp.async.cg.shared.global [{{.*}}], [{{.*}}], 16, [[SIZE]];
// CHECK: ret
func.func @tail(%x: tensor<1000x1000xbf16>, %w: tensor<1000x1000xbf16>) -> tensor<1000x1000xf32> {
  %0 = loop.kernel "tail" [1000, 1000, 1000] (%a = %x, %b = %w) : (tensor<1000x1000xbf16>, tensor<1000x1000xbf16>) -> tensor<1000x1000xf32> {
    %1 = loop.load %a[d0, d2] : tensor<1000x1000xbf16> -> bf16
    %2 = loop.load %b[d1, d2] : tensor<1000x1000xbf16> -> bf16
    %3 = arith.extf %1 : bf16 to f32
    %4 = arith.extf %2 : bf16 to f32
    %5 = arith.mulf %3, %4 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    loop.store %6, 0[d0, d1] : f32
  }
  return %0 : tensor<1000x1000xf32>
}

// Ordinary instructions read shared memory 16 bytes at a time: four for each
// row and each column of 8 x 8 results of a thread.
// CHECK-LABEL: .entry singles
// CHECK: cp.async.cg.shared.global
// CHECK-COUNT-16: ld.shared.v4.{{[bf]}}32
// CHECK-COUNT-256: fma.rn.f32
// CHECK-NOT: fma.rn.f32
// CHECK: ret
func.func @singles(%x: tensor<4096x4096xf32>, %w: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %0 = loop.kernel "singles" [4096, 4096, 4096] (%a = %x, %b = %w) : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
    %1 = loop.load %a[d0, d2] : tensor<4096x4096xf32> -> f32
    %2 = loop.load %b[d2, d1] : tensor<4096x4096xf32> -> f32
    %3 = arith.mulf %1, %2 : f32
    %4 = loop.reduce sum %3 over [2] : f32
    loop.store %4, 0[d0, d1] : f32
  }
  return %0 : tensor<4096x4096xf32>
}

// CHECK-LABEL: .entry doubles
// CHECK: mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64
// CHECK: ret
func.func @doubles(%x: tensor<1024x1024xf64>, %w: tensor<1024x1024xf64>) -> tensor<1024x1024xf64> {
  %0 = loop.kernel "doubles" [1024, 1024, 1024] (%a = %x, %b = %w) : (tensor<1024x1024xf64>, tensor<1024x1024xf64>) -> tensor<1024x1024xf64> {
    %1 = loop.load %a[d0, d2] : tensor<1024x1024xf64> -> f64
    %2 = loop.load %b[d1, d2] : tensor<1024x1024xf64> -> f64
    %3 = arith.mulf %1, %2 : f64
    %4 = loop.reduce sum %3 over [2] : f64
    loop.store %4, 0[d0, d1] : f64
  }
  return %0 : tensor<1024x1024xf64>
}

// Four warps together: tiles are read by the instruction, behind a fence and a
// barrier, and there are no fragments.
// CHECK-LABEL: .entry groups
// CHECK: .maxntid 256
// CHECK-NOT: ldmatrix
// CHECK: cp.async.wait_group 2
// CHECK-NEXT: fence.proxy.async.shared::cta
// CHECK-NEXT: bar.sync
// CHECK: wgmma.fence.sync.aligned
// CHECK-COUNT-4: wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16
// CHECK: wgmma.commit_group.sync.aligned
// CHECK: wgmma.wait_group.sync.aligned 0
// CHECK: ret
func.func @groups(%x: tensor<8192x4096xbf16>, %w: tensor<16384x4096xbf16>) -> tensor<8192x16384xbf16> {
  %0 = loop.kernel "groups" [8192, 16384, 4096] (%a = %x, %b = %w) : (tensor<8192x4096xbf16>, tensor<16384x4096xbf16>) -> tensor<8192x16384xbf16> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 8, threads_p = 256, items_p = 4, index_bits = 32, mma = <instruction = wgmma, m = 128, n = 256, k = 64, warps_m = 8, stages = 4, async = true, group = 8>> {
    %1 = loop.load %a[d0, d2] : tensor<8192x4096xbf16> -> bf16
    %2 = loop.load %b[d1, d2] : tensor<16384x4096xbf16> -> bf16
    %3 = arith.extf %1 : bf16 to f32
    %4 = arith.extf %2 : bf16 to f32
    %5 = arith.mulf %3, %4 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    %7 = arith.truncf %6 : f32 to bf16
    loop.store %7, 0[d0, d1] : bf16
  }
  return %0 : tensor<8192x16384xbf16>
}
