// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper.kernel(convert-loop-to-gpu))' --split-input-file --verify-diagnostics

wrapper.kernel @convert_loop_to_gpu_c10_tf32(%x: tensor<256x256xf32>, %w: tensor<256x256xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[256, 1]>, #sym.shape<[256, 1]>], output_strides = [#sym.shape<[256, 1]>], symbols = []} {
  // expected-error@+1 {{has a schedule with the instruction 'm16n8k8', but its sum does not allow 'tf32'}}
  %0 = loop.kernel "not_allowed" [256, 256, 256] (%a = %x, %b = %w) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 4, threads_p = 64, items_p = 2, index_bits = 32, mma = <instruction = m16n8k8, m = 32, n = 32, k = 32, warps_m = 2>> {
    %1 = loop.load %a[d0, d2] : tensor<256x256xf32> -> f32
    %2 = loop.load %b[d2, d1] : tensor<256x256xf32> -> f32
    %3 = arith.mulf %1, %2 : f32
    %4 = loop.reduce sum %3 over [2] : f32
    loop.store %4, 0[d0, d1] : f32
  }
  wrapper.yield %0 : tensor<256x256xf32>
}

// -----

wrapper.kernel @convert_loop_to_gpu_c10_wide(%x: tensor<256x256xf64>, %w: tensor<256x256xf64>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[256, 1]>, #sym.shape<[256, 1]>], output_strides = [#sym.shape<[256, 1]>], symbols = []} {
  // expected-error@+1 {{has a schedule with the instruction 'm16n8k8', but its factors are not f32}}
  %0 = loop.kernel "wide" [256, 256, 256] (%a = %x, %b = %w) : (tensor<256x256xf64>, tensor<256x256xf64>) -> tensor<256x256xf64> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 4, threads_p = 64, items_p = 2, index_bits = 32, mma = <instruction = m16n8k8, m = 32, n = 32, k = 32, warps_m = 2>> {
    %1 = loop.load %a[d0, d2] : tensor<256x256xf64> -> f64
    %2 = loop.load %b[d2, d1] : tensor<256x256xf64> -> f64
    %3 = arith.mulf %1, %2 : f64
    %4 = loop.reduce sum %3 over [2] : f64
    loop.store %4, 0[d0, d1] : f64
  }
  wrapper.yield %0 : tensor<256x256xf64>
}

// -----

// expected-error@+1 {{a warp's part of the tile is 16 x 16 x 4, less than instruction 'm16n8k8' multiplies}}
#too_small = #loop.mma<instruction = m16n8k8, m = 16, n = 16, k = 4>
