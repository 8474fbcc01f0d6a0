// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper.kernel(convert-loop-to-gpu))' --split-input-file --verify-diagnostics

wrapper.kernel @convert_loop_to_gpu_c16(%x: tensor<64x32xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[32, 1]>], output_strides = [#sym.shape<[32, 1]>], symbols = []} {
  // expected-error@+1 {{accumulates columns, which takes a schedule with 'persistent' of the strategy 'tile', with vectors along columns, one item along 'p' and neither 'align_to' nor 'owners'}}
  %0 = loop.kernel "k" [64, 32] (%a = %x) : (tensor<64x32xf32>) -> tensor<4x32xf32> schedule #loop.gpu_schedule<vector_dim = 1, threads_r = 32> {
    %v = loop.load %a[d0, d1] : tensor<64x32xf32> -> f32
    loop.accumulate sum %v, 0 columns [1] rows 16 : f32
  }
  wrapper.yield %0 : tensor<4x32xf32>
}

// -----

wrapper.kernel @convert_loop_to_gpu_c16_dim(%x: tensor<64x32xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[32, 1]>], output_strides = [#sym.shape<[32, 1]>], symbols = []} {
  // expected-error@+1 {{accumulates columns, which takes a schedule with 'persistent' of the strategy 'tile', with vectors along columns, one item along 'p' and neither 'align_to' nor 'owners'}}
  %0 = loop.kernel "k" [64, 32] (%a = %x) : (tensor<64x32xf32>) -> tensor<4x32xf32> schedule #loop.gpu_schedule<vector_dim = 0, threads_r = 32, persistent = true> {
    %v = loop.load %a[d0, d1] : tensor<64x32xf32> -> f32
    loop.accumulate sum %v, 0 columns [1] rows 16 : f32
  }
  wrapper.yield %0 : tensor<4x32xf32>
}

// -----

wrapper.kernel @convert_loop_to_gpu_c16_items(%x: tensor<64x32xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[32, 1]>], output_strides = [#sym.shape<[32, 1]>], symbols = []} {
  // expected-error@+1 {{accumulates columns, which takes a schedule with 'persistent' of the strategy 'tile', with vectors along columns, one item along 'p' and neither 'align_to' nor 'owners'}}
  %0 = loop.kernel "k" [64, 32] (%a = %x) : (tensor<64x32xf32>) -> tensor<4x32xf32> schedule #loop.gpu_schedule<vector_dim = 1, threads_r = 32, items_p = 2, persistent = true> {
    %v = loop.load %a[d0, d1] : tensor<64x32xf32> -> f32
    loop.accumulate sum %v, 0 columns [1] rows 16 : f32
  }
  wrapper.yield %0 : tensor<4x32xf32>
}

// -----

wrapper.kernel @convert_loop_to_gpu_c16_rows(%x: tensor<64x32xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[32, 1]>], output_strides = [#sym.shape<[32, 1]>], symbols = []} {
  // expected-error@+1 {{has a schedule with 32 rows at a time, which chunks of 16 rows are not a multiple of}}
  %0 = loop.kernel "k" [64, 32] (%a = %x) : (tensor<64x32xf32>) -> tensor<4x32xf32> schedule #loop.gpu_schedule<vector_dim = 1, threads_p = 32, threads_r = 32, persistent = true> {
    %v = loop.load %a[d0, d1] : tensor<64x32xf32> -> f32
    loop.accumulate sum %v, 0 columns [1] rows 16 : f32
  }
  wrapper.yield %0 : tensor<4x32xf32>
}
