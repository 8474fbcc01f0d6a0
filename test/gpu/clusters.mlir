// REQUIRES: cuda-sim
// RUN: coil-compile %s --target=cuda:sm_90a --library=none --to=wrapper | FileCheck %s
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp

// Rows too long for the registers of one block, or too few for all processors:
// the blocks of a cluster share them. Of an odd length, so that vectors begin
// between aligned addresses; with several reductions that need one another; with
// moments and positions, which are several values each; and so long that threads
// keep what they loaded in shared memory.

// CHECK-DAG: loop.kernel {{.*}} [3, 50021] {{.*}}persistent = true{{.*}}cluster = 8>
// CHECK-DAG: loop.kernel {{.*}} [2, 131072] {{.*}}persistent = true{{.*}}cluster = 8>
// CHECK-DAG: loop.kernel {{.*}} [5, 9001] {{.*}}persistent = true{{.*}}cluster = 2>
func.func @main(%x: tensor<3x50021xbf16>, %y: tensor<2x131072xf32>, %u: tensor<5x9001xf32>, %z: tensor<2x400000xbf16>) -> (tensor<3x50021xbf16>, tensor<2x131072xf32>, tensor<5xf32>, tensor<5xi64>, tensor<2x400000xbf16>) {
  %xf = graph.convert %x : (tensor<3x50021xbf16>) -> tensor<3x50021xf32>
  %m = graph.reduce max, %xf dims [1] keepdims : (tensor<3x50021xf32>) -> tensor<3x1xf32>
  %c = graph.sub %xf, %m : (tensor<3x50021xf32>, tensor<3x1xf32>) -> tensor<3x50021xf32>
  %e = graph.exp %c : (tensor<3x50021xf32>) -> tensor<3x50021xf32>
  %s = graph.reduce sum, %e dims [1] keepdims : (tensor<3x50021xf32>) -> tensor<3x1xf32>
  %r = graph.div %e, %s : (tensor<3x50021xf32>, tensor<3x1xf32>) -> tensor<3x50021xf32>
  %rb = graph.convert %r : (tensor<3x50021xf32>) -> tensor<3x50021xbf16>

  %lo = graph.reduce min, %y dims [1] keepdims : (tensor<2x131072xf32>) -> tensor<2x1xf32>
  %d = graph.sub %y, %lo : (tensor<2x131072xf32>, tensor<2x1xf32>) -> tensor<2x131072xf32>
  %hi = graph.reduce max, %d dims [1] keepdims : (tensor<2x131072xf32>) -> tensor<2x1xf32>
  %q = graph.div %d, %hi : (tensor<2x131072xf32>, tensor<2x1xf32>) -> tensor<2x131072xf32>

  %found:2 = loop.kernel "squares+argmax" [5, 9001] (%a = %u) : (tensor<5x9001xf32>) -> (tensor<5xf32>, tensor<5xi64>) {
    %v = loop.load %a[d0, d1] : tensor<5x9001xf32> -> f32
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %mean, %m2, %count = loop.welford %v, %zero, %one over [1] : f32
    %at = loop.index <d1>
    %best, %where = loop.arg_reduce max %v at %at over [1] : f32
    loop.store %m2, 0 [d0] : f32
    loop.store %where, 1 [d0] : i64
  }

  %kept = loop.kernel "kept" [2, 400000] (%a = %z) : (tensor<2x400000xbf16>) -> tensor<2x400000xbf16> schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 8, threads_r = 1024, items_r = 7, persistent = true, min_blocks = 1, index_bits = 32, cluster = 8> {
    %v = loop.load %a[d0, d1] : tensor<2x400000xbf16> -> bf16
    %f = arith.extf %v : bf16 to f32
    %best = loop.reduce max %f over [1] : f32
    %sub = arith.subf %f, %best : f32
    %t = arith.truncf %sub : f32 to bf16
    loop.store %t, 0 [d0, d1] : bf16
  }
  return %rb, %q, %found#0, %found#1, %kept : tensor<3x50021xbf16>, tensor<2x131072xf32>, tensor<5xf32>, tensor<5xi64>, tensor<2x400000xbf16>
}
