// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --random-inputs --reference=interp --rtol=1e-5 --atol=1e-6

// Schedules that no selector chooses compute the same, too: rows whose loads all
// have masks, or that have no points, with loads ahead; two items for the one
// result of all elements, which whole blocks share; rows that begin between
// aligned addresses, and end up to two vectors behind the last whole one, by one
// thread each.
func.func @main(%x: tensor<7x300xf32>, %y: tensor<3x0xf32>, %z: tensor<40x50xi32>, %w: tensor<14x39xbf16>)
    -> (tensor<9xf32>, tensor<3xf32>, tensor<i32>, tensor<14x39xbf16>) {
  %0 = loop.kernel "pad+sum" [9, 301] (%in = %x) : (tensor<7x300xf32>) -> tensor<9xf32> schedule #loop.gpu_schedule<vector_dim = 1, threads_p = 2, threads_r = 32, items_r = 3, index_bits = 32, prefetch = true> {
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : i64
    %row = loop.index <d0 - 1>
    %rows = loop.index <7>
    %above = arith.cmpi sge, %row, %c0 : i64
    %below = arith.cmpi slt, %row, %rows : i64
    %column = loop.index <d1>
    %columns = loop.index <300>
    %left = arith.cmpi slt, %column, %columns : i64
    %inside = arith.andi %above, %below : i1
    %both = arith.andi %inside, %left : i1
    %v = loop.load %in[d0 - 1, d1] mask %both else %zero : f32 : tensor<7x300xf32> -> f32
    %s = loop.reduce sum %v over [1] : f32
    loop.store %s, 0[d0] : f32
  }
  %1 = loop.kernel "empty" [3, 0] (%in = %y) : (tensor<3x0xf32>) -> tensor<3xf32> schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 2, threads_p = 32, threads_r = 2, index_bits = 32, prefetch = true> {
    %v = loop.load %in[d0, d1] : tensor<3x0xf32> -> f32
    %s = loop.reduce sum %v over [1] : f32
    loop.store %s, 0[d0] : f32
  }
  %2 = loop.kernel "least" [40, 50] (%in = %z) : (tensor<40x50xi32>) -> tensor<i32> schedule #loop.gpu_schedule<threads_r = 256, items_p = 2, items_r = 13, index_bits = 32> {
    %v = loop.load %in[d0, d1] : tensor<40x50xi32> -> i32
    %s = loop.reduce min %v over [0, 1] : i32
    loop.store %s, 0[] : i32
  }
  %3 = loop.kernel "shifted" [14, 39] (%in = %w) : (tensor<14x39xbf16>) -> tensor<14x39xbf16> schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 8, threads_p = 32, index_bits = 32, align_to = 0, prefetch = true> {
    %v = loop.load %in[d0, d1] : tensor<14x39xbf16> -> bf16
    %wide = arith.extf %v : bf16 to f32
    %s = loop.reduce max %wide over [1] : f32
    %rest = arith.subf %wide, %s : f32
    %narrow = arith.truncf %rest : f32 to bf16
    loop.store %narrow, 0[d0, d1] : bf16
  }
  return %0, %1, %2, %3 : tensor<9xf32>, tensor<3xf32>, tensor<i32>, tensor<14x39xbf16>
}
