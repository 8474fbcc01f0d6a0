// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --random-inputs --reference=interp --rtol=1e-5 --atol=1e-6

// Loops over rows that load a step ahead: whole tiles and what is left, rows that
// begin between two aligned addresses, rows shorter than a tile, vectors across
// rows, two operands, and elements of 8, 16 and 64 bits. The second loop of a
// softmax, whose points are written, loads ahead, too.
func.func @main(%x: tensor<7x300xbf16>, %y: tensor<5x1003xbf16>, %z: tensor<6x40xf32>, %w : tensor<3x100x64xf32>, %u: tensor<5x1000xf32>, %v: tensor<5x1000xf32>, %d: tensor<4x777xf64>, %i: tensor<5x999xi8>)
    -> (tensor<7x300xbf16>, tensor<5xf32>, tensor<5xf32>, tensor<6xf32>, tensor<3x1x64xf32>, tensor<5xf32>, tensor<5xi64>, tensor<4xf64>, tensor<5xi32>) {
  %softmax = loop.kernel "softmax" [7, 300] (%in = %x) : (tensor<7x300xbf16>) -> tensor<7x300xbf16> schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 4, threads_r = 16, items_r = 2, index_bits = 32, prefetch = true> {
    %1 = loop.load %in[d0, d1] : tensor<7x300xbf16> -> bf16
    %2 = arith.extf %1 : bf16 to f32
    %3 = loop.reduce max %2 over [1] : f32
    %4 = arith.subf %2, %3 : f32
    %5 = math.exp %4 : f32
    %6 = loop.reduce sum %5 over [1] : f32
    %7 = arith.divf %5, %6 : f32
    %8 = arith.truncf %7 : f32 to bf16
    loop.store %8, 0[d0, d1] : bf16
  }
  // 125 vectors: one in front, three tiles of 32, the rest.
  %most, %sum = loop.kernel "odd" [5, 1003] (%in = %y) : (tensor<5x1003xbf16>) -> (tensor<5xf32>, tensor<5xf32>) schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 8, threads_r = 16, items_r = 2, index_bits = 32, align_to = 0, prefetch = true> {
    %1 = loop.load %in[d0, d1] : tensor<5x1003xbf16> -> bf16
    %2 = arith.extf %1 : bf16 to f32
    %3 = loop.reduce max %2 over [1] : f32
    %4 = arith.subf %2, %3 : f32
    %5 = math.exp %4 : f32
    %6 = loop.reduce sum %5 over [1] : f32
    loop.store %3, 0[d0] : f32
    loop.store %6, 1[d0] : f32
  }
  %short = loop.kernel "short" [6, 40] (%in = %z) : (tensor<6x40xf32>) -> tensor<6xf32> schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 4, threads_r = 32, items_r = 2, index_bits = 32, prefetch = true> {
    %1 = loop.load %in[d0, d1] : tensor<6x40xf32> -> f32
    %3 = loop.reduce sum %1 over [1] : f32
    loop.store %3, 0[d0] : f32
  }
  %columns = loop.kernel "columns" [3, 100, 64] (%in = %w) : (tensor<3x100x64xf32>) -> (tensor<3x1x64xf32>) schedule #loop.gpu_schedule<vector_dim = 2, vector_width = 4, threads_p = 8, threads_r = 4, items_p = 2, items_r = 4, index_bits = 32, prefetch = true> {
    %1 = loop.load %in[d0, d1, d2] : tensor<3x100x64xf32> -> f32
    %3 = loop.reduce sum %1 over [1] : f32
    loop.store %3, 0[d0, 0, d2] : f32
  }
  %product, %where = loop.kernel "two" [5, 1000] (%a = %u, %b = %v) : (tensor<5x1000xf32>, tensor<5x1000xf32>) -> (tensor<5xf32>, tensor<5xi64>) schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 4, threads_r = 32, items_r = 2, index_bits = 32, prefetch = true> {
    %1 = loop.load %a[d0, d1] : tensor<5x1000xf32> -> f32
    %2 = loop.load %b[d0, d1] : tensor<5x1000xf32> -> f32
    %3 = arith.mulf %1, %2 : f32
    %4 = loop.reduce sum %3 over [1] : f32
    %5 = loop.index <d1>
    %6, %7 = loop.arg_reduce max %3 at %5 over [1] : f32
    loop.store %4, 0[d0] : f32
    loop.store %7, 1[d0] : i64
  }
  %wide = loop.kernel "wide" [4, 777] (%in = %d) : (tensor<4x777xf64>) -> tensor<4xf64> schedule #loop.gpu_schedule<vector_dim = 1, threads_r = 64, items_r = 4, index_bits = 32, prefetch = true> {
    %1 = loop.load %in[d0, d1] : tensor<4x777xf64> -> f64
    %3 = loop.reduce sum %1 over [1] : f64
    loop.store %3, 0[d0] : f64
  }
  %bytes = loop.kernel "bytes" [5, 999] (%in = %i) : (tensor<5x999xi8>) -> tensor<5xi32> schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 16, threads_r = 8, items_r = 2, index_bits = 32, align_to = 0, prefetch = true> {
    %1 = loop.load %in[d0, d1] : tensor<5x999xi8> -> i8
    %2 = arith.extsi %1 : i8 to i32
    %3 = loop.reduce sum %2 over [1] : i32
    loop.store %3, 0[d0] : i32
  }
  return %softmax, %most, %sum, %short, %columns, %product, %where, %wide, %bytes : tensor<7x300xbf16>, tensor<5xf32>, tensor<5xf32>, tensor<6xf32>, tensor<3x1x64xf32>, tensor<5xf32>, tensor<5xi64>, tensor<4xf64>, tensor<5xi32>
}
