// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper.kernel(convert-loop-to-gpu))' --split-input-file --verify-diagnostics

wrapper.kernel @convert_loop_to_gpu_c10_type(%x: tensor<256x256xf32>, %w: tensor<256x256xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[256, 1]>, #sym.shape<[256, 1]>], output_strides = [#sym.shape<[256, 1]>], symbols = []} {
  // expected-error@+1 {{has a schedule with the instruction 'm16n8k16', but its factors are not both bf16 or f16, extended to f32}}
  %0 = loop.kernel "c10_type" [256, 256, 256] (%a = %x, %b = %w) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 4, threads_p = 64, items_p = 2, index_bits = 32, mma = <instruction = m16n8k16, m = 32, n = 32, k = 32, warps_m = 2>> {
    %1 = loop.load %a[d0, d2] : tensor<256x256xf32> -> f32
    %2 = loop.load %b[d1, d2] : tensor<256x256xf32> -> f32
    %5 = arith.mulf %1, %2 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    loop.store %6, 0[d0, d1] : f32
  }
  wrapper.yield %0 : tensor<256x256xf32>
}

// -----

wrapper.kernel @convert_loop_to_gpu_c10_sum(%x: tensor<256x256xf32>, %w: tensor<256x256xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[256, 1]>, #sym.shape<[256, 1]>], output_strides = [#sym.shape<[256, 1]>], symbols = []} {
  // expected-error@+1 {{has a schedule with the instruction 'm8n8k4', but its sums are not f64}}
  %0 = loop.kernel "c10_sum" [256, 256, 256] (%a = %x, %b = %w) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 4, threads_p = 64, items_p = 2, index_bits = 32, mma = <instruction = m8n8k4, m = 32, n = 32, k = 32, warps_m = 2>> {
    %1 = loop.load %a[d0, d2] : tensor<256x256xf32> -> f32
    %2 = loop.load %b[d1, d2] : tensor<256x256xf32> -> f32
    %5 = arith.mulf %1, %2 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    loop.store %6, 0[d0, d1] : f32
  }
  wrapper.yield %0 : tensor<256x256xf32>
}

// -----

wrapper.kernel @convert_loop_to_gpu_c10_dim(%x: tensor<256x256xf32>, %w: tensor<256x256xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[256, 1]>, #sym.shape<[256, 1]>], output_strides = [#sym.shape<[256, 1]>], symbols = []} {
  // expected-error@+1 {{has a schedule of a contraction with vectors along 0, but its results are rows along 1}}
  %0 = loop.kernel "c10_dim" [256, 256, 256] (%a = %x, %b = %w) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 0, vector_width = 4, threads_p = 64, items_p = 2, index_bits = 32, mma = <m = 32, n = 32, k = 32, warps_m = 2>> {
    %1 = loop.load %a[d0, d2] : tensor<256x256xf32> -> f32
    %2 = loop.load %b[d1, d2] : tensor<256x256xf32> -> f32
    %5 = arith.mulf %1, %2 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    loop.store %6, 0[d0, d1] : f32
  }
  wrapper.yield %0 : tensor<256x256xf32>
}

// -----

wrapper.kernel @convert_loop_to_gpu_c5_contraction(%x: tensor<256x256xbf16>, %w: tensor<256x256xbf16>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[256, 1]>, #sym.shape<[256, 1]>], output_strides = [#sym.shape<[256, 1]>], symbols = []} {
  // expected-error@+1 {{has a schedule that takes 270336 bytes of shared memory, more than 232448}}
  %0 = loop.kernel "c5" [256, 256, 256] (%a = %x, %b = %w) : (tensor<256x256xbf16>, tensor<256x256xbf16>) -> tensor<256x256xf32> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 4, threads_p = 64, items_p = 2, index_bits = 32, mma = <instruction = m16n8k16, m = 256, n = 256, k = 64, warps_m = 2, stages = 4>> {
    %1 = loop.load %a[d0, d2] : tensor<256x256xbf16> -> bf16
    %2 = loop.load %b[d1, d2] : tensor<256x256xbf16> -> bf16
    %3 = arith.extf %1 : bf16 to f32
    %4 = arith.extf %2 : bf16 to f32
    %5 = arith.mulf %3, %4 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    loop.store %6, 0[d0, d1] : f32
  }
  wrapper.yield %0 : tensor<256x256xf32>
}

