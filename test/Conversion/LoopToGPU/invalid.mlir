// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper.kernel(convert-loop-to-gpu))' --split-input-file --verify-diagnostics

// expected-error@+1 {{has no loop kernel to convert for the GPU}}
wrapper.kernel @convert_loop_to_gpu_c1() attributes {device = #wrapper.device<"cuda">, input_strides = [], output_strides = [], symbols = []} {
}

// -----

wrapper.kernel @convert_loop_to_gpu_c2(%x: tensor<64xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  // expected-error@+1 {{has no schedule for a GPU}}
  %0 = loop.kernel "neg" [64] (%a = %x) : (tensor<64xf32>) -> tensor<64xf32> schedule<vector_dim = 0, vector_width = 4> {
    %v = loop.load %a[d0] : tensor<64xf32> -> f32
    loop.store %v, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<64xf32>
}

// -----

wrapper.kernel @convert_loop_to_gpu_c3(%x: tensor<64xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  // expected-error@+1 {{has a schedule for dimension 1 of 1}}
  %0 = loop.kernel "neg" [64] (%a = %x) : (tensor<64xf32>) -> tensor<64xf32> schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 4, threads_p = 64> {
    %v = loop.load %a[d0] : tensor<64xf32> -> f32
    loop.store %v, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<64xf32>
}

// -----

wrapper.kernel @convert_loop_to_gpu_c4(%x: tensor<64xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[]>], symbols = []} {
  // expected-error@+1 {{has a persistent schedule for 32 reduced vectors but reduces up to 64}}
  %0 = loop.kernel "sum" [64] (%a = %x) : (tensor<64xf32>) -> tensor<f32> schedule #loop.gpu_schedule<vector_dim = 0, threads_r = 32, persistent = true> {
    %v = loop.load %a[d0] : tensor<64xf32> -> f32
    %s = loop.reduce sum %v over [0] : f32
    loop.store %s, 0 [] : f32
  }
  wrapper.yield %0 : tensor<f32>
}

// -----

wrapper.kernel @convert_loop_to_gpu_c5(%x: tensor<64x512xf64>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[512, 1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  // expected-error@+1 {{has a schedule that takes 65536 bytes of shared memory, more than 49152}}
  %0 = loop.kernel "sum" [64, 512] (%a = %x) : (tensor<64x512xf64>) -> tensor<512xf64> schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 2, threads_p = 32, threads_r = 32, items_p = 4> {
    %v = loop.load %a[d0, d1] : tensor<64x512xf64> -> f64
    %s = loop.reduce sum %v over [0] : f64
    loop.store %s, 0 [d1] : f64
  }
  wrapper.yield %0 : tensor<512xf64>
}

// -----

wrapper.kernel @convert_loop_to_gpu_c6(%x: tensor<64xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  // expected-error@+1 {{reduces nothing but has a schedule with 4 threads and 1 items that reduce}}
  %0 = loop.kernel "neg" [64] (%a = %x) : (tensor<64xf32>) -> tensor<64xf32> schedule #loop.gpu_schedule<vector_dim = 0, threads_p = 16, threads_r = 4> {
    %v = loop.load %a[d0] : tensor<64xf32> -> f32
    loop.store %v, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<64xf32>
}

// -----

wrapper.kernel @convert_loop_to_gpu_c9_nothing(%x: tensor<64xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  // expected-error@+1 {{has a schedule with owners of elements, which only scatters over other dimensions than that of vectors have}}
  %0 = loop.kernel "neg" [64] (%a = %x) : (tensor<64xf32>) -> tensor<64xf32> schedule #loop.gpu_schedule<vector_dim = 0, threads_p = 16, owners = 2> {
    %v = loop.load %a[d0] : tensor<64xf32> -> f32
    loop.store %v, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<64xf32>
}

// -----

wrapper.kernel @convert_loop_to_gpu_c9_vector(%x: tensor<64xf32>, %i: tensor<64xi64>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1]>, #sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  // expected-error@+1 {{has a schedule with owners of elements, which only scatters over other dimensions than that of vectors have}}
  %0 = loop.kernel "scatter" [64] (%a = %x, %b = %i) : (tensor<64xf32>, tensor<64xi64>) -> tensor<64xf32> schedule #loop.gpu_schedule<vector_dim = 0, threads_p = 16, owners = 2> {
    %p = loop.load %b[d0] : tensor<64xi64> -> i64
    %one = arith.constant 1.0 : f32
    loop.scatter sum %one into %a[t0](%p) bounds check as 0 over [0] : f32, tensor<64xf32>
  }
  wrapper.yield %0 : tensor<64xf32>
}

