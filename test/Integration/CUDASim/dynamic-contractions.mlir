// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90 --library=none --random-inputs --symbol=s0=64 --symbol=s1=64 --symbol=s2=64 --reference=interp
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90 --library=none --random-inputs --symbol=s0=1 --symbol=s1=1 --symbol=s2=1 --reference=interp
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90 --library=none --random-inputs --symbol=s0=33 --symbol=s1=65 --symbol=s2=129 --reference=interp
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90 --library=none --random-inputs --symbol=s0=128 --symbol=s1=40 --symbol=s2=8 --reference=interp
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90 --library=none --random-inputs --symbol=s0=0 --symbol=s1=5 --symbol=s2=7 --reference=interp
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90 --library=none --random-inputs --symbol=s0=7 --symbol=s1=0 --symbol=s2=5 --reference=interp
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90 --library=none --random-inputs --symbol=s0=7 --symbol=s1=5 --symbol=s2=0 --reference=interp
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90 --library=none --random-inputs --symbol=s0=3 --symbol=s1=200 --symbol=s2=17 --reference=interp

// Products of matrices whose sizes only the call knows, empty ones too.

func.func @main(%a0: tensor<?x?xbf16, #sym.shape<[s0, s2]>>,
    %a1: tensor<?x?xbf16, #sym.shape<[s2, s1]>>,
    %a2: tensor<?x?xbf16, #sym.shape<[s0, s2]>>,
    %a3: tensor<?x?xbf16, #sym.shape<[s1, s2]>>,
    %a4: tensor<?x?xbf16, #sym.shape<[s2, s0]>>,
    %a5: tensor<?x?xbf16, #sym.shape<[s2, s1]>>,
    %a6: tensor<?x?xbf16, #sym.shape<[s2, s0]>>,
    %a7: tensor<?x?xbf16, #sym.shape<[s1, s2]>>,
    %a8: tensor<?x?xf32, #sym.shape<[s0, s2]>>,
    %a9: tensor<?x?xf32, #sym.shape<[s2, s1]>>,
    %a10: tensor<?x?xf32, #sym.shape<[s0, s2]>>,
    %a11: tensor<?x?xf32, #sym.shape<[s1, s2]>>,
    %a12: tensor<?x?xf32, #sym.shape<[s2, s0]>>,
    %a13: tensor<?x?xf32, #sym.shape<[s2, s1]>>,
    %a14: tensor<?x?xf32, #sym.shape<[s2, s0]>>,
    %a15: tensor<?x?xf32, #sym.shape<[s1, s2]>>,
    %a16: tensor<?x?xf64, #sym.shape<[s0, s2]>>,
    %a17: tensor<?x?xf64, #sym.shape<[s2, s1]>>,
    %a18: tensor<?x?xf64, #sym.shape<[s0, s2]>>,
    %a19: tensor<?x?xf64, #sym.shape<[s1, s2]>>,
    %a20: tensor<?x?xf64, #sym.shape<[s2, s0]>>,
    %a21: tensor<?x?xf64, #sym.shape<[s2, s1]>>,
    %a22: tensor<?x?xf64, #sym.shape<[s2, s0]>>,
    %a23: tensor<?x?xf64, #sym.shape<[s1, s2]>>,
    %a24: tensor<?x?xbf16, #sym.shape<[s0, s2]>>,
    %a25: tensor<64x?xbf16, #sym.shape<[64, s2]>>,
    %a26: tensor<64xbf16>,
    %a27: tensor<?x128xbf16, #sym.shape<[s0, 128]>>,
    %a28: tensor<64x128xbf16>,
    %a29: tensor<64xbf16>,
    %a30: tensor<?x?x32xf16, #sym.shape<[s1, s0, 32]>>,
    %a31: tensor<?x32x40xf16, #sym.shape<[s1, 32, 40]>>,
    %a32: tensor<?x24x32xf32, #sym.shape<[s2, 24, 32]>>,
    %a33: tensor<?x32x?xf32, #sym.shape<[s2, 32, s1]>>,
    %a34: tensor<?x24x?xf32, #sym.shape<[s2, 24, s1]>>,
    %a35: tensor<64x64xf32>,
    %a36: tensor<?x64xbf16, #sym.shape<[s1, 64]>>)
    -> (tensor<?x?xbf16, #sym.shape<[s0, s1]>>,
        tensor<?x?xbf16, #sym.shape<[s0, s1]>>,
        tensor<?x?xbf16, #sym.shape<[s0, s1]>>,
        tensor<?x?xbf16, #sym.shape<[s0, s1]>>,
        tensor<?x?xf32, #sym.shape<[s0, s1]>>,
        tensor<?x?xf32, #sym.shape<[s0, s1]>>,
        tensor<?x?xf32, #sym.shape<[s0, s1]>>,
        tensor<?x?xf32, #sym.shape<[s0, s1]>>,
        tensor<?x?xf64, #sym.shape<[s0, s1]>>,
        tensor<?x?xf64, #sym.shape<[s0, s1]>>,
        tensor<?x?xf64, #sym.shape<[s0, s1]>>,
        tensor<?x?xf64, #sym.shape<[s0, s1]>>,
        tensor<?x64xbf16, #sym.shape<[s0, 64]>>,
        tensor<?x64xbf16, #sym.shape<[s0, 64]>>,
        tensor<?x?x40xf16, #sym.shape<[s1, s0, 40]>>,
        tensor<?x24x?xf32, #sym.shape<[s2, 24, s1]>>,
        tensor<64x?xbf16, #sym.shape<[64, s1]>>) attributes {sym.symbols = {s0 = #sym.range<0, 65536>, s1 = #sym.range<0, 65536>, s2 = #sym.range<0, 65536>}} {
  %0 = graph.matmul %a0, %a1 : (tensor<?x?xbf16, #sym.shape<[s0, s2]>>, tensor<?x?xbf16, #sym.shape<[s2, s1]>>) -> tensor<?x?xbf16, #sym.shape<[s0, s1]>>
  %1 = graph.permute %a3 [1, 0] : (tensor<?x?xbf16, #sym.shape<[s1, s2]>>) -> tensor<?x?xbf16, #sym.shape<[s2, s1]>>
  %2 = graph.matmul %a2, %1 : (tensor<?x?xbf16, #sym.shape<[s0, s2]>>, tensor<?x?xbf16, #sym.shape<[s2, s1]>>) -> tensor<?x?xbf16, #sym.shape<[s0, s1]>>
  %3 = graph.permute %a4 [1, 0] : (tensor<?x?xbf16, #sym.shape<[s2, s0]>>) -> tensor<?x?xbf16, #sym.shape<[s0, s2]>>
  %4 = graph.matmul %3, %a5 : (tensor<?x?xbf16, #sym.shape<[s0, s2]>>, tensor<?x?xbf16, #sym.shape<[s2, s1]>>) -> tensor<?x?xbf16, #sym.shape<[s0, s1]>>
  %5 = graph.permute %a6 [1, 0] : (tensor<?x?xbf16, #sym.shape<[s2, s0]>>) -> tensor<?x?xbf16, #sym.shape<[s0, s2]>>
  %6 = graph.permute %a7 [1, 0] : (tensor<?x?xbf16, #sym.shape<[s1, s2]>>) -> tensor<?x?xbf16, #sym.shape<[s2, s1]>>
  %7 = graph.matmul %5, %6 : (tensor<?x?xbf16, #sym.shape<[s0, s2]>>, tensor<?x?xbf16, #sym.shape<[s2, s1]>>) -> tensor<?x?xbf16, #sym.shape<[s0, s1]>>
  %8 = graph.matmul %a8, %a9 : (tensor<?x?xf32, #sym.shape<[s0, s2]>>, tensor<?x?xf32, #sym.shape<[s2, s1]>>) -> tensor<?x?xf32, #sym.shape<[s0, s1]>>
  %9 = graph.permute %a11 [1, 0] : (tensor<?x?xf32, #sym.shape<[s1, s2]>>) -> tensor<?x?xf32, #sym.shape<[s2, s1]>>
  %10 = graph.matmul %a10, %9 : (tensor<?x?xf32, #sym.shape<[s0, s2]>>, tensor<?x?xf32, #sym.shape<[s2, s1]>>) -> tensor<?x?xf32, #sym.shape<[s0, s1]>>
  %11 = graph.permute %a12 [1, 0] : (tensor<?x?xf32, #sym.shape<[s2, s0]>>) -> tensor<?x?xf32, #sym.shape<[s0, s2]>>
  %12 = graph.matmul %11, %a13 : (tensor<?x?xf32, #sym.shape<[s0, s2]>>, tensor<?x?xf32, #sym.shape<[s2, s1]>>) -> tensor<?x?xf32, #sym.shape<[s0, s1]>>
  %13 = graph.permute %a14 [1, 0] : (tensor<?x?xf32, #sym.shape<[s2, s0]>>) -> tensor<?x?xf32, #sym.shape<[s0, s2]>>
  %14 = graph.permute %a15 [1, 0] : (tensor<?x?xf32, #sym.shape<[s1, s2]>>) -> tensor<?x?xf32, #sym.shape<[s2, s1]>>
  %15 = graph.matmul %13, %14 : (tensor<?x?xf32, #sym.shape<[s0, s2]>>, tensor<?x?xf32, #sym.shape<[s2, s1]>>) -> tensor<?x?xf32, #sym.shape<[s0, s1]>>
  %16 = graph.matmul %a16, %a17 : (tensor<?x?xf64, #sym.shape<[s0, s2]>>, tensor<?x?xf64, #sym.shape<[s2, s1]>>) -> tensor<?x?xf64, #sym.shape<[s0, s1]>>
  %17 = graph.permute %a19 [1, 0] : (tensor<?x?xf64, #sym.shape<[s1, s2]>>) -> tensor<?x?xf64, #sym.shape<[s2, s1]>>
  %18 = graph.matmul %a18, %17 : (tensor<?x?xf64, #sym.shape<[s0, s2]>>, tensor<?x?xf64, #sym.shape<[s2, s1]>>) -> tensor<?x?xf64, #sym.shape<[s0, s1]>>
  %19 = graph.permute %a20 [1, 0] : (tensor<?x?xf64, #sym.shape<[s2, s0]>>) -> tensor<?x?xf64, #sym.shape<[s0, s2]>>
  %20 = graph.matmul %19, %a21 : (tensor<?x?xf64, #sym.shape<[s0, s2]>>, tensor<?x?xf64, #sym.shape<[s2, s1]>>) -> tensor<?x?xf64, #sym.shape<[s0, s1]>>
  %21 = graph.permute %a22 [1, 0] : (tensor<?x?xf64, #sym.shape<[s2, s0]>>) -> tensor<?x?xf64, #sym.shape<[s0, s2]>>
  %22 = graph.permute %a23 [1, 0] : (tensor<?x?xf64, #sym.shape<[s1, s2]>>) -> tensor<?x?xf64, #sym.shape<[s2, s1]>>
  %23 = graph.matmul %21, %22 : (tensor<?x?xf64, #sym.shape<[s0, s2]>>, tensor<?x?xf64, #sym.shape<[s2, s1]>>) -> tensor<?x?xf64, #sym.shape<[s0, s1]>>
  %24 = graph.permute %a25 [1, 0] : (tensor<64x?xbf16, #sym.shape<[64, s2]>>) -> tensor<?x64xbf16, #sym.shape<[s2, 64]>>
  %25 = graph.matmul %a24, %24 : (tensor<?x?xbf16, #sym.shape<[s0, s2]>>, tensor<?x64xbf16, #sym.shape<[s2, 64]>>) -> tensor<?x64xbf16, #sym.shape<[s0, 64]>>
  %26 = graph.broadcast %a26 : (tensor<64xbf16>) -> tensor<?x64xbf16, #sym.shape<[s0, 64]>>
  %27 = graph.add %25, %26 : (tensor<?x64xbf16, #sym.shape<[s0, 64]>>, tensor<?x64xbf16, #sym.shape<[s0, 64]>>) -> tensor<?x64xbf16, #sym.shape<[s0, 64]>>
  %28 = graph.permute %a28 [1, 0] : (tensor<64x128xbf16>) -> tensor<128x64xbf16>
  %29 = graph.matmul %a27, %28 : (tensor<?x128xbf16, #sym.shape<[s0, 128]>>, tensor<128x64xbf16>) -> tensor<?x64xbf16, #sym.shape<[s0, 64]>>
  %30 = graph.broadcast %a29 : (tensor<64xbf16>) -> tensor<?x64xbf16, #sym.shape<[s0, 64]>>
  %31 = graph.add %29, %30 : (tensor<?x64xbf16, #sym.shape<[s0, 64]>>, tensor<?x64xbf16, #sym.shape<[s0, 64]>>) -> tensor<?x64xbf16, #sym.shape<[s0, 64]>>
  %32 = graph.tanh %31 : (tensor<?x64xbf16, #sym.shape<[s0, 64]>>) -> tensor<?x64xbf16, #sym.shape<[s0, 64]>>
  %33 = graph.matmul %a30, %a31 : (tensor<?x?x32xf16, #sym.shape<[s1, s0, 32]>>, tensor<?x32x40xf16, #sym.shape<[s1, 32, 40]>>) -> tensor<?x?x40xf16, #sym.shape<[s1, s0, 40]>>
  %34 = graph.matmul %a32, %a33 : (tensor<?x24x32xf32, #sym.shape<[s2, 24, 32]>>, tensor<?x32x?xf32, #sym.shape<[s2, 32, s1]>>) -> tensor<?x24x?xf32, #sym.shape<[s2, 24, s1]>>
  %35 = graph.add %34, %a34 : (tensor<?x24x?xf32, #sym.shape<[s2, 24, s1]>>, tensor<?x24x?xf32, #sym.shape<[s2, 24, s1]>>) -> tensor<?x24x?xf32, #sym.shape<[s2, 24, s1]>>
  %36 = graph.convert %a35 : (tensor<64x64xf32>) -> tensor<64x64xbf16>
  %37 = graph.permute %a36 [1, 0] : (tensor<?x64xbf16, #sym.shape<[s1, 64]>>) -> tensor<64x?xbf16, #sym.shape<[64, s1]>>
  %38 = graph.matmul %36, %37 : (tensor<64x64xbf16>, tensor<64x?xbf16, #sym.shape<[64, s1]>>) -> tensor<64x?xbf16, #sym.shape<[64, s1]>>
  return %0, %2, %4, %7, %8, %10, %12, %15, %16, %18, %20, %23, %27, %32, %33, %35, %38 :
    tensor<?x?xbf16, #sym.shape<[s0, s1]>>, tensor<?x?xbf16, #sym.shape<[s0, s1]>>, tensor<?x?xbf16, #sym.shape<[s0, s1]>>, tensor<?x?xbf16, #sym.shape<[s0, s1]>>, tensor<?x?xf32, #sym.shape<[s0, s1]>>, tensor<?x?xf32, #sym.shape<[s0, s1]>>, tensor<?x?xf32, #sym.shape<[s0, s1]>>, tensor<?x?xf32, #sym.shape<[s0, s1]>>, tensor<?x?xf64, #sym.shape<[s0, s1]>>, tensor<?x?xf64, #sym.shape<[s0, s1]>>, tensor<?x?xf64, #sym.shape<[s0, s1]>>, tensor<?x?xf64, #sym.shape<[s0, s1]>>, tensor<?x64xbf16, #sym.shape<[s0, 64]>>, tensor<?x64xbf16, #sym.shape<[s0, 64]>>, tensor<?x?x40xf16, #sym.shape<[s1, s0, 40]>>, tensor<?x24x?xf32, #sym.shape<[s2, 24, s1]>>, tensor<64x?xbf16, #sym.shape<[64, s1]>>
}