// -----

#rows = #sym.shape<[256, 1]>
wrapper.kernel @convert_loop_to_gpu_c10_sums(%x: tensor<256x256xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#rows], output_strides = [#sym.shape<[1]>], symbols = []} {
  // expected-error@+1 {{has a schedule with the instruction 'fma', but it does not sum multiplications}}
  %0 = loop.kernel "sum" [256, 256] (%a = %x) : (tensor<256x256xf32>) -> tensor<256xf32>
      schedule #loop.gpu_schedule<strategy = mma, threads_p = 32, mma = <m = 32, n = 32, k = 32>> {
    %1 = loop.load %a[d0, d1] : tensor<256x256xf32> -> f32
    %2 = loop.reduce sum %1 over [1] : f32
    loop.store %2, 0[d0] : f32
  }
  wrapper.yield %0 : tensor<256xf32>
}

// -----

// What is stored does not follow the sum.
#rows = #sym.shape<[256, 1]>
wrapper.kernel @convert_loop_to_gpu_c10_store(%x: tensor<256x256xf32>, %w: tensor<256x256xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#rows, #rows], output_strides = [#rows, #rows], symbols = []} {
  // expected-error@+1 {{has a schedule with the instruction 'fma', but it stores what varies over a summed dimension}}
  %0:2 = loop.kernel "k" [256, 256, 256] (%a = %x, %b = %w) : (tensor<256x256xf32>, tensor<256x256xf32>) -> (tensor<256x256xf32>, tensor<256x256xf32>)
      schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 4, threads_p = 64, items_p = 2, index_bits = 32, mma = <m = 32, n = 32, k = 32, warps_m = 2>> {
    %1 = loop.load %a[d0, d2] : tensor<256x256xf32> -> f32
    %2 = loop.load %b[d1, d2] : tensor<256x256xf32> -> f32
    %3 = arith.mulf %1, %2 : f32
    %4 = loop.reduce sum %3 over [2] : f32
    loop.store %4, 0[d0, d1] : f32
    loop.store %1, 1[d0, d2] : f32
  }
  wrapper.yield %0#0, %0#1 : tensor<256x256xf32>, tensor<256x256xf32>
}

// -----

wrapper.kernel @convert_loop_to_gpu_c10_rows(%x: tensor<2x32x7xf32>, %w: tensor<32x32xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[224, 7, 1]>, #sym.shape<[32, 1]>], output_strides = [#sym.shape<[224, 7, 1]>], symbols = []} {
  // expected-error@+1 {{has a schedule of a contraction with vectors of 4, which cut its rows of 7}}
  %0 = loop.kernel "c10_rows" [2, 32, 7, 32] (%a = %x, %b = %w) : (tensor<2x32x7xf32>, tensor<32x32xf32>) -> tensor<2x32x7xf32> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 2, vector_width = 4, threads_p = 64, items_p = 2, index_bits = 32, mma = <m = 32, n = 32, k = 32, warps_m = 2>> {
    %1 = loop.load %a[d0, d3, d2] : tensor<2x32x7xf32> -> f32
    %2 = loop.load %b[d1, d3] : tensor<32x32xf32> -> f32
    %5 = arith.mulf %1, %2 : f32
    %6 = loop.reduce sum %5 over [3] : f32
    loop.store %6, 0[d0, d1, d2] : f32
  }
  wrapper.yield %0 : tensor<2x32x7xf32>
}
