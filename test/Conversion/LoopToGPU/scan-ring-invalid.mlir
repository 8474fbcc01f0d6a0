// RUN: coil-opt %s --pass-pipeline='builtin.module(target-attach{target=cuda:sm_80},wrapper.kernel(convert-loop-to-gpu))' --verify-diagnostics

wrapper.kernel @convert_loop_to_gpu_c12_chip(%x: tensor<4096xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  // expected-error @below {{has a schedule with 'stages', but copies that one thread starts need the feature 'bulk_copies' of the target #target.device<"cuda:sm_80">, which has the features 'ptx', 'async_copies', 'matrix_units'}}
  %0 = loop.kernel "k" [4096] (%a = %x) : (tensor<4096xf32>) -> tensor<4096xf32> schedule #loop.gpu_schedule<strategy = scan, vector_dim = 0, vector_width = 4, threads_r = 32, persistent = true, index_bits = 32, split_r = true, stages = 2, blocks = 4> {
    %v = loop.load %a[d0] : tensor<4096xf32> -> f32
    %s = loop.scan sum %v over [0] : f32
    loop.store %s, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4096xf32>
}