// -----

wrapper.kernel @convert_loop_to_gpu_c8_scatter(%x: tensor<64x64xf32>, %i: tensor<64xi64>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[64, 1]>, #sym.shape<[1]>], output_strides = [#sym.shape<[64, 1]>], symbols = []} {
  // expected-error@+1 {{has reduced dimensions, which the strategy 'transpose' does not take}}
  %0 = loop.kernel "scatter" [64, 64] (%a = %x, %b = %i) : (tensor<64x64xf32>, tensor<64xi64>) -> tensor<64x64xf32> schedule #loop.gpu_schedule<strategy = transpose, vector_dim = 1, transpose_dim = 0, threads_p = 16> {
    %p = loop.load %b[d0] : tensor<64xi64> -> i64
    %one = arith.constant 1.0 : f32
    loop.scatter sum %one into %a[t0, d1](%p) bounds check as 0 over [0] : f32, tensor<64x64xf32>
  }
  wrapper.yield %0 : tensor<64x64xf32>
}

// -----

// Vectors along a dimension that is not reduced have one beginning for all.
wrapper.kernel @gpu_schedule_c10_reduced(%x: tensor<8x33xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[33, 1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  // expected-error@+1 {{has a schedule that cuts vectors at addresses of buffer 0, which is not contiguous along the only reduced dimension}}
  %0 = loop.kernel "sum" [8, 33] (%a = %x) : (tensor<8x33xf32>) -> tensor<33xf32> schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 4, threads_p = 32, index_bits = 32, align_to = 0> {
    %v = loop.load %a[d0, d1] : tensor<8x33xf32> -> f32
    %s = loop.reduce sum %v over [0] : f32
    loop.store %s, 0 [d1] : f32
  }
  wrapper.yield %0 : tensor<33xf32>
}

// -----

wrapper.kernel @convert_loop_to_gpu_c7_tile(%x: tensor<8x64xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[64, 1]>], output_strides = [#sym.shape<[64, 1]>], symbols = []} {
  // expected-error @below {{needs the strategy 'scan' just where it scans, without 'split_r' where it reduces as well}}
  %0 = loop.kernel "k" [8, 64] (%a = %x) : (tensor<8x64xf32>) -> tensor<8x64xf32> schedule #loop.gpu_schedule<strategy = tile, threads_p = 32> {
    %v = loop.load %a[d0, d1] : tensor<8x64xf32> -> f32
    %s = loop.scan sum %v over [1] : f32
    loop.store %s, 0 [d0, d1] : f32
  }
  wrapper.yield %0 : tensor<8x64xf32>
}

// -----

wrapper.kernel @convert_loop_to_gpu_c7_split(%x: tensor<8x64xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[64, 1]>], output_strides = [#sym.shape<[64, 1]>], symbols = []} {
  // expected-error @below {{needs the strategy 'scan' just where it scans, without 'split_r' where it reduces as well}}
  %0 = loop.kernel "k" [8, 64] (%a = %x) : (tensor<8x64xf32>) -> tensor<8x64xf32> schedule #loop.gpu_schedule<strategy = scan, threads_r = 32, persistent = true, split_r = true> {
    %v = loop.load %a[d0, d1] : tensor<8x64xf32> -> f32
    %s = loop.scan sum %v over [1] : f32
    %m = loop.reduce max %s over [1] : f32
    %d = arith.subf %s, %m : f32
    loop.store %d, 0 [d0, d1] : f32
  }
  wrapper.yield %0 : tensor<8x64xf32>
}

