// Schedules that are legal on some chips, and not on the one of the module.

// RUN: coil-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(wrapper.kernel(convert-loop-to-gpu))'

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"cuda" = #target.device<"cuda:sm_90a", block_threads = 128>>} {
  wrapper.kernel @convert_loop_to_gpu_c14_threads(%x: tensor<4096xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
    // expected-error @below {{has a schedule with 256 threads, but a block of #target.device<"cuda:sm_90a", block_threads = 128> has at most 128}}
    %0 = loop.kernel "k" [4096] (%a = %x) : (tensor<4096xf32>) -> tensor<4096xf32> schedule #loop.gpu_schedule<vector_dim = 0, threads_p = 256, index_bits = 32> {
      %v = loop.load %a[d0] : tensor<4096xf32> -> f32
      loop.store %v, 0 [d0] : f32
    }
    wrapper.yield %0 : tensor<4096xf32>
  }
}

// -----

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"cuda" = #target.device<"cuda:sm_86">>} {
  wrapper.kernel @convert_loop_to_gpu_c14_blocks(%x: tensor<4096xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
    // expected-error @below {{has a schedule with 'min_blocks' 8 of 256 threads, but an SM of #target.device<"cuda:sm_86"> can hold 16 blocks and 1536 threads}}
    %0 = loop.kernel "k" [4096] (%a = %x) : (tensor<4096xf32>) -> tensor<4096xf32> schedule #loop.gpu_schedule<vector_dim = 0, threads_p = 256, min_blocks = 8, index_bits = 32> {
      %v = loop.load %a[d0] : tensor<4096xf32> -> f32
      loop.store %v, 0 [d0] : f32
    }
    wrapper.yield %0 : tensor<4096xf32>
  }
}

// -----

// More shared memory than a block of this chip has, though less than of others.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"cuda" = #target.device<"cuda:sm_89">>} {
  wrapper.kernel @convert_loop_to_gpu_c5_chip(%x: tensor<256x4096xbf16>, %y: tensor<4096x256xbf16>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[4096, 1]>, #sym.shape<[256, 1]>], output_strides = [#sym.shape<[256, 1]>], symbols = []} {
    // expected-error @below {{has a schedule that takes 131072 bytes of shared memory, more than 101376 of a block of #target.device<"cuda:sm_89">}}
    %0 = loop.kernel "k" [256, 256, 4096] (%a = %x, %b = %y) : (tensor<256x4096xbf16>, tensor<4096x256xbf16>) -> tensor<256x256xf32> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 4, threads_p = 128, items_p = 4, index_bits = 32, mma = <instruction = m16n8k16, m = 128, n = 128, k = 64, warps_m = 2, warps_n = 2, stages = 4, async = true, group = 8>> {
      %v = loop.load %a[d0, d2] : tensor<256x4096xbf16> -> bf16
      %w = loop.load %b[d2, d1] : tensor<4096x256xbf16> -> bf16
      %vf = arith.extf %v : bf16 to f32
      %wf = arith.extf %w : bf16 to f32
      %p = arith.mulf %vf, %wf : f32
      %s = loop.reduce sum %p over [2] : f32
      loop.store %s, 0 [d0, d1] : f32
    }
    wrapper.yield %0 : tensor<256x256xf32>
  }
}

