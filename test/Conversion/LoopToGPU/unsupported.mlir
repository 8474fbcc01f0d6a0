// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper.kernel(convert-loop-to-gpu))' --split-input-file --verify-diagnostics

wrapper.kernel @convert_loop_to_gpu_c7_float8(%x: tensor<64xf8E5M2>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "k" [64] (%a = %x) : (tensor<64xf8E5M2>) -> tensor<64xf8E5M2> schedule #loop.gpu_schedule<strategy = tile, threads_p = 32> {
    // expected-error @below {{has no GPU lowering for floats of 8 bits}}
    %v = loop.load %a[d0] : tensor<64xf8E5M2> -> f8E5M2
    loop.store %v, 0 [d0] : f8E5M2
  }
  wrapper.yield %0 : tensor<64xf8E5M2>
}
