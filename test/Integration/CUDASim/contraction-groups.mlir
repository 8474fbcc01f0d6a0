// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp

// Four warps multiply together (wgmma): both layouts of both factors, panels of
// rows, copies and registers.

func.func @main(%x0: tensor<136x136xbf16>,
    %y0: tensor<136x264xbf16>,
    %x1: tensor<72x64xf16>,
    %y1: tensor<64x72xf16>,
    %x2: tensor<67x99xbf16>,
    %y2: tensor<99x131xbf16>,
    %x3: tensor<136x136xbf16>,
    %y3: tensor<264x136xbf16>,
    %x4: tensor<72x64xf16>,
    %y4: tensor<72x64xf16>,
    %x5: tensor<67x99xbf16>,
    %y5: tensor<131x99xbf16>,
    %x6: tensor<136x136xbf16>,
    %y6: tensor<136x264xbf16>,
    %x7: tensor<64x72xf16>,
    %y7: tensor<64x72xf16>,
    %x8: tensor<99x67xbf16>,
    %y8: tensor<99x131xbf16>,
    %x9: tensor<136x136xbf16>,
    %y9: tensor<264x136xbf16>,
    %x10: tensor<64x72xf16>,
    %y10: tensor<72x64xf16>,
    %x11: tensor<99x67xbf16>,
    %y11: tensor<131x99xbf16>)
    -> (tensor<136x264xf32>,
        tensor<72x72xf32>,
        tensor<67x131xf32>,
        tensor<136x264xf32>,
        tensor<72x72xf32>,
        tensor<67x131xf32>,
        tensor<136x264xf32>,
        tensor<72x72xf32>,
        tensor<67x131xf32>,
        tensor<136x264xf32>,
        tensor<72x72xf32>,
        tensor<67x131xf32>) {
  %r0 = loop.kernel "k0" [136, 264, 136] (%a = %x0, %b = %y0) : (tensor<136x136xbf16>, tensor<136x264xbf16>) -> tensor<136x264xf32> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 4, threads_p = 256, items_p = 4, index_bits = 32, mma = <instruction = wgmma, m = 128, n = 256, k = 64, warps_m = 8, warps_n = 1, warps_k = 1, stages = 3, async = true, group = 8>> {
    %1 = loop.load %a[d0, d2] : tensor<136x136xbf16> -> bf16
    %2 = loop.load %b[d2, d1] : tensor<136x264xbf16> -> bf16
    %3 = arith.extf %1 : bf16 to f32
    %4 = arith.extf %2 : bf16 to f32
    %5 = arith.mulf %3, %4 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    loop.store %6, 0[d0, d1] : f32
  }
  %r1 = loop.kernel "k1" [72, 72, 64] (%a = %x1, %b = %y1) : (tensor<72x64xf16>, tensor<64x72xf16>) -> tensor<72x72xf32> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 4, threads_p = 128, items_p = 2, index_bits = 32, mma = <instruction = wgmma, m = 64, n = 64, k = 64, warps_m = 4, warps_n = 1, warps_k = 1, stages = 2, async = true, group = 8>> {
    %1 = loop.load %a[d0, d2] : tensor<72x64xf16> -> f16
    %2 = loop.load %b[d2, d1] : tensor<64x72xf16> -> f16
    %3 = arith.extf %1 : f16 to f32
    %4 = arith.extf %2 : f16 to f32
    %5 = arith.mulf %3, %4 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    loop.store %6, 0[d0, d1] : f32
  }
  %r2 = loop.kernel "k2" [67, 131, 99] (%a = %x2, %b = %y2) : (tensor<67x99xbf16>, tensor<99x131xbf16>) -> tensor<67x131xf32> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 1, threads_p = 256, items_p = 2, index_bits = 32, mma = <instruction = wgmma, m = 64, n = 128, k = 64, warps_m = 4, warps_n = 2, warps_k = 1, stages = 2, async = false, group = 8>> {
    %1 = loop.load %a[d0, d2] : tensor<67x99xbf16> -> bf16
    %2 = loop.load %b[d2, d1] : tensor<99x131xbf16> -> bf16
    %3 = arith.extf %1 : bf16 to f32
    %4 = arith.extf %2 : bf16 to f32
    %5 = arith.mulf %3, %4 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    loop.store %6, 0[d0, d1] : f32
  }
  %r3 = loop.kernel "k3" [136, 264, 136] (%a = %x3, %b = %y3) : (tensor<136x136xbf16>, tensor<264x136xbf16>) -> tensor<136x264xf32> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 4, threads_p = 256, items_p = 4, index_bits = 32, mma = <instruction = wgmma, m = 128, n = 256, k = 64, warps_m = 8, warps_n = 1, warps_k = 1, stages = 3, async = true, group = 8>> {
    %1 = loop.load %a[d0, d2] : tensor<136x136xbf16> -> bf16
    %2 = loop.load %b[d1, d2] : tensor<264x136xbf16> -> bf16
    %3 = arith.extf %1 : bf16 to f32
    %4 = arith.extf %2 : bf16 to f32
    %5 = arith.mulf %3, %4 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    loop.store %6, 0[d0, d1] : f32
  }
  %r4 = loop.kernel "k4" [72, 72, 64] (%a = %x4, %b = %y4) : (tensor<72x64xf16>, tensor<72x64xf16>) -> tensor<72x72xf32> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 4, threads_p = 128, items_p = 2, index_bits = 32, mma = <instruction = wgmma, m = 64, n = 64, k = 64, warps_m = 4, warps_n = 1, warps_k = 1, stages = 2, async = true, group = 8>> {
    %1 = loop.load %a[d0, d2] : tensor<72x64xf16> -> f16
    %2 = loop.load %b[d1, d2] : tensor<72x64xf16> -> f16
    %3 = arith.extf %1 : f16 to f32
    %4 = arith.extf %2 : f16 to f32
    %5 = arith.mulf %3, %4 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    loop.store %6, 0[d0, d1] : f32
  }
  %r5 = loop.kernel "k5" [67, 131, 99] (%a = %x5, %b = %y5) : (tensor<67x99xbf16>, tensor<131x99xbf16>) -> tensor<67x131xf32> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 1, threads_p = 256, items_p = 2, index_bits = 32, mma = <instruction = wgmma, m = 64, n = 128, k = 64, warps_m = 4, warps_n = 2, warps_k = 1, stages = 2, async = false, group = 8>> {
    %1 = loop.load %a[d0, d2] : tensor<67x99xbf16> -> bf16
    %2 = loop.load %b[d1, d2] : tensor<131x99xbf16> -> bf16
    %3 = arith.extf %1 : bf16 to f32
    %4 = arith.extf %2 : bf16 to f32
    %5 = arith.mulf %3, %4 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    loop.store %6, 0[d0, d1] : f32
  }
  %r6 = loop.kernel "k6" [136, 264, 136] (%a = %x6, %b = %y6) : (tensor<136x136xbf16>, tensor<136x264xbf16>) -> tensor<136x264xf32> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 4, threads_p = 256, items_p = 4, index_bits = 32, mma = <instruction = wgmma, m = 128, n = 256, k = 64, warps_m = 8, warps_n = 1, warps_k = 1, stages = 3, async = true, group = 8>> {
    %1 = loop.load %a[d2, d0] : tensor<136x136xbf16> -> bf16
    %2 = loop.load %b[d2, d1] : tensor<136x264xbf16> -> bf16
    %3 = arith.extf %1 : bf16 to f32
    %4 = arith.extf %2 : bf16 to f32
    %5 = arith.mulf %3, %4 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    loop.store %6, 0[d0, d1] : f32
  }
  %r7 = loop.kernel "k7" [72, 72, 64] (%a = %x7, %b = %y7) : (tensor<64x72xf16>, tensor<64x72xf16>) -> tensor<72x72xf32> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 4, threads_p = 128, items_p = 2, index_bits = 32, mma = <instruction = wgmma, m = 64, n = 64, k = 64, warps_m = 4, warps_n = 1, warps_k = 1, stages = 2, async = true, group = 8>> {
    %1 = loop.load %a[d2, d0] : tensor<64x72xf16> -> f16
    %2 = loop.load %b[d2, d1] : tensor<64x72xf16> -> f16
    %3 = arith.extf %1 : f16 to f32
    %4 = arith.extf %2 : f16 to f32
    %5 = arith.mulf %3, %4 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    loop.store %6, 0[d0, d1] : f32
  }
  %r8 = loop.kernel "k8" [67, 131, 99] (%a = %x8, %b = %y8) : (tensor<99x67xbf16>, tensor<99x131xbf16>) -> tensor<67x131xf32> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 1, threads_p = 256, items_p = 2, index_bits = 32, mma = <instruction = wgmma, m = 64, n = 128, k = 64, warps_m = 4, warps_n = 2, warps_k = 1, stages = 2, async = false, group = 8>> {
    %1 = loop.load %a[d2, d0] : tensor<99x67xbf16> -> bf16
    %2 = loop.load %b[d2, d1] : tensor<99x131xbf16> -> bf16
    %3 = arith.extf %1 : bf16 to f32
    %4 = arith.extf %2 : bf16 to f32
    %5 = arith.mulf %3, %4 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    loop.store %6, 0[d0, d1] : f32
  }
  %r9 = loop.kernel "k9" [136, 264, 136] (%a = %x9, %b = %y9) : (tensor<136x136xbf16>, tensor<264x136xbf16>) -> tensor<136x264xf32> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 4, threads_p = 256, items_p = 4, index_bits = 32, mma = <instruction = wgmma, m = 128, n = 256, k = 64, warps_m = 8, warps_n = 1, warps_k = 1, stages = 3, async = true, group = 8>> {
    %1 = loop.load %a[d2, d0] : tensor<136x136xbf16> -> bf16
    %2 = loop.load %b[d1, d2] : tensor<264x136xbf16> -> bf16
    %3 = arith.extf %1 : bf16 to f32
    %4 = arith.extf %2 : bf16 to f32
    %5 = arith.mulf %3, %4 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    loop.store %6, 0[d0, d1] : f32
  }
  %r10 = loop.kernel "k10" [72, 72, 64] (%a = %x10, %b = %y10) : (tensor<64x72xf16>, tensor<72x64xf16>) -> tensor<72x72xf32> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 4, threads_p = 128, items_p = 2, index_bits = 32, mma = <instruction = wgmma, m = 64, n = 64, k = 64, warps_m = 4, warps_n = 1, warps_k = 1, stages = 2, async = true, group = 8>> {
    %1 = loop.load %a[d2, d0] : tensor<64x72xf16> -> f16
    %2 = loop.load %b[d1, d2] : tensor<72x64xf16> -> f16
    %3 = arith.extf %1 : f16 to f32
    %4 = arith.extf %2 : f16 to f32
    %5 = arith.mulf %3, %4 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    loop.store %6, 0[d0, d1] : f32
  }
  %r11 = loop.kernel "k11" [67, 131, 99] (%a = %x11, %b = %y11) : (tensor<99x67xbf16>, tensor<131x99xbf16>) -> tensor<67x131xf32> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 1, threads_p = 256, items_p = 2, index_bits = 32, mma = <instruction = wgmma, m = 64, n = 128, k = 64, warps_m = 4, warps_n = 2, warps_k = 1, stages = 2, async = false, group = 8>> {
    %1 = loop.load %a[d2, d0] : tensor<99x67xbf16> -> bf16
    %2 = loop.load %b[d1, d2] : tensor<131x99xbf16> -> bf16
    %3 = arith.extf %1 : bf16 to f32
    %4 = arith.extf %2 : bf16 to f32
    %5 = arith.mulf %3, %4 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    loop.store %6, 0[d0, d1] : f32
  }
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11 :
    tensor<136x264xf32>, tensor<72x72xf32>, tensor<67x131xf32>, tensor<136x264xf32>, tensor<72x72xf32>, tensor<67x131xf32>, tensor<136x264xf32>, tensor<72x72xf32>, tensor<67x131xf32>, tensor<136x264xf32>, tensor<72x72xf32>, tensor<67x131xf32>
}
