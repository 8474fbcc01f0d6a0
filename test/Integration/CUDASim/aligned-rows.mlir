// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --symbol=s0=3
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --symbol=s0=17
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --symbol=s0=64

// Vectors are cut where one operand is aligned, so they begin before their row:
// the other one, whose lanes are apart, must not be read there.
func.func @main(%x: tensor<1x2x?x4xbf16, #sym.shape<[1, 2, s0, 4]>>, %y: tensor<1x?x2x?x1xf32, #sym.shape<[1, s0, 2, s0, 1]>>) -> tensor<1x?x2x4xbf16, #sym.shape<[1, s0, 2, 4]>> attributes {sym.symbols = {s0 = #sym.range<2, 64>}} {
  %0 = loop.kernel "convert+mul+reduce_sum" [s0, 2, 4, s0] (%in = %x, %in_0 = %y) : (tensor<1x2x?x4xbf16, #sym.shape<[1, 2, s0, 4]>>, tensor<1x?x2x?x1xf32, #sym.shape<[1, s0, 2, s0, 1]>>) -> tensor<1x?x2x4xbf16, #sym.shape<[1, s0, 2, 4]>> schedule #loop.gpu_schedule<vector_dim = 3, vector_width = 4, threads_p = 4, threads_r = 32, persistent = true, index_bits = 32, align_to = 1> {
    %1 = loop.load %in[0, d1, d3, d2] : tensor<1x2x?x4xbf16, #sym.shape<[1, 2, s0, 4]>> -> bf16
    %2 = arith.extf %1 : bf16 to f32
    %3 = loop.load %in_0[0, d0, d1, d3, 0] : tensor<1x?x2x?x1xf32, #sym.shape<[1, s0, 2, s0, 1]>> -> f32
    %4 = arith.mulf %3, %2 : f32
    %5 = loop.reduce sum %4 over [3] : f32
    %6 = arith.truncf %5 : f32 to bf16
    loop.store %6, 0[0, d0, d1, d2] : bf16
  }
  return %0 : tensor<1x?x2x4xbf16, #sym.shape<[1, s0, 2, 4]>>
}