// -----

wrapper.kernel @convert_loop_to_gpu_c11_pointwise(%x: tensor<64xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  // expected-error @below {{has a schedule with 'prefetch', but it reduces nothing}}
  %0 = loop.kernel "k" [64] (%a = %x) : (tensor<64xf32>) -> tensor<64xf32> schedule #loop.gpu_schedule<vector_dim = 0, vector_width = 4, threads_p = 16, index_bits = 32, prefetch = true> {
    %v = loop.load %a[d0] : tensor<64xf32> -> f32
    loop.store %v, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<64xf32>
}

// -----

wrapper.kernel @convert_loop_to_gpu_c11_cut(%x: tensor<8x6x63xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[384, 64, 1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  // expected-error @below {{has a schedule with 'prefetch', but each of its rows has a vector that is cut}}
  %0 = loop.kernel "k" [8, 6, 63] (%a = %x) : (tensor<8x6x63xf32>) -> tensor<8xf32> schedule #loop.gpu_schedule<vector_dim = 2, vector_width = 4, threads_r = 16, index_bits = 32, prefetch = true> {
    %v = loop.load %a[d0, d1, d2] : tensor<8x6x63xf32> -> f32
    %s = loop.reduce sum %v over [1, 2] : f32
    loop.store %s, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<8xf32>
}

// -----

wrapper.kernel @convert_loop_to_gpu_c11_persistent(%x: tensor<8x64xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[64, 1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  // expected-error @below {{has a schedule with 'prefetch', but a block has one row, which it keeps}}
  %0 = loop.kernel "k" [8, 64] (%a = %x) : (tensor<8x64xf32>) -> tensor<8xf32> schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 2, threads_r = 32, persistent = true, index_bits = 32, prefetch = true> {
    %v = loop.load %a[d0, d1] : tensor<8x64xf32> -> f32
    %s = loop.reduce sum %v over [1] : f32
    loop.store %s, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<8xf32>
}

// -----

wrapper.kernel @convert_loop_to_gpu_c12_scans(%x: tensor<4096xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  // expected-error @below {{has a schedule with 'stages', but it has more than one scan, or one with positions}}
  %0 = loop.kernel "k" [4096] (%a = %x) : (tensor<4096xf32>) -> tensor<4096xf32> schedule #loop.gpu_schedule<strategy = scan, vector_dim = 0, vector_width = 4, threads_r = 32, persistent = true, index_bits = 32, split_r = true, stages = 2, blocks = 4> {
    %v = loop.load %a[d0] : tensor<4096xf32> -> f32
    %s = loop.scan sum %v over [0] : f32
    %m = loop.scan max %v over [0] : f32
    %d = arith.subf %s, %m : f32
    loop.store %d, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4096xf32>
}

// -----

wrapper.kernel @convert_loop_to_gpu_c12_wide(%x: tensor<4096xf64>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  // expected-error @below {{has a schedule with 'stages', but its scan is of more than 32 bits}}
  %0 = loop.kernel "k" [4096] (%a = %x) : (tensor<4096xf64>) -> tensor<4096xf64> schedule #loop.gpu_schedule<strategy = scan, vector_dim = 0, vector_width = 2, threads_r = 32, persistent = true, index_bits = 32, split_r = true, stages = 2, blocks = 4> {
    %v = loop.load %a[d0] : tensor<4096xf64> -> f64
    %s = loop.scan sum %v over [0] : f64
    loop.store %s, 0 [d0] : f64
  }
  wrapper.yield %0 : tensor<4096xf64>
}

// -----

wrapper.kernel @convert_loop_to_gpu_c12_columns(%x: tensor<4096x8xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[8, 1]>], output_strides = [#sym.shape<[8, 1]>], symbols = []} {
  // expected-error @below {{has a schedule with 'stages', but vectors do not go along the only dimension that it scans over}}
  %0 = loop.kernel "k" [4096, 8] (%a = %x) : (tensor<4096x8xf32>) -> tensor<4096x8xf32> schedule #loop.gpu_schedule<strategy = scan, vector_dim = 1, vector_width = 4, threads_r = 32, persistent = true, index_bits = 32, split_r = true, stages = 2, blocks = 4> {
    %v = loop.load %a[d0, d1] : tensor<4096x8xf32> -> f32
    %s = loop.scan sum %v over [0] : f32
    loop.store %s, 0 [d0, d1] : f32
  }
  wrapper.yield %0 : tensor<4096x8xf32>
}

// -----

wrapper.kernel @convert_loop_to_gpu_c12_loads(%x: tensor<4096xf32>, %y: tensor<4096xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1]>, #sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  // expected-error @below {{has a schedule with 'stages', but its scan is of more than one load}}
  %0 = loop.kernel "k" [4096] (%a = %x, %b = %y) : (tensor<4096xf32>, tensor<4096xf32>) -> tensor<4096xf32> schedule #loop.gpu_schedule<strategy = scan, vector_dim = 0, vector_width = 4, threads_r = 32, persistent = true, index_bits = 32, split_r = true, stages = 2, blocks = 4> {
    %v = loop.load %a[d0] : tensor<4096xf32> -> f32
    %w = loop.load %b[d0] : tensor<4096xf32> -> f32
    %p = arith.mulf %v, %w : f32
    %s = loop.scan sum %p over [0] : f32
    loop.store %s, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4096xf32>
}

