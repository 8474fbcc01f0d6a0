// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper.kernel(convert-loop-to-gpu))' --split-input-file --verify-diagnostics

#cuda = #wrapper.device<"cuda">
#rows = #sym.shape<[64, 1]>
wrapper.kernel @convert_loop_to_gpu_c8_box(%x: tensor<64x64xf32>) attributes {device = #cuda, input_strides = [#rows], output_strides = [#sym.shape<[1]>], symbols = []} {
  // expected-error@+1 {{has reduced dimensions, which the strategy 'box' does not take}}
  %0 = loop.kernel "sum" [64, 64] (%a = %x) : (tensor<64x64xf32>) -> tensor<64xf32>
      schedule #loop.gpu_schedule<strategy = box, vector_dim = 0, threads_p = 64, box_dims = [0], box = [64]> {
    %1 = loop.load %a[d0, d1] : tensor<64x64xf32> -> f32
    %2 = loop.reduce sum %1 over [1] : f32
    loop.store %2, 0[d0] : f32
  }
  wrapper.yield %0 : tensor<64xf32>
}

// -----

#cuda = #wrapper.device<"cuda">
#rows = #sym.shape<[64, 1]>
wrapper.kernel @convert_loop_to_gpu_c3_box(%x: tensor<64x64xf32>) attributes {device = #cuda, input_strides = [#rows], output_strides = [#rows], symbols = []} {
  // expected-error@+1 {{has a schedule for dimension 2 of 2}}
  %0 = loop.kernel "copy" [64, 64] (%a = %x) : (tensor<64x64xf32>) -> tensor<64x64xf32>
      schedule #loop.gpu_schedule<strategy = box, vector_dim = 0, threads_p = 64, box_dims = [0, 2], box = [8, 8]> {
    %1 = loop.load %a[d0, d1] : tensor<64x64xf32> -> f32
    loop.store %1, 0[d0, d1] : f32
  }
  wrapper.yield %0 : tensor<64x64xf32>
}

// -----

#cuda = #wrapper.device<"cuda">
#rows = #sym.shape<[256, 1]>
wrapper.kernel @convert_loop_to_gpu_c5_box(%x: tensor<256x256xf64>) attributes {device = #cuda, input_strides = [#rows], output_strides = [#rows], symbols = []} {
  // expected-error@+1 {{of shared memory, more than 49152}}
  %0 = loop.kernel "copy" [256, 256] (%a = %x) : (tensor<256x256xf64>) -> tensor<256x256xf64>
      schedule #loop.gpu_schedule<strategy = box, vector_dim = 1, threads_p = 1024, box_dims = [1, 0], box = [128, 128]> {
    %1 = loop.load %a[d1, d0] : tensor<256x256xf64> -> f64
    loop.store %1, 0[d0, d1] : f64
  }
  wrapper.yield %0 : tensor<256x256xf64>
}
