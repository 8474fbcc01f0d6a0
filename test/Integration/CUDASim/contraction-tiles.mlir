// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90 --library=none --random-inputs --reference=interp

// Large tiles, which the sizes of other tests do not ask for: several blocks,
// warps and stages, with and without asynchronous copies.

func.func @main(%x0: tensor<264x200xbf16>,
    %y0: tensor<200x264xbf16>,
    %x1: tensor<264x136xf16>,
    %y1: tensor<136x136xf16>,
    %x2: tensor<131x99xbf16>,
    %y2: tensor<99x133xbf16>,
    %x3: tensor<72x104xbf16>,
    %y3: tensor<104x136xbf16>,
    %x4: tensor<136x100xf32>,
    %y4: tensor<100x136xf32>,
    %x5: tensor<131x45xf32>,
    %y5: tensor<45x71xf32>,
    %x6: tensor<132x44xf64>,
    %y6: tensor<44x72xf64>,
    %x7: tensor<71x45xf64>,
    %y7: tensor<45x73xf64>,
    %x8: tensor<264x200xbf16>,
    %y8: tensor<264x200xbf16>,
    %x9: tensor<264x136xf16>,
    %y9: tensor<136x136xf16>,
    %x10: tensor<131x99xbf16>,
    %y10: tensor<133x99xbf16>,
    %x11: tensor<72x104xbf16>,
    %y11: tensor<136x104xbf16>,
    %x12: tensor<136x100xf32>,
    %y12: tensor<136x100xf32>,
    %x13: tensor<131x45xf32>,
    %y13: tensor<71x45xf32>,
    %x14: tensor<132x44xf64>,
    %y14: tensor<72x44xf64>,
    %x15: tensor<71x45xf64>,
    %y15: tensor<73x45xf64>,
    %x16: tensor<200x264xbf16>,
    %y16: tensor<200x264xbf16>,
    %x17: tensor<136x264xf16>,
    %y17: tensor<136x136xf16>,
    %x18: tensor<99x131xbf16>,
    %y18: tensor<99x133xbf16>,
    %x19: tensor<104x72xbf16>,
    %y19: tensor<104x136xbf16>,
    %x20: tensor<100x136xf32>,
    %y20: tensor<100x136xf32>,
    %x21: tensor<45x131xf32>,
    %y21: tensor<45x71xf32>,
    %x22: tensor<44x132xf64>,
    %y22: tensor<44x72xf64>,
    %x23: tensor<45x71xf64>,
    %y23: tensor<45x73xf64>,
    %x24: tensor<200x264xbf16>,
    %y24: tensor<264x200xbf16>,
    %x25: tensor<136x264xf16>,
    %y25: tensor<136x136xf16>,
    %x26: tensor<99x131xbf16>,
    %y26: tensor<133x99xbf16>,
    %x27: tensor<104x72xbf16>,
    %y27: tensor<136x104xbf16>,
    %x28: tensor<100x136xf32>,
    %y28: tensor<136x100xf32>,
    %x29: tensor<45x131xf32>,
    %y29: tensor<71x45xf32>,
    %x30: tensor<44x132xf64>,
    %y30: tensor<72x44xf64>,
    %x31: tensor<45x71xf64>,
    %y31: tensor<73x45xf64>)
    -> (tensor<264x264xf32>,
        tensor<264x136xf32>,
        tensor<131x133xf32>,
        tensor<72x136xf32>,
        tensor<136x136xf32>,
        tensor<131x71xf32>,
        tensor<132x72xf64>,
        tensor<71x73xf64>,
        tensor<264x264xf32>,
        tensor<264x136xf32>,
        tensor<131x133xf32>,
        tensor<72x136xf32>,
        tensor<136x136xf32>,
        tensor<131x71xf32>,
        tensor<132x72xf64>,
        tensor<71x73xf64>,
        tensor<264x264xf32>,
        tensor<264x136xf32>,
        tensor<131x133xf32>,
        tensor<72x136xf32>,
        tensor<136x136xf32>,
        tensor<131x71xf32>,
        tensor<132x72xf64>,
        tensor<71x73xf64>,
        tensor<264x264xf32>,
        tensor<264x136xf32>,
        tensor<131x133xf32>,
        tensor<72x136xf32>,
        tensor<136x136xf32>,
        tensor<131x71xf32>,
        tensor<132x72xf64>,
        tensor<71x73xf64>) {
  %r0 = loop.kernel "k0" [264, 264, 200] (%a = %x0, %b = %y0) : (tensor<264x200xbf16>, tensor<200x264xbf16>) -> tensor<264x264xf32> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 4, threads_p = 256, items_p = 4, index_bits = 32, mma = <instruction = m16n8k16, m = 128, n = 256, k = 64, warps_m = 2, warps_n = 4, warps_k = 1, stages = 3, async = true, group = 8>> {
    %1 = loop.load %a[d0, d2] : tensor<264x200xbf16> -> bf16
    %2 = loop.load %b[d2, d1] : tensor<200x264xbf16> -> bf16
    %3 = arith.extf %1 : bf16 to f32
    %4 = arith.extf %2 : bf16 to f32
    %5 = arith.mulf %3, %4 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    loop.store %6, 0[d0, d1] : f32
  }
  %r1 = loop.kernel "k1" [264, 136, 136] (%a = %x1, %b = %y1) : (tensor<264x136xf16>, tensor<136x136xf16>) -> tensor<264x136xf32> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 4, threads_p = 256, items_p = 2, index_bits = 32, mma = <instruction = m16n8k16, m = 256, n = 128, k = 32, warps_m = 4, warps_n = 2, warps_k = 1, stages = 4, async = true, group = 8>> {
    %1 = loop.load %a[d0, d2] : tensor<264x136xf16> -> f16
    %2 = loop.load %b[d2, d1] : tensor<136x136xf16> -> f16
    %3 = arith.extf %1 : f16 to f32
    %4 = arith.extf %2 : f16 to f32
    %5 = arith.mulf %3, %4 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    loop.store %6, 0[d0, d1] : f32
  }
  %r2 = loop.kernel "k2" [131, 133, 99] (%a = %x2, %b = %y2) : (tensor<131x99xbf16>, tensor<99x133xbf16>) -> tensor<131x133xf32> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 1, threads_p = 256, items_p = 2, index_bits = 32, mma = <instruction = m16n8k16, m = 128, n = 128, k = 32, warps_m = 2, warps_n = 4, warps_k = 1, stages = 2, async = false, group = 8>> {
    %1 = loop.load %a[d0, d2] : tensor<131x99xbf16> -> bf16
    %2 = loop.load %b[d2, d1] : tensor<99x133xbf16> -> bf16
    %3 = arith.extf %1 : bf16 to f32
    %4 = arith.extf %2 : bf16 to f32
    %5 = arith.mulf %3, %4 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    loop.store %6, 0[d0, d1] : f32
  }
  %r3 = loop.kernel "k3" [72, 136, 104] (%a = %x3, %b = %y3) : (tensor<72x104xbf16>, tensor<104x136xbf16>) -> tensor<72x136xf32> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 4, threads_p = 128, items_p = 1, index_bits = 64, mma = <instruction = m16n8k16, m = 32, n = 64, k = 64, warps_m = 1, warps_n = 2, warps_k = 2, stages = 5, async = true, group = 1>> {
    %1 = loop.load %a[d0, d2] : tensor<72x104xbf16> -> bf16
    %2 = loop.load %b[d2, d1] : tensor<104x136xbf16> -> bf16
    %3 = arith.extf %1 : bf16 to f32
    %4 = arith.extf %2 : bf16 to f32
    %5 = arith.mulf %3, %4 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    loop.store %6, 0[d0, d1] : f32
  }
  %r4 = loop.kernel "k4" [136, 136, 100] (%a = %x4, %b = %y4) : (tensor<136x100xf32>, tensor<100x136xf32>) -> tensor<136x136xf32> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 4, threads_p = 256, items_p = 4, index_bits = 32, mma = <instruction = fma, m = 128, n = 128, k = 16, warps_m = 4, warps_n = 2, warps_k = 1, stages = 3, async = true, group = 8>> {
    %1 = loop.load %a[d0, d2] : tensor<136x100xf32> -> f32
    %2 = loop.load %b[d2, d1] : tensor<100x136xf32> -> f32
    %z = arith.constant 0.0 : f32
    %5 = arith.mulf %1, %2 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    loop.store %6, 0[d0, d1] : f32
  }
  %r5 = loop.kernel "k5" [131, 71, 45] (%a = %x5, %b = %y5) : (tensor<131x45xf32>, tensor<45x71xf32>) -> tensor<131x71xf32> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 1, threads_p = 128, items_p = 2, index_bits = 32, mma = <instruction = fma, m = 64, n = 64, k = 16, warps_m = 2, warps_n = 2, warps_k = 1, stages = 2, async = false, group = 8>> {
    %1 = loop.load %a[d0, d2] : tensor<131x45xf32> -> f32
    %2 = loop.load %b[d2, d1] : tensor<45x71xf32> -> f32
    %z = arith.constant 0.0 : f32
    %5 = arith.mulf %1, %2 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    loop.store %6, 0[d0, d1] : f32
  }
  %r6 = loop.kernel "k6" [132, 72, 44] (%a = %x6, %b = %y6) : (tensor<132x44xf64>, tensor<44x72xf64>) -> tensor<132x72xf64> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 2, threads_p = 256, items_p = 4, index_bits = 32, mma = <instruction = m8n8k4, m = 128, n = 64, k = 16, warps_m = 4, warps_n = 2, warps_k = 1, stages = 3, async = true, group = 8>> {
    %1 = loop.load %a[d0, d2] : tensor<132x44xf64> -> f64
    %2 = loop.load %b[d2, d1] : tensor<44x72xf64> -> f64
    %z = arith.constant 0.0 : f64
    %5 = arith.mulf %1, %2 : f64
    %6 = loop.reduce sum %5 over [2] : f64
    loop.store %6, 0[d0, d1] : f64
  }
  %r7 = loop.kernel "k7" [71, 73, 45] (%a = %x7, %b = %y7) : (tensor<71x45xf64>, tensor<45x73xf64>) -> tensor<71x73xf64> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 1, threads_p = 128, items_p = 1, index_bits = 32, mma = <instruction = fma, m = 32, n = 64, k = 16, warps_m = 2, warps_n = 2, warps_k = 1, stages = 4, async = true, group = 8>> {
    %1 = loop.load %a[d0, d2] : tensor<71x45xf64> -> f64
    %2 = loop.load %b[d2, d1] : tensor<45x73xf64> -> f64
    %z = arith.constant 0.0 : f64
    %5 = arith.mulf %1, %2 : f64
    %6 = loop.reduce sum %5 over [2] : f64
    loop.store %6, 0[d0, d1] : f64
  }
  %r8 = loop.kernel "k8" [264, 264, 200] (%a = %x8, %b = %y8) : (tensor<264x200xbf16>, tensor<264x200xbf16>) -> tensor<264x264xf32> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 4, threads_p = 256, items_p = 4, index_bits = 32, mma = <instruction = m16n8k16, m = 128, n = 256, k = 64, warps_m = 2, warps_n = 4, warps_k = 1, stages = 3, async = true, group = 8>> {
    %1 = loop.load %a[d0, d2] : tensor<264x200xbf16> -> bf16
    %2 = loop.load %b[d1, d2] : tensor<264x200xbf16> -> bf16
    %3 = arith.extf %1 : bf16 to f32
    %4 = arith.extf %2 : bf16 to f32
    %5 = arith.mulf %3, %4 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    loop.store %6, 0[d0, d1] : f32
  }
  %r9 = loop.kernel "k9" [264, 136, 136] (%a = %x9, %b = %y9) : (tensor<264x136xf16>, tensor<136x136xf16>) -> tensor<264x136xf32> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 4, threads_p = 256, items_p = 2, index_bits = 32, mma = <instruction = m16n8k16, m = 256, n = 128, k = 32, warps_m = 4, warps_n = 2, warps_k = 1, stages = 4, async = true, group = 8>> {
    %1 = loop.load %a[d0, d2] : tensor<264x136xf16> -> f16
    %2 = loop.load %b[d1, d2] : tensor<136x136xf16> -> f16
    %3 = arith.extf %1 : f16 to f32
    %4 = arith.extf %2 : f16 to f32
    %5 = arith.mulf %3, %4 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    loop.store %6, 0[d0, d1] : f32
  }
  %r10 = loop.kernel "k10" [131, 133, 99] (%a = %x10, %b = %y10) : (tensor<131x99xbf16>, tensor<133x99xbf16>) -> tensor<131x133xf32> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 1, threads_p = 256, items_p = 2, index_bits = 32, mma = <instruction = m16n8k16, m = 128, n = 128, k = 32, warps_m = 2, warps_n = 4, warps_k = 1, stages = 2, async = false, group = 8>> {
    %1 = loop.load %a[d0, d2] : tensor<131x99xbf16> -> bf16
    %2 = loop.load %b[d1, d2] : tensor<133x99xbf16> -> bf16
    %3 = arith.extf %1 : bf16 to f32
    %4 = arith.extf %2 : bf16 to f32
    %5 = arith.mulf %3, %4 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    loop.store %6, 0[d0, d1] : f32
  }
  %r11 = loop.kernel "k11" [72, 136, 104] (%a = %x11, %b = %y11) : (tensor<72x104xbf16>, tensor<136x104xbf16>) -> tensor<72x136xf32> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 4, threads_p = 128, items_p = 1, index_bits = 64, mma = <instruction = m16n8k16, m = 32, n = 64, k = 64, warps_m = 1, warps_n = 2, warps_k = 2, stages = 5, async = true, group = 1>> {
    %1 = loop.load %a[d0, d2] : tensor<72x104xbf16> -> bf16
    %2 = loop.load %b[d1, d2] : tensor<136x104xbf16> -> bf16
    %3 = arith.extf %1 : bf16 to f32
    %4 = arith.extf %2 : bf16 to f32
    %5 = arith.mulf %3, %4 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    loop.store %6, 0[d0, d1] : f32
  }
  %r12 = loop.kernel "k12" [136, 136, 100] (%a = %x12, %b = %y12) : (tensor<136x100xf32>, tensor<136x100xf32>) -> tensor<136x136xf32> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 4, threads_p = 256, items_p = 4, index_bits = 32, mma = <instruction = fma, m = 128, n = 128, k = 16, warps_m = 4, warps_n = 2, warps_k = 1, stages = 3, async = true, group = 8>> {
    %1 = loop.load %a[d0, d2] : tensor<136x100xf32> -> f32
    %2 = loop.load %b[d1, d2] : tensor<136x100xf32> -> f32
    %z = arith.constant 0.0 : f32
    %5 = arith.mulf %1, %2 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    loop.store %6, 0[d0, d1] : f32
  }
  %r13 = loop.kernel "k13" [131, 71, 45] (%a = %x13, %b = %y13) : (tensor<131x45xf32>, tensor<71x45xf32>) -> tensor<131x71xf32> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 1, threads_p = 128, items_p = 2, index_bits = 32, mma = <instruction = fma, m = 64, n = 64, k = 16, warps_m = 2, warps_n = 2, warps_k = 1, stages = 2, async = false, group = 8>> {
    %1 = loop.load %a[d0, d2] : tensor<131x45xf32> -> f32
    %2 = loop.load %b[d1, d2] : tensor<71x45xf32> -> f32
    %z = arith.constant 0.0 : f32
    %5 = arith.mulf %1, %2 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    loop.store %6, 0[d0, d1] : f32
  }
  %r14 = loop.kernel "k14" [132, 72, 44] (%a = %x14, %b = %y14) : (tensor<132x44xf64>, tensor<72x44xf64>) -> tensor<132x72xf64> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 2, threads_p = 256, items_p = 4, index_bits = 32, mma = <instruction = m8n8k4, m = 128, n = 64, k = 16, warps_m = 4, warps_n = 2, warps_k = 1, stages = 3, async = true, group = 8>> {
    %1 = loop.load %a[d0, d2] : tensor<132x44xf64> -> f64
    %2 = loop.load %b[d1, d2] : tensor<72x44xf64> -> f64
    %z = arith.constant 0.0 : f64
    %5 = arith.mulf %1, %2 : f64
    %6 = loop.reduce sum %5 over [2] : f64
    loop.store %6, 0[d0, d1] : f64
  }
  %r15 = loop.kernel "k15" [71, 73, 45] (%a = %x15, %b = %y15) : (tensor<71x45xf64>, tensor<73x45xf64>) -> tensor<71x73xf64> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 1, threads_p = 128, items_p = 1, index_bits = 32, mma = <instruction = fma, m = 32, n = 64, k = 16, warps_m = 2, warps_n = 2, warps_k = 1, stages = 4, async = true, group = 8>> {
    %1 = loop.load %a[d0, d2] : tensor<71x45xf64> -> f64
    %2 = loop.load %b[d1, d2] : tensor<73x45xf64> -> f64
    %z = arith.constant 0.0 : f64
    %5 = arith.mulf %1, %2 : f64
    %6 = loop.reduce sum %5 over [2] : f64
    loop.store %6, 0[d0, d1] : f64
  }
  %r16 = loop.kernel "k16" [264, 264, 200] (%a = %x16, %b = %y16) : (tensor<200x264xbf16>, tensor<200x264xbf16>) -> tensor<264x264xf32> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 4, threads_p = 256, items_p = 4, index_bits = 32, mma = <instruction = m16n8k16, m = 128, n = 256, k = 64, warps_m = 2, warps_n = 4, warps_k = 1, stages = 3, async = true, group = 8>> {
    %1 = loop.load %a[d2, d0] : tensor<200x264xbf16> -> bf16
    %2 = loop.load %b[d2, d1] : tensor<200x264xbf16> -> bf16
    %3 = arith.extf %1 : bf16 to f32
    %4 = arith.extf %2 : bf16 to f32
    %5 = arith.mulf %3, %4 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    loop.store %6, 0[d0, d1] : f32
  }
  %r17 = loop.kernel "k17" [264, 136, 136] (%a = %x17, %b = %y17) : (tensor<136x264xf16>, tensor<136x136xf16>) -> tensor<264x136xf32> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 4, threads_p = 256, items_p = 2, index_bits = 32, mma = <instruction = m16n8k16, m = 256, n = 128, k = 32, warps_m = 4, warps_n = 2, warps_k = 1, stages = 4, async = true, group = 8>> {
    %1 = loop.load %a[d2, d0] : tensor<136x264xf16> -> f16
    %2 = loop.load %b[d2, d1] : tensor<136x136xf16> -> f16
    %3 = arith.extf %1 : f16 to f32
    %4 = arith.extf %2 : f16 to f32
    %5 = arith.mulf %3, %4 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    loop.store %6, 0[d0, d1] : f32
  }
  %r18 = loop.kernel "k18" [131, 133, 99] (%a = %x18, %b = %y18) : (tensor<99x131xbf16>, tensor<99x133xbf16>) -> tensor<131x133xf32> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 1, threads_p = 256, items_p = 2, index_bits = 32, mma = <instruction = m16n8k16, m = 128, n = 128, k = 32, warps_m = 2, warps_n = 4, warps_k = 1, stages = 2, async = false, group = 8>> {
    %1 = loop.load %a[d2, d0] : tensor<99x131xbf16> -> bf16
    %2 = loop.load %b[d2, d1] : tensor<99x133xbf16> -> bf16
    %3 = arith.extf %1 : bf16 to f32
    %4 = arith.extf %2 : bf16 to f32
    %5 = arith.mulf %3, %4 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    loop.store %6, 0[d0, d1] : f32
  }
  %r19 = loop.kernel "k19" [72, 136, 104] (%a = %x19, %b = %y19) : (tensor<104x72xbf16>, tensor<104x136xbf16>) -> tensor<72x136xf32> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 4, threads_p = 128, items_p = 1, index_bits = 64, mma = <instruction = m16n8k16, m = 32, n = 64, k = 64, warps_m = 1, warps_n = 2, warps_k = 2, stages = 5, async = true, group = 1>> {
    %1 = loop.load %a[d2, d0] : tensor<104x72xbf16> -> bf16
    %2 = loop.load %b[d2, d1] : tensor<104x136xbf16> -> bf16
    %3 = arith.extf %1 : bf16 to f32
    %4 = arith.extf %2 : bf16 to f32
    %5 = arith.mulf %3, %4 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    loop.store %6, 0[d0, d1] : f32
  }
  %r20 = loop.kernel "k20" [136, 136, 100] (%a = %x20, %b = %y20) : (tensor<100x136xf32>, tensor<100x136xf32>) -> tensor<136x136xf32> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 4, threads_p = 256, items_p = 4, index_bits = 32, mma = <instruction = fma, m = 128, n = 128, k = 16, warps_m = 4, warps_n = 2, warps_k = 1, stages = 3, async = true, group = 8>> {
    %1 = loop.load %a[d2, d0] : tensor<100x136xf32> -> f32
    %2 = loop.load %b[d2, d1] : tensor<100x136xf32> -> f32
    %z = arith.constant 0.0 : f32
    %5 = arith.mulf %1, %2 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    loop.store %6, 0[d0, d1] : f32
  }
  %r21 = loop.kernel "k21" [131, 71, 45] (%a = %x21, %b = %y21) : (tensor<45x131xf32>, tensor<45x71xf32>) -> tensor<131x71xf32> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 1, threads_p = 128, items_p = 2, index_bits = 32, mma = <instruction = fma, m = 64, n = 64, k = 16, warps_m = 2, warps_n = 2, warps_k = 1, stages = 2, async = false, group = 8>> {
    %1 = loop.load %a[d2, d0] : tensor<45x131xf32> -> f32
    %2 = loop.load %b[d2, d1] : tensor<45x71xf32> -> f32
    %z = arith.constant 0.0 : f32
    %5 = arith.mulf %1, %2 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    loop.store %6, 0[d0, d1] : f32
  }
  %r22 = loop.kernel "k22" [132, 72, 44] (%a = %x22, %b = %y22) : (tensor<44x132xf64>, tensor<44x72xf64>) -> tensor<132x72xf64> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 2, threads_p = 256, items_p = 4, index_bits = 32, mma = <instruction = m8n8k4, m = 128, n = 64, k = 16, warps_m = 4, warps_n = 2, warps_k = 1, stages = 3, async = true, group = 8>> {
    %1 = loop.load %a[d2, d0] : tensor<44x132xf64> -> f64
    %2 = loop.load %b[d2, d1] : tensor<44x72xf64> -> f64
    %z = arith.constant 0.0 : f64
    %5 = arith.mulf %1, %2 : f64
    %6 = loop.reduce sum %5 over [2] : f64
    loop.store %6, 0[d0, d1] : f64
  }
  %r23 = loop.kernel "k23" [71, 73, 45] (%a = %x23, %b = %y23) : (tensor<45x71xf64>, tensor<45x73xf64>) -> tensor<71x73xf64> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 1, threads_p = 128, items_p = 1, index_bits = 32, mma = <instruction = fma, m = 32, n = 64, k = 16, warps_m = 2, warps_n = 2, warps_k = 1, stages = 4, async = true, group = 8>> {
    %1 = loop.load %a[d2, d0] : tensor<45x71xf64> -> f64
    %2 = loop.load %b[d2, d1] : tensor<45x73xf64> -> f64
    %z = arith.constant 0.0 : f64
    %5 = arith.mulf %1, %2 : f64
    %6 = loop.reduce sum %5 over [2] : f64
    loop.store %6, 0[d0, d1] : f64
  }
  %r24 = loop.kernel "k24" [264, 264, 200] (%a = %x24, %b = %y24) : (tensor<200x264xbf16>, tensor<264x200xbf16>) -> tensor<264x264xf32> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 4, threads_p = 256, items_p = 4, index_bits = 32, mma = <instruction = m16n8k16, m = 128, n = 256, k = 64, warps_m = 2, warps_n = 4, warps_k = 1, stages = 3, async = true, group = 8>> {
    %1 = loop.load %a[d2, d0] : tensor<200x264xbf16> -> bf16
    %2 = loop.load %b[d1, d2] : tensor<264x200xbf16> -> bf16
    %3 = arith.extf %1 : bf16 to f32
    %4 = arith.extf %2 : bf16 to f32
    %5 = arith.mulf %3, %4 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    loop.store %6, 0[d0, d1] : f32
  }
  %r25 = loop.kernel "k25" [264, 136, 136] (%a = %x25, %b = %y25) : (tensor<136x264xf16>, tensor<136x136xf16>) -> tensor<264x136xf32> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 4, threads_p = 256, items_p = 2, index_bits = 32, mma = <instruction = m16n8k16, m = 256, n = 128, k = 32, warps_m = 4, warps_n = 2, warps_k = 1, stages = 4, async = true, group = 8>> {
    %1 = loop.load %a[d2, d0] : tensor<136x264xf16> -> f16
    %2 = loop.load %b[d1, d2] : tensor<136x136xf16> -> f16
    %3 = arith.extf %1 : f16 to f32
    %4 = arith.extf %2 : f16 to f32
    %5 = arith.mulf %3, %4 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    loop.store %6, 0[d0, d1] : f32
  }
  %r26 = loop.kernel "k26" [131, 133, 99] (%a = %x26, %b = %y26) : (tensor<99x131xbf16>, tensor<133x99xbf16>) -> tensor<131x133xf32> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 1, threads_p = 256, items_p = 2, index_bits = 32, mma = <instruction = m16n8k16, m = 128, n = 128, k = 32, warps_m = 2, warps_n = 4, warps_k = 1, stages = 2, async = false, group = 8>> {
    %1 = loop.load %a[d2, d0] : tensor<99x131xbf16> -> bf16
    %2 = loop.load %b[d1, d2] : tensor<133x99xbf16> -> bf16
    %3 = arith.extf %1 : bf16 to f32
    %4 = arith.extf %2 : bf16 to f32
    %5 = arith.mulf %3, %4 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    loop.store %6, 0[d0, d1] : f32
  }
  %r27 = loop.kernel "k27" [72, 136, 104] (%a = %x27, %b = %y27) : (tensor<104x72xbf16>, tensor<136x104xbf16>) -> tensor<72x136xf32> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 4, threads_p = 128, items_p = 1, index_bits = 64, mma = <instruction = m16n8k16, m = 32, n = 64, k = 64, warps_m = 1, warps_n = 2, warps_k = 2, stages = 5, async = true, group = 1>> {
    %1 = loop.load %a[d2, d0] : tensor<104x72xbf16> -> bf16
    %2 = loop.load %b[d1, d2] : tensor<136x104xbf16> -> bf16
    %3 = arith.extf %1 : bf16 to f32
    %4 = arith.extf %2 : bf16 to f32
    %5 = arith.mulf %3, %4 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    loop.store %6, 0[d0, d1] : f32
  }
  %r28 = loop.kernel "k28" [136, 136, 100] (%a = %x28, %b = %y28) : (tensor<100x136xf32>, tensor<136x100xf32>) -> tensor<136x136xf32> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 4, threads_p = 256, items_p = 4, index_bits = 32, mma = <instruction = fma, m = 128, n = 128, k = 16, warps_m = 4, warps_n = 2, warps_k = 1, stages = 3, async = true, group = 8>> {
    %1 = loop.load %a[d2, d0] : tensor<100x136xf32> -> f32
    %2 = loop.load %b[d1, d2] : tensor<136x100xf32> -> f32
    %z = arith.constant 0.0 : f32
    %5 = arith.mulf %1, %2 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    loop.store %6, 0[d0, d1] : f32
  }
  %r29 = loop.kernel "k29" [131, 71, 45] (%a = %x29, %b = %y29) : (tensor<45x131xf32>, tensor<71x45xf32>) -> tensor<131x71xf32> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 1, threads_p = 128, items_p = 2, index_bits = 32, mma = <instruction = fma, m = 64, n = 64, k = 16, warps_m = 2, warps_n = 2, warps_k = 1, stages = 2, async = false, group = 8>> {
    %1 = loop.load %a[d2, d0] : tensor<45x131xf32> -> f32
    %2 = loop.load %b[d1, d2] : tensor<71x45xf32> -> f32
    %z = arith.constant 0.0 : f32
    %5 = arith.mulf %1, %2 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    loop.store %6, 0[d0, d1] : f32
  }
  %r30 = loop.kernel "k30" [132, 72, 44] (%a = %x30, %b = %y30) : (tensor<44x132xf64>, tensor<72x44xf64>) -> tensor<132x72xf64> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 2, threads_p = 256, items_p = 4, index_bits = 32, mma = <instruction = m8n8k4, m = 128, n = 64, k = 16, warps_m = 4, warps_n = 2, warps_k = 1, stages = 3, async = true, group = 8>> {
    %1 = loop.load %a[d2, d0] : tensor<44x132xf64> -> f64
    %2 = loop.load %b[d1, d2] : tensor<72x44xf64> -> f64
    %z = arith.constant 0.0 : f64
    %5 = arith.mulf %1, %2 : f64
    %6 = loop.reduce sum %5 over [2] : f64
    loop.store %6, 0[d0, d1] : f64
  }
  %r31 = loop.kernel "k31" [71, 73, 45] (%a = %x31, %b = %y31) : (tensor<45x71xf64>, tensor<73x45xf64>) -> tensor<71x73xf64> schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 1, threads_p = 128, items_p = 1, index_bits = 32, mma = <instruction = fma, m = 32, n = 64, k = 16, warps_m = 2, warps_n = 2, warps_k = 1, stages = 4, async = true, group = 8>> {
    %1 = loop.load %a[d2, d0] : tensor<45x71xf64> -> f64
    %2 = loop.load %b[d1, d2] : tensor<73x45xf64> -> f64
    %z = arith.constant 0.0 : f64
    %5 = arith.mulf %1, %2 : f64
    %6 = loop.reduce sum %5 over [2] : f64
    loop.store %6, 0[d0, d1] : f64
  }
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17, %r18, %r19, %r20, %r21, %r22, %r23, %r24, %r25, %r26, %r27, %r28, %r29, %r30, %r31 :
    tensor<264x264xf32>, tensor<264x136xf32>, tensor<131x133xf32>, tensor<72x136xf32>, tensor<136x136xf32>, tensor<131x71xf32>, tensor<132x72xf64>, tensor<71x73xf64>, tensor<264x264xf32>, tensor<264x136xf32>, tensor<131x133xf32>, tensor<72x136xf32>, tensor<136x136xf32>, tensor<131x71xf32>, tensor<132x72xf64>, tensor<71x73xf64>, tensor<264x264xf32>, tensor<264x136xf32>, tensor<131x133xf32>, tensor<72x136xf32>, tensor<136x136xf32>, tensor<131x71xf32>, tensor<132x72xf64>, tensor<71x73xf64>, tensor<264x264xf32>, tensor<264x136xf32>, tensor<131x133xf32>, tensor<72x136xf32>, tensor<136x136xf32>, tensor<131x71xf32>, tensor<132x72xf64>, tensor<71x73xf64>
}
