// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp

// Boxes of one dimension, of sides beyond the extents, with threads that have
// no point, and with sides that groups of threads cross.
func.func @main(%x: tensor<5x7x23xf32>, %y: tensor<23x7x5xf32>, %p: tensor<5x21xf32>) -> (tensor<5x7x23xf32>, tensor<23x5x7xf32>, tensor<5x23x7xf32>) {
  %0 = loop.kernel "one" [5, 7, 23] (%a = %x, %b = %y) : (tensor<5x7x23xf32>, tensor<23x7x5xf32>) -> tensor<5x7x23xf32>
      schedule #loop.gpu_schedule<strategy = box, vector_dim = 2, threads_p = 32, box_dims = [2], box = [100]> {
    %v = loop.load %a[d0, d1, d2] : tensor<5x7x23xf32> -> f32
    %w = loop.load %b[d2, d1, d0] : tensor<23x7x5xf32> -> f32
    %r = arith.addf %v, %w : f32
    loop.store %r, 0[d0, d1, d2] : f32
  }
  %1 = loop.kernel "crossed" [5, 7, 23] (%a = %x, %b = %y) : (tensor<5x7x23xf32>, tensor<23x7x5xf32>) -> tensor<23x5x7xf32>
      schedule #loop.gpu_schedule<strategy = box, vector_dim = 1, threads_p = 96, index_bits = 32, box_dims = [1, 0, 2], box = [6, 5, 9]> {
    %v = loop.load %a[d0, d1, d2] : tensor<5x7x23xf32> -> f32
    %w = loop.load %b[d2, d1, d0] : tensor<23x7x5xf32> -> f32
    %r = arith.mulf %v, %w : f32
    loop.store %r, 0[d2, d0, d1] : f32
  }
  // What is outside of the operand is one.
  %2 = loop.kernel "masked" [5, 23, 7] (%a = %p, %b = %y) : (tensor<5x21xf32>, tensor<23x7x5xf32>) -> tensor<5x23x7xf32>
      schedule #loop.gpu_schedule<strategy = box, vector_dim = 0, threads_p = 64, index_bits = 32, box_dims = [0, 2, 1], box = [5, 4, 32]> {
    %one = arith.constant 1.0 : f32
    %end = loop.index <21>
    %at = loop.index <d1>
    %in = arith.cmpi slt, %at, %end : i64
    %v = loop.load %a[d0, d1] mask %in else %one : f32 : tensor<5x21xf32> -> f32
    %w = loop.load %b[d1, d2, d0] : tensor<23x7x5xf32> -> f32
    %r = arith.addf %v, %w : f32
    loop.store %r, 0[d0, d1, d2] : f32
  }
  return %0, %1, %2 : tensor<5x7x23xf32>, tensor<23x5x7xf32>, tensor<5x23x7xf32>
}