// -----

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"cuda" = #target.device<"cuda:sm_100">>} {
  wrapper.kernel @convert_loop_to_gpu_c15(%x: tensor<256x4096xbf16>, %y: tensor<4096x256xbf16>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[4096, 1]>, #sym.shape<[256, 1]>], output_strides = [#sym.shape<[256, 1]>], symbols = []} {
    // expected-error @below {{has a schedule with the instruction 'wgmma', which needs the feature 'wgmma' of the target #target.device<"cuda:sm_100">, which has the features 'ptx', 'async_copies', 'matrix_units', 'float8_conversions', 'bulk_copies', 'vector_atomics', 'dependent_launch'}}
    %0 = loop.kernel "k" [256, 256, 4096] (%a = %x, %b = %y) : (tensor<256x4096xbf16>, tensor<4096x256xbf16>) -> tensor<256x256xf32> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 4, threads_p = 256, items_p = 4, index_bits = 32, mma = <instruction = wgmma, m = 128, n = 128, k = 64, warps_m = 8, stages = 3, async = true, group = 8>> {
      %v = loop.load %a[d0, d2] : tensor<256x4096xbf16> -> bf16
      %w = loop.load %b[d2, d1] : tensor<4096x256xbf16> -> bf16
      %vf = arith.extf %v : bf16 to f32
      %wf = arith.extf %w : bf16 to f32
      %p = arith.mulf %vf, %wf : f32
      %s = loop.reduce sum %p over [2] : f32
      loop.store %s, 0 [d0, d1] : f32
    }
    wrapper.yield %0 : tensor<256x256xf32>
  }
}

// -----

// A chip without tensor cores that schedules can use, and without copies that
// need no registers.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"cuda" = #target.device<"cuda:sm_75">>} {
  wrapper.kernel @convert_loop_to_gpu_c15_async(%x: tensor<256x4096xf32>, %y: tensor<4096x256xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[4096, 1]>, #sym.shape<[256, 1]>], output_strides = [#sym.shape<[256, 1]>], symbols = []} {
    // expected-error @below {{has a schedule with 'async', which needs the feature 'async_copies' of the target #target.device<"cuda:sm_75">, which has the features 'ptx'}}
    %0 = loop.kernel "k" [256, 256, 4096] (%a = %x, %b = %y) : (tensor<256x4096xf32>, tensor<4096x256xf32>) -> tensor<256x256xf32> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 4, threads_p = 128, items_p = 4, index_bits = 32, mma = <instruction = fma, m = 64, n = 64, k = 16, warps_m = 2, warps_n = 2, stages = 2, async = true, group = 8>> {
      %v = loop.load %a[d0, d2] : tensor<256x4096xf32> -> f32
      %w = loop.load %b[d2, d1] : tensor<4096x256xf32> -> f32
      %p = arith.mulf %v, %w : f32
      %s = loop.reduce sum %p over [2] : f32
      loop.store %s, 0 [d0, d1] : f32
    }
    wrapper.yield %0 : tensor<256x256xf32>
  }
}

// -----

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"cuda" = #target.device<"cuda:sm_80">>} {
  wrapper.kernel @convert_loop_to_gpu_c17_target(%x: tensor<8x4096xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[4096, 1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
    // expected-error @below {{has a schedule with a 'cluster', which needs the feature 'clusters' of the target}}
    %0 = loop.kernel "k" [8, 4096] (%a = %x) : (tensor<8x4096xf32>) -> tensor<8xf32> schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 4, threads_r = 64, items_r = 4, persistent = true, index_bits = 32, cluster = 4> {
      %v = loop.load %a[d0, d1] : tensor<8x4096xf32> -> f32
      %s = loop.reduce sum %v over [1] : f32
      loop.store %s, 0 [d0] : f32
    }
    wrapper.yield %0 : tensor<8xf32>
  }
}

// -----

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"cuda" = #target.device<"cuda:sm_90a">>} {
  wrapper.kernel @convert_loop_to_gpu_c17_columns(%x: tensor<8x4096xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[4096, 1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
    // expected-error @below {{has a schedule with a 'cluster' of 4 blocks, which share a row: vectors go along a reduced dimension, and no columns are accumulated}}
    %0 = loop.kernel "k" [8, 4096] (%a = %x) : (tensor<8x4096xf32>) -> tensor<8xf32> schedule #loop.gpu_schedule<vector_dim = 0, threads_r = 64, items_r = 16, persistent = true, index_bits = 32, cluster = 4> {
      %v = loop.load %a[d0, d1] : tensor<8x4096xf32> -> f32
      %s = loop.reduce sum %v over [1] : f32
      loop.store %s, 0 [d0] : f32
    }
    wrapper.yield %0 : tensor<8xf32>
  }
}
