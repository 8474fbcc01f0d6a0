// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper.kernel(convert-loop-to-gpu,canonicalize,cse))' | FileCheck %s

// The pipeline of whole tiles: two tiles of copies ahead of the loop, whose body
// starts the third, part by part, multiplies with the fragments that the last
// round read, and waits for the next tile before it reads from there.
// CHECK-LABEL: wrapper.kernel @pipeline
// CHECK-SAME: geometry = #wrapper.geometry<grid = [64, 1, 1], block = [64, 1, 1], shared = 12288, errors = false>
// CHECK: llvm.mlir.global external @pipeline_shared() {addr_space = 3 : i32, alignment = 1024 : i64}
// CHECK-NOT: scf.if
// CHECK: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = cg
// CHECK: nvvm.cp.async.commit.group
// CHECK: nvvm.cp.async.shared.global
// CHECK: nvvm.cp.async.commit.group
// CHECK: nvvm.cp.async.wait.group 1
// CHECK-NEXT: gpu.barrier
// CHECK: nvvm.ldmatrix %{{.*}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, num = 4 : i32
// CHECK: scf.for
// CHECK: %[[EXISTS:.*]] = arith.cmpi ult
// CHECK: %[[SIZE:.*]] = arith.select %[[EXISTS]], %c16_i32, %c0_i32
// CHECK: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = cg, %[[SIZE]]
// CHECK: nvvm.ldmatrix
// CHECK: nvvm.mma.sync
// CHECK: nvvm.cp.async.shared.global
// CHECK: nvvm.cp.async.commit.group
// CHECK: nvvm.cp.async.wait.group 1
// CHECK-NEXT: gpu.barrier
// CHECK: nvvm.ldmatrix
// CHECK: nvvm.mma.sync
// CHECK: scf.yield
// CHECK: nvvm.cp.async.wait.group 0
// CHECK: gpu.barrier
// CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<3>
// CHECK: gpu.barrier
// CHECK: scf.for
// CHECK-COUNT-2: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
// CHECK-COUNT-2: arith.truncf %{{.*}} : vector<4xf32> to vector<4xbf16>
// CHECK-NOT: scf.if
// CHECK-COUNT-2: llvm.store %{{.*}} : vector<4xbf16>, !llvm.ptr<1>
wrapper.kernel @pipeline(%x: tensor<256x256xbf16>, %w: tensor<256x256xbf16>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[256, 1]>, #sym.shape<[256, 1]>], output_strides = [#sym.shape<[256, 1]>], symbols = []} {
  %0 = loop.kernel "pipeline" [256, 256, 256] (%a = %x, %b = %w) : (tensor<256x256xbf16>, tensor<256x256xbf16>) -> tensor<256x256xbf16> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 4, threads_p = 64, items_p = 2, index_bits = 32, mma = <instruction = m16n8k16, m = 32, n = 32, k = 32, warps_m = 2, warps_n = 1, stages = 3, async = true>> {
    %1 = loop.load %a[d0, d2] : tensor<256x256xbf16> -> bf16
    %2 = loop.load %b[d1, d2] : tensor<256x256xbf16> -> bf16
    %3 = arith.extf %1 : bf16 to f32
    %4 = arith.extf %2 : bf16 to f32
    %5 = arith.mulf %3, %4 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    %7 = arith.truncf %6 : f32 to bf16
    loop.store %7, 0[d0, d1] : bf16
  }
  wrapper.yield %0 : tensor<256x256xbf16>
}

// Rows and columns outside are those of the last one again, summed points zero;
// results outside are not stored.
// CHECK-LABEL: wrapper.kernel @edges
// CHECK: arith.minui
// CHECK: %[[IN:.*]] = arith.cmpi ult
// CHECK: %[[SIZE:.*]] = arith.select %[[IN]], %c16_i32, %c0_i32
// CHECK: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = cg, %[[SIZE]]
// CHECK: scf.if
// CHECK: llvm.store %{{.*}} !llvm.ptr<1>
wrapper.kernel @edges(%x: tensor<200x200xbf16>, %w: tensor<200x200xbf16>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[200, 1]>, #sym.shape<[200, 1]>], output_strides = [#sym.shape<[200, 1]>], symbols = []} {
  %0 = loop.kernel "edges" [200, 200, 200] (%a = %x, %b = %w) : (tensor<200x200xbf16>, tensor<200x200xbf16>) -> tensor<200x200xf32> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 4, threads_p = 64, items_p = 2, index_bits = 32, mma = <instruction = m16n8k16, m = 32, n = 32, k = 32, warps_m = 2, warps_n = 1, stages = 3, async = true>> {
    %1 = loop.load %a[d0, d2] : tensor<200x200xbf16> -> bf16
    %2 = loop.load %b[d1, d2] : tensor<200x200xbf16> -> bf16
    %3 = arith.extf %1 : bf16 to f32
    %4 = arith.extf %2 : bf16 to f32
    %5 = arith.mulf %3, %4 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    loop.store %6, 0[d0, d1] : f32
  }
  wrapper.yield %0 : tensor<200x200xf32>
}

// Without asynchronous copies values are loaded a tile ahead and stored behind
// the products. Each warp sums its part of every tile; both parts are added
// behind the loop.
// CHECK-LABEL: wrapper.kernel @registers
// CHECK-NOT: nvvm.cp.async
// CHECK: scf.for
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK: scf.for
// CHECK: arith.mulf
// CHECK: scf.yield
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
// CHECK: scf.yield
// CHECK-COUNT-2: llvm.load %{{.*}} : !llvm.ptr<3> -> vector<4xf32>
// CHECK: arith.addf
wrapper.kernel @registers(%x: tensor<256x256xf32>, %w: tensor<256x256xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[256, 1]>, #sym.shape<[256, 1]>], output_strides = [#sym.shape<[256, 1]>], symbols = []} {
  %0 = loop.kernel "registers" [256, 256, 256] (%a = %x, %b = %w) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 4, threads_p = 64, items_p = 2, index_bits = 32, mma = <m = 32, n = 32, k = 16, warps_k = 2>> {
    %1 = loop.load %a[d0, d2] : tensor<256x256xf32> -> f32
    %2 = loop.load %b[d1, d2] : tensor<256x256xf32> -> f32
    %5 = arith.mulf %1, %2 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    loop.store %6, 0[d0, d1] : f32
  }
  wrapper.yield %0 : tensor<256x256xf32>
}
