// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90 --library=none --random-inputs --reference=interp --atol=0.05
// RUN: %cuda_sim not coil-run %s --target=cuda:sm_90 --library=none --random-inputs --reference=interp 2>&1 | FileCheck %s --check-prefix=ROUNDED
// RUN: %cuda_sim coil-run %s --target=cuda:sm_75 --library=none --random-inputs --reference=interp
// RUN: coil-run %s --random-inputs --reference=interp

// Products of f32 rounded to TF32, in all layouts, with tiles of several sizes, with
// and without asynchronous copies. The interpreter rounds nothing, so results
// differ (test/python/tf32-on-gpu.test has bounds for each element); chips without
// TF32 and CPUs round nothing either.
// ROUNDED: {{mismatch|differ}}

func.func @main(%x0: tensor<40x36xf32>, %y0: tensor<36x72xf32>,
    %x1: tensor<40x36xf32>, %y1: tensor<72x36xf32>,
    %x2: tensor<36x40xf32>, %y2: tensor<36x72xf32>,
    %x3: tensor<36x40xf32>, %y3: tensor<72x36xf32>,
    %x4: tensor<37x31xf32>, %y4: tensor<31x23xf32>,
    %x5: tensor<37x31xf32>, %y5: tensor<23x31xf32>,
    %x6: tensor<31x37xf32>, %y6: tensor<31x23xf32>,
    %x7: tensor<31x37xf32>, %y7: tensor<23x31xf32>,
    %x8: tensor<136x100xf32>, %y8: tensor<100x136xf32>,
    %x9: tensor<136x100xf32>, %y9: tensor<136x100xf32>,
    %x10: tensor<100x136xf32>, %y10: tensor<100x136xf32>,
    %x11: tensor<100x136xf32>, %y11: tensor<136x100xf32>,
    %x12: tensor<64x48xf32>, %y12: tensor<48x128xf32>,
    %x13: tensor<131x45xf32>, %y13: tensor<71x45xf32>,
    %x14: tensor<16x64xf32>, %y14: tensor<64x264xf32>,
    %x15: tensor<260x16xf32>, %y15: tensor<260x24xf32>,
    %x16: tensor<264x40xf32>, %y16: tensor<264x40xf32>,
    %x17: tensor<40x264xf32>, %y17: tensor<40x264xf32>)
    -> (tensor<40x72xf32>, tensor<40x72xf32>, tensor<40x72xf32>, tensor<40x72xf32>, tensor<37x23xf32>, tensor<37x23xf32>, tensor<37x23xf32>, tensor<37x23xf32>, tensor<136x136xf32>, tensor<136x136xf32>, tensor<136x136xf32>, tensor<136x136xf32>, tensor<64x128xf32>, tensor<131x71xf32>, tensor<16x264xf32>, tensor<16x24xf32>, tensor<264x264xf32>, tensor<264x264xf32>) {
  %r0 = graph.matmul %x0, %y0 tf32 : (tensor<40x36xf32>, tensor<36x72xf32>) -> tensor<40x72xf32>
  %q1 = graph.permute %y1 [1, 0] : (tensor<72x36xf32>) -> tensor<36x72xf32>
  %r1 = graph.matmul %x1, %q1 tf32 : (tensor<40x36xf32>, tensor<36x72xf32>) -> tensor<40x72xf32>
  %p2 = graph.permute %x2 [1, 0] : (tensor<36x40xf32>) -> tensor<40x36xf32>
  %r2 = graph.matmul %p2, %y2 tf32 : (tensor<40x36xf32>, tensor<36x72xf32>) -> tensor<40x72xf32>
  %p3 = graph.permute %x3 [1, 0] : (tensor<36x40xf32>) -> tensor<40x36xf32>
  %q3 = graph.permute %y3 [1, 0] : (tensor<72x36xf32>) -> tensor<36x72xf32>
  %r3 = graph.matmul %p3, %q3 tf32 : (tensor<40x36xf32>, tensor<36x72xf32>) -> tensor<40x72xf32>
  %r4 = graph.matmul %x4, %y4 tf32 : (tensor<37x31xf32>, tensor<31x23xf32>) -> tensor<37x23xf32>
  %q5 = graph.permute %y5 [1, 0] : (tensor<23x31xf32>) -> tensor<31x23xf32>
  %r5 = graph.matmul %x5, %q5 tf32 : (tensor<37x31xf32>, tensor<31x23xf32>) -> tensor<37x23xf32>
  %p6 = graph.permute %x6 [1, 0] : (tensor<31x37xf32>) -> tensor<37x31xf32>
  %r6 = graph.matmul %p6, %y6 tf32 : (tensor<37x31xf32>, tensor<31x23xf32>) -> tensor<37x23xf32>
  %p7 = graph.permute %x7 [1, 0] : (tensor<31x37xf32>) -> tensor<37x31xf32>
  %q7 = graph.permute %y7 [1, 0] : (tensor<23x31xf32>) -> tensor<31x23xf32>
  %r7 = graph.matmul %p7, %q7 tf32 : (tensor<37x31xf32>, tensor<31x23xf32>) -> tensor<37x23xf32>
  %r8 = graph.matmul %x8, %y8 tf32 : (tensor<136x100xf32>, tensor<100x136xf32>) -> tensor<136x136xf32>
  %q9 = graph.permute %y9 [1, 0] : (tensor<136x100xf32>) -> tensor<100x136xf32>
  %r9 = graph.matmul %x9, %q9 tf32 : (tensor<136x100xf32>, tensor<100x136xf32>) -> tensor<136x136xf32>
  %p10 = graph.permute %x10 [1, 0] : (tensor<100x136xf32>) -> tensor<136x100xf32>
  %r10 = graph.matmul %p10, %y10 tf32 : (tensor<136x100xf32>, tensor<100x136xf32>) -> tensor<136x136xf32>
  %p11 = graph.permute %x11 [1, 0] : (tensor<100x136xf32>) -> tensor<136x100xf32>
  %q11 = graph.permute %y11 [1, 0] : (tensor<136x100xf32>) -> tensor<100x136xf32>
  %r11 = graph.matmul %p11, %q11 tf32 : (tensor<136x100xf32>, tensor<100x136xf32>) -> tensor<136x136xf32>
  %e12 = graph.abs %x12 : (tensor<64x48xf32>) -> tensor<64x48xf32>
  %r12 = graph.matmul %e12, %y12 tf32 : (tensor<64x48xf32>, tensor<48x128xf32>) -> tensor<64x128xf32>
  %e13 = graph.abs %x13 : (tensor<131x45xf32>) -> tensor<131x45xf32>
  %q13 = graph.permute %y13 [1, 0] : (tensor<71x45xf32>) -> tensor<45x71xf32>
  %r13 = graph.matmul %e13, %q13 tf32 : (tensor<131x45xf32>, tensor<45x71xf32>) -> tensor<131x71xf32>
  %r14 = graph.matmul %x14, %y14 tf32 : (tensor<16x64xf32>, tensor<64x264xf32>) -> tensor<16x264xf32>
  %p15 = graph.permute %x15 [1, 0] : (tensor<260x16xf32>) -> tensor<16x260xf32>
  %r15 = graph.matmul %p15, %y15 tf32 : (tensor<16x260xf32>, tensor<260x24xf32>) -> tensor<16x24xf32>
  %q16 = graph.permute %y16 [1, 0] : (tensor<264x40xf32>) -> tensor<40x264xf32>
  %r16 = graph.matmul %x16, %q16 tf32 : (tensor<264x40xf32>, tensor<40x264xf32>) -> tensor<264x264xf32>
  %p17 = graph.permute %x17 [1, 0] : (tensor<40x264xf32>) -> tensor<264x40xf32>
  %r17 = graph.matmul %p17, %y17 tf32 : (tensor<264x40xf32>, tensor<40x264xf32>) -> tensor<264x264xf32>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17 : tensor<40x72xf32>, tensor<40x72xf32>, tensor<40x72xf32>, tensor<40x72xf32>, tensor<37x23xf32>, tensor<37x23xf32>, tensor<37x23xf32>, tensor<37x23xf32>, tensor<136x136xf32>, tensor<136x136xf32>, tensor<136x136xf32>, tensor<136x136xf32>, tensor<64x128xf32>, tensor<131x71xf32>, tensor<16x264xf32>, tensor<16x24xf32>, tensor<264x264xf32>, tensor<264x264xf32>
}
