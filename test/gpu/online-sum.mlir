// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --random-inputs --reference=interp --rtol=1e-5 --atol=1e-6

// A maximum and the sum of exponentials below it, in one loop: vectors along the
// row, an odd row, and vectors across rows; then rows with infinities and NaNs.
func.func @main(%x: tensor<7x300xbf16>, %y: tensor<5x1000xf32>, %w : tensor<3x100x64xf32>) -> (tensor<7x300xbf16>, tensor<5x1xf32>, tensor<5x1xf32>, tensor<3x1x64xf32>, tensor<6xf32>, tensor<6xf32>) {
  %0 = loop.kernel "softmax" [7, 300] (%in = %x) : (tensor<7x300xbf16>) -> tensor<7x300xbf16> schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 4, threads_r = 32, items_r = 2, index_bits = 32> {
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
  %a, %bb = loop.kernel "lse" [5, 1000] (%in = %y) : (tensor<5x1000xf32>) -> (tensor<5x1xf32>, tensor<5x1xf32>) schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 4, threads_r = 64, items_r = 2, index_bits = 32> {
      %1 = loop.load %in[d0, d1] : tensor<5x1000xf32> -> f32
      %3 = loop.reduce max %1 over [1] : f32
      %4 = arith.subf %1, %3 : f32
      %5 = math.exp %4 : f32
      %6 = loop.reduce sum %5 over [1] : f32
      loop.store %3, 0[d0, 0] : f32
      loop.store %6, 1[d0, 0] : f32
  }
  %c = loop.kernel "cols" [3, 100, 64] (%in = %w) : (tensor<3x100x64xf32>) -> (tensor<3x1x64xf32>) schedule #loop.gpu_schedule<vector_dim = 2, vector_width = 4, threads_p = 16, threads_r = 8, items_r = 2, index_bits = 32> {
      %1 = loop.load %in[d0, d1, d2] : tensor<3x100x64xf32> -> f32
      %3 = loop.reduce max %1 over [1] : f32
      %4 = arith.subf %1, %3 : f32
      %5 = math.exp %4 : f32
      %6 = loop.reduce sum %5 over [1] : f32
      loop.store %6, 0[d0, 0, d2] : f32
  }
  %special = graph.constant dense<[[0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000,0xFF800000,0xFF800000,0xFF800000],[0xFF800000, 1.0, 2.0, 3.0, 0xFF800000,0xFF800000,0xFF800000,0xFF800000],[1.0, 0x7F800000, 2.0, 3.0,1.0,1.0,1.0,1.0],[1.0, 0x7FC00000, 0x7F800000, 3.0,1.0,1.0,1.0,1.0],[-3.0e38, 1.0, 2.0, 3.0e38,1.0,1.0,1.0,1.0],[0xFF800000,0xFF800000,0xFF800000,0xFF800000,0xFF800000,0xFF800000,0xFF800000,5.0]]> : tensor<6x8xf32>
  %e, %f = loop.kernel "lse" [6, 8] (%in = %special) : (tensor<6x8xf32>) -> (tensor<6xf32>, tensor<6xf32>) schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 2, threads_r = 2, items_r = 1, index_bits = 32> {
      %1 = loop.load %in[d0, d1] : tensor<6x8xf32> -> f32
      %3 = loop.reduce max %1 over [1] : f32
      %4 = arith.subf %1, %3 : f32
      %5 = math.exp %4 : f32
      %6 = loop.reduce sum %5 over [1] : f32
      loop.store %3, 0[d0] : f32
      loop.store %6, 1[d0] : f32
  }
  return %0, %a, %bb, %c, %e, %f : tensor<7x300xbf16>, tensor<5x1xf32>, tensor<5x1xf32>, tensor<3x1x64xf32>, tensor<6xf32>, tensor<6xf32>
}