// -----

wrapper.kernel @convert_loop_to_gpu_c12_no_load(%x: tensor<4096xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  // expected-error @below {{has a schedule with 'stages', but its scan is of no load}}
  %0 = loop.kernel "k" [4096] (%a = %x) : (tensor<4096xf32>) -> tensor<4096xf32> schedule #loop.gpu_schedule<strategy = scan, vector_dim = 0, vector_width = 4, threads_r = 32, persistent = true, index_bits = 32, split_r = true, stages = 2, blocks = 4> {
    %i = loop.index <d0>
    %v = arith.sitofp %i : i64 to f32
    %s = loop.scan sum %v over [0] : f32
    loop.store %s, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4096xf32>
}

// -----

wrapper.kernel @convert_loop_to_gpu_c12_mask(%x: tensor<4096xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  // expected-error @below {{has a schedule with 'stages', but what its scan loads has a mask, or an address that is loaded}}
  %0 = loop.kernel "k" [4096] (%a = %x) : (tensor<4096xf32>) -> tensor<4096xf32> schedule #loop.gpu_schedule<strategy = scan, vector_dim = 0, vector_width = 4, threads_r = 32, persistent = true, index_bits = 32, split_r = true, stages = 2, blocks = 4> {
    %i = loop.index <d0>
    %n = arith.constant 100 : i64
    %m = arith.cmpi slt, %i, %n : i64
    %z = arith.constant 0.0 : f32
    %v = loop.load %a[d0] mask %m else %z : f32 : tensor<4096xf32> -> f32
    %s = loop.scan sum %v over [0] : f32
    loop.store %s, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4096xf32>
}

// -----

wrapper.kernel @convert_loop_to_gpu_c12_strided(%x: tensor<4096xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[2]>], output_strides = [#sym.shape<[2]>], symbols = []} {
  // expected-error @below {{has a schedule with 'stages', but what it loads is not contiguous along its rows}}
  %0 = loop.kernel "k" [4096] (%a = %x) : (tensor<4096xf32>) -> tensor<4096xf32> schedule #loop.gpu_schedule<strategy = scan, vector_dim = 0, vector_width = 4, threads_r = 32, persistent = true, index_bits = 32, split_r = true, stages = 2, blocks = 4> {
    %v = loop.load %a[d0] : tensor<4096xf32> -> f32
    %s = loop.scan sum %v over [0] : f32
    loop.store %s, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4096xf32>
}

// -----

wrapper.kernel @convert_loop_to_gpu_c12_aligned(%x: tensor<8x4094xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[4094, 1]>], output_strides = [#sym.shape<[4094, 1]>], symbols = []} {
  // expected-error @below {{has a schedule with 'stages', but its rows do not begin at multiples of 16 bytes}}
  %0 = loop.kernel "k" [8, 4094] (%a = %x) : (tensor<8x4094xf32>) -> tensor<8x4094xf32> schedule #loop.gpu_schedule<strategy = scan, vector_dim = 1, vector_width = 4, threads_r = 32, persistent = true, index_bits = 32, split_r = true, stages = 2, blocks = 4> {
    %v = loop.load %a[d0, d1] : tensor<8x4094xf32> -> f32
    %s = loop.scan sum %v over [1] : f32
    loop.store %s, 0 [d0, d1] : f32
  }
  wrapper.yield %0 : tensor<8x4094xf32>
}

// -----

wrapper.kernel @convert_loop_to_gpu_c12_tiles(%x: tensor<268435456xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  // expected-error @below {{has a schedule with 'stages', but it may have more than 1048576 tiles}}
  %0 = loop.kernel "k" [268435456] (%a = %x) : (tensor<268435456xf32>) -> tensor<268435456xf32> schedule #loop.gpu_schedule<strategy = scan, vector_dim = 0, vector_width = 2, threads_r = 32, persistent = true, index_bits = 32, split_r = true, stages = 2, blocks = 4> {
    %v = loop.load %a[d0] : tensor<268435456xf32> -> f32
    %s = loop.scan sum %v over [0] : f32
    loop.store %s, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<268435456xf32>
}

// -----

wrapper.kernel @convert_loop_to_gpu_c5_stages(%x: tensor<67108864xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  // expected-error @below {{has a schedule that takes 262304 bytes of shared memory, more than 232448}}
  %0 = loop.kernel "k" [67108864] (%a = %x) : (tensor<67108864xf32>) -> tensor<67108864xf32> schedule #loop.gpu_schedule<strategy = scan, vector_dim = 0, vector_width = 4, threads_r = 512, items_r = 16, persistent = true, index_bits = 32, split_r = true, stages = 2, blocks = 4> {
    %v = loop.load %a[d0] : tensor<67108864xf32> -> f32
    %s = loop.scan sum %v over [0] : f32
    loop.store %s, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<67108864xf32>
}

// -----

wrapper.kernel @convert_loop_to_gpu_op(%x: tensor<64xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "copy" [64] (%a = %x) : (tensor<64xf32>) -> tensor<64xf32> schedule #loop.gpu_schedule<threads_p = 64> {
    // expected-error@+1 {{'loop.view' op has no GPU lowering}}
    %w = loop.view %a[d0] : tensor<64xf32> -> tensor<64xf32>
    %v = loop.load %a[d0] : tensor<64xf32> -> f32
    loop.store %v, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<64xf32>
}

// -----

wrapper.kernel @convert_loop_to_gpu_c13(%x: tensor<64xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[]>], symbols = []} {
  %0 = loop.kernel "welford" [64] (%a = %x) : (tensor<64xf32>) -> tensor<f64> schedule #loop.gpu_schedule<vector_dim = 0, threads_r = 32> {
    %v = loop.load %a[d0] : tensor<64xf32> -> f32
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    // expected-error@+1 {{gives 'f64' for samples of 'f32', but a GPU sums moments in the samples' type}}
    %m, %s, %n = loop.welford %v, %zero, %one over [0] : f32 -> f64
    loop.store %s, 0 [] : f64
  }
  wrapper.yield %0 : tensor<f64>
}
