// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90 --library=none --random-inputs --symbol=s0=1 --symbol=s1=1 --reference=interp
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90 --library=none --random-inputs --symbol=s0=1 --symbol=s1=1031 --reference=interp
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90 --library=none --random-inputs --symbol=s0=1031 --symbol=s1=1 --reference=interp
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90 --library=none --random-inputs --symbol=s0=3 --symbol=s1=5 --reference=interp
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90 --library=none --random-inputs --symbol=s0=37 --symbol=s1=41 --reference=interp
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90 --library=none --random-inputs --symbol=s0=129 --symbol=s1=67 --reference=interp
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90 --library=none --random-inputs --symbol=s0=2 --symbol=s1=2053 --reference=interp

// Sums, extremes and their places by rows, by columns and of everything, with
// sizes that only the call knows.

func.func @main(%x_f32: tensor<?x?xf32, #sym.shape<[s0, s1]>>,
    %x_bf16: tensor<?x?xbf16, #sym.shape<[s0, s1]>>,
    %x_f16: tensor<?x?xf16, #sym.shape<[s0, s1]>>,
    %x_f64: tensor<?x?xf64, #sym.shape<[s0, s1]>>,
    %x_i32: tensor<?x?xi32, #sym.shape<[s0, s1]>>,
    %x_i64: tensor<?x?xi64, #sym.shape<[s0, s1]>>,
    %x_ui8: tensor<?x?xui8, #sym.shape<[s0, s1]>>,
    %x_i1: tensor<?x?xi1, #sym.shape<[s0, s1]>>)
    -> (tensor<?xf32, #sym.shape<[s0]>>,
        tensor<?xf32, #sym.shape<[s1]>>,
        tensor<f32>,
        tensor<?xf32, #sym.shape<[s0]>>,
        tensor<?xf32, #sym.shape<[s1]>>,
        tensor<f32>,
        tensor<?xf32, #sym.shape<[s1]>>,
        tensor<?xi64, #sym.shape<[s1]>>,
        tensor<?xf32, #sym.shape<[s1]>>,
        tensor<?xi64, #sym.shape<[s1]>>,
        tensor<?xf32, #sym.shape<[s0]>>,
        tensor<?xi64, #sym.shape<[s0]>>,
        tensor<?xf32, #sym.shape<[s0]>>,
        tensor<?xi64, #sym.shape<[s0]>>,
        tensor<?xbf16, #sym.shape<[s0]>>,
        tensor<?xbf16, #sym.shape<[s1]>>,
        tensor<bf16>,
        tensor<?xbf16, #sym.shape<[s0]>>,
        tensor<?xbf16, #sym.shape<[s1]>>,
        tensor<bf16>,
        tensor<?xbf16, #sym.shape<[s1]>>,
        tensor<?xi64, #sym.shape<[s1]>>,
        tensor<?xbf16, #sym.shape<[s1]>>,
        tensor<?xi64, #sym.shape<[s1]>>,
        tensor<?xbf16, #sym.shape<[s0]>>,
        tensor<?xi64, #sym.shape<[s0]>>,
        tensor<?xbf16, #sym.shape<[s0]>>,
        tensor<?xi64, #sym.shape<[s0]>>,
        tensor<?xf16, #sym.shape<[s0]>>,
        tensor<?xf16, #sym.shape<[s1]>>,
        tensor<f16>,
        tensor<?xf64, #sym.shape<[s0]>>,
        tensor<?xf64, #sym.shape<[s1]>>,
        tensor<f64>,
        tensor<?xf64, #sym.shape<[s0]>>,
        tensor<?xf64, #sym.shape<[s1]>>,
        tensor<f64>,
        tensor<?xi32, #sym.shape<[s0]>>,
        tensor<?xi32, #sym.shape<[s1]>>,
        tensor<i32>,
        tensor<?xi32, #sym.shape<[s0]>>,
        tensor<?xi32, #sym.shape<[s1]>>,
        tensor<i32>,
        tensor<?xi32, #sym.shape<[s1]>>,
        tensor<?xi64, #sym.shape<[s1]>>,
        tensor<?xi32, #sym.shape<[s1]>>,
        tensor<?xi64, #sym.shape<[s1]>>,
        tensor<?xi32, #sym.shape<[s0]>>,
        tensor<?xi64, #sym.shape<[s0]>>,
        tensor<?xi32, #sym.shape<[s0]>>,
        tensor<?xi64, #sym.shape<[s0]>>,
        tensor<?xi64, #sym.shape<[s0]>>,
        tensor<?xi64, #sym.shape<[s1]>>,
        tensor<i64>,
        tensor<?xui8, #sym.shape<[s0]>>,
        tensor<?xui8, #sym.shape<[s1]>>,
        tensor<ui8>,
        tensor<?xi1, #sym.shape<[s0]>>,
        tensor<?xi1, #sym.shape<[s1]>>,
        tensor<i1>,
        tensor<?xi1, #sym.shape<[s0]>>,
        tensor<?xi1, #sym.shape<[s1]>>,
        tensor<i1>)
    attributes {sym.symbols = {s0 = #sym.range<1, 5000>, s1 = #sym.range<1, 5000>}} {
  %0 = graph.reduce sum, %x_f32 dims [1] : (tensor<?x?xf32, #sym.shape<[s0, s1]>>) -> tensor<?xf32, #sym.shape<[s0]>>
  %1 = graph.reduce sum, %x_f32 dims [0] : (tensor<?x?xf32, #sym.shape<[s0, s1]>>) -> tensor<?xf32, #sym.shape<[s1]>>
  %2 = graph.reduce sum, %x_f32 dims [0, 1] : (tensor<?x?xf32, #sym.shape<[s0, s1]>>) -> tensor<f32>
  %3 = graph.reduce max, %x_f32 dims [1] : (tensor<?x?xf32, #sym.shape<[s0, s1]>>) -> tensor<?xf32, #sym.shape<[s0]>>
  %4 = graph.reduce max, %x_f32 dims [0] : (tensor<?x?xf32, #sym.shape<[s0, s1]>>) -> tensor<?xf32, #sym.shape<[s1]>>
  %5 = graph.reduce max, %x_f32 dims [0, 1] : (tensor<?x?xf32, #sym.shape<[s0, s1]>>) -> tensor<f32>
  %6:2 = graph.arg_reduce max, %x_f32 dim 0 : (tensor<?x?xf32, #sym.shape<[s0, s1]>>) -> (tensor<?xf32, #sym.shape<[s1]>>, tensor<?xi64, #sym.shape<[s1]>>)
  %7:2 = graph.arg_reduce min, %x_f32 dim 0 : (tensor<?x?xf32, #sym.shape<[s0, s1]>>) -> (tensor<?xf32, #sym.shape<[s1]>>, tensor<?xi64, #sym.shape<[s1]>>)
  %8:2 = graph.arg_reduce max, %x_f32 dim 1 : (tensor<?x?xf32, #sym.shape<[s0, s1]>>) -> (tensor<?xf32, #sym.shape<[s0]>>, tensor<?xi64, #sym.shape<[s0]>>)
  %9:2 = graph.arg_reduce min, %x_f32 dim 1 : (tensor<?x?xf32, #sym.shape<[s0, s1]>>) -> (tensor<?xf32, #sym.shape<[s0]>>, tensor<?xi64, #sym.shape<[s0]>>)
  %10 = graph.reduce sum, %x_bf16 dims [1] : (tensor<?x?xbf16, #sym.shape<[s0, s1]>>) -> tensor<?xbf16, #sym.shape<[s0]>>
  %11 = graph.reduce sum, %x_bf16 dims [0] : (tensor<?x?xbf16, #sym.shape<[s0, s1]>>) -> tensor<?xbf16, #sym.shape<[s1]>>
  %12 = graph.reduce sum, %x_bf16 dims [0, 1] : (tensor<?x?xbf16, #sym.shape<[s0, s1]>>) -> tensor<bf16>
  %13 = graph.reduce min, %x_bf16 dims [1] : (tensor<?x?xbf16, #sym.shape<[s0, s1]>>) -> tensor<?xbf16, #sym.shape<[s0]>>
  %14 = graph.reduce min, %x_bf16 dims [0] : (tensor<?x?xbf16, #sym.shape<[s0, s1]>>) -> tensor<?xbf16, #sym.shape<[s1]>>
  %15 = graph.reduce min, %x_bf16 dims [0, 1] : (tensor<?x?xbf16, #sym.shape<[s0, s1]>>) -> tensor<bf16>
  %16:2 = graph.arg_reduce max, %x_bf16 dim 0 : (tensor<?x?xbf16, #sym.shape<[s0, s1]>>) -> (tensor<?xbf16, #sym.shape<[s1]>>, tensor<?xi64, #sym.shape<[s1]>>)
  %17:2 = graph.arg_reduce min, %x_bf16 dim 0 : (tensor<?x?xbf16, #sym.shape<[s0, s1]>>) -> (tensor<?xbf16, #sym.shape<[s1]>>, tensor<?xi64, #sym.shape<[s1]>>)
  %18:2 = graph.arg_reduce max, %x_bf16 dim 1 : (tensor<?x?xbf16, #sym.shape<[s0, s1]>>) -> (tensor<?xbf16, #sym.shape<[s0]>>, tensor<?xi64, #sym.shape<[s0]>>)
  %19:2 = graph.arg_reduce min, %x_bf16 dim 1 : (tensor<?x?xbf16, #sym.shape<[s0, s1]>>) -> (tensor<?xbf16, #sym.shape<[s0]>>, tensor<?xi64, #sym.shape<[s0]>>)
  %20 = graph.reduce sum, %x_f16 dims [1] : (tensor<?x?xf16, #sym.shape<[s0, s1]>>) -> tensor<?xf16, #sym.shape<[s0]>>
  %21 = graph.reduce sum, %x_f16 dims [0] : (tensor<?x?xf16, #sym.shape<[s0, s1]>>) -> tensor<?xf16, #sym.shape<[s1]>>
  %22 = graph.reduce sum, %x_f16 dims [0, 1] : (tensor<?x?xf16, #sym.shape<[s0, s1]>>) -> tensor<f16>
  %23 = graph.reduce sum, %x_f64 dims [1] : (tensor<?x?xf64, #sym.shape<[s0, s1]>>) -> tensor<?xf64, #sym.shape<[s0]>>
  %24 = graph.reduce sum, %x_f64 dims [0] : (tensor<?x?xf64, #sym.shape<[s0, s1]>>) -> tensor<?xf64, #sym.shape<[s1]>>
  %25 = graph.reduce sum, %x_f64 dims [0, 1] : (tensor<?x?xf64, #sym.shape<[s0, s1]>>) -> tensor<f64>
  %26 = graph.reduce max, %x_f64 dims [1] : (tensor<?x?xf64, #sym.shape<[s0, s1]>>) -> tensor<?xf64, #sym.shape<[s0]>>
  %27 = graph.reduce max, %x_f64 dims [0] : (tensor<?x?xf64, #sym.shape<[s0, s1]>>) -> tensor<?xf64, #sym.shape<[s1]>>
  %28 = graph.reduce max, %x_f64 dims [0, 1] : (tensor<?x?xf64, #sym.shape<[s0, s1]>>) -> tensor<f64>
  %29 = graph.reduce sum, %x_i32 dims [1] : (tensor<?x?xi32, #sym.shape<[s0, s1]>>) -> tensor<?xi32, #sym.shape<[s0]>>
  %30 = graph.reduce sum, %x_i32 dims [0] : (tensor<?x?xi32, #sym.shape<[s0, s1]>>) -> tensor<?xi32, #sym.shape<[s1]>>
  %31 = graph.reduce sum, %x_i32 dims [0, 1] : (tensor<?x?xi32, #sym.shape<[s0, s1]>>) -> tensor<i32>
  %32 = graph.reduce max, %x_i32 dims [1] : (tensor<?x?xi32, #sym.shape<[s0, s1]>>) -> tensor<?xi32, #sym.shape<[s0]>>
  %33 = graph.reduce max, %x_i32 dims [0] : (tensor<?x?xi32, #sym.shape<[s0, s1]>>) -> tensor<?xi32, #sym.shape<[s1]>>
  %34 = graph.reduce max, %x_i32 dims [0, 1] : (tensor<?x?xi32, #sym.shape<[s0, s1]>>) -> tensor<i32>
  %35:2 = graph.arg_reduce max, %x_i32 dim 0 : (tensor<?x?xi32, #sym.shape<[s0, s1]>>) -> (tensor<?xi32, #sym.shape<[s1]>>, tensor<?xi64, #sym.shape<[s1]>>)
  %36:2 = graph.arg_reduce min, %x_i32 dim 0 : (tensor<?x?xi32, #sym.shape<[s0, s1]>>) -> (tensor<?xi32, #sym.shape<[s1]>>, tensor<?xi64, #sym.shape<[s1]>>)
  %37:2 = graph.arg_reduce max, %x_i32 dim 1 : (tensor<?x?xi32, #sym.shape<[s0, s1]>>) -> (tensor<?xi32, #sym.shape<[s0]>>, tensor<?xi64, #sym.shape<[s0]>>)
  %38:2 = graph.arg_reduce min, %x_i32 dim 1 : (tensor<?x?xi32, #sym.shape<[s0, s1]>>) -> (tensor<?xi32, #sym.shape<[s0]>>, tensor<?xi64, #sym.shape<[s0]>>)
  %39 = graph.reduce min, %x_i64 dims [1] : (tensor<?x?xi64, #sym.shape<[s0, s1]>>) -> tensor<?xi64, #sym.shape<[s0]>>
  %40 = graph.reduce min, %x_i64 dims [0] : (tensor<?x?xi64, #sym.shape<[s0, s1]>>) -> tensor<?xi64, #sym.shape<[s1]>>
  %41 = graph.reduce min, %x_i64 dims [0, 1] : (tensor<?x?xi64, #sym.shape<[s0, s1]>>) -> tensor<i64>
  %42 = graph.reduce max, %x_ui8 dims [1] : (tensor<?x?xui8, #sym.shape<[s0, s1]>>) -> tensor<?xui8, #sym.shape<[s0]>>
  %43 = graph.reduce max, %x_ui8 dims [0] : (tensor<?x?xui8, #sym.shape<[s0, s1]>>) -> tensor<?xui8, #sym.shape<[s1]>>
  %44 = graph.reduce max, %x_ui8 dims [0, 1] : (tensor<?x?xui8, #sym.shape<[s0, s1]>>) -> tensor<ui8>
  %45 = graph.reduce any, %x_i1 dims [1] : (tensor<?x?xi1, #sym.shape<[s0, s1]>>) -> tensor<?xi1, #sym.shape<[s0]>>
  %46 = graph.reduce any, %x_i1 dims [0] : (tensor<?x?xi1, #sym.shape<[s0, s1]>>) -> tensor<?xi1, #sym.shape<[s1]>>
  %47 = graph.reduce any, %x_i1 dims [0, 1] : (tensor<?x?xi1, #sym.shape<[s0, s1]>>) -> tensor<i1>
  %48 = graph.reduce all, %x_i1 dims [1] : (tensor<?x?xi1, #sym.shape<[s0, s1]>>) -> tensor<?xi1, #sym.shape<[s0]>>
  %49 = graph.reduce all, %x_i1 dims [0] : (tensor<?x?xi1, #sym.shape<[s0, s1]>>) -> tensor<?xi1, #sym.shape<[s1]>>
  %50 = graph.reduce all, %x_i1 dims [0, 1] : (tensor<?x?xi1, #sym.shape<[s0, s1]>>) -> tensor<i1>
  return %0, %1, %2, %3, %4, %5, %6#0, %6#1, %7#0, %7#1, %8#0, %8#1, %9#0, %9#1, %10, %11, %12, %13, %14, %15, %16#0, %16#1, %17#0, %17#1, %18#0, %18#1, %19#0, %19#1, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35#0, %35#1, %36#0, %36#1, %37#0, %37#1, %38#0, %38#1, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50 :
      tensor<?xf32, #sym.shape<[s0]>>,
      tensor<?xf32, #sym.shape<[s1]>>,
      tensor<f32>,
      tensor<?xf32, #sym.shape<[s0]>>,
      tensor<?xf32, #sym.shape<[s1]>>,
      tensor<f32>,
      tensor<?xf32, #sym.shape<[s1]>>,
      tensor<?xi64, #sym.shape<[s1]>>,
      tensor<?xf32, #sym.shape<[s1]>>,
      tensor<?xi64, #sym.shape<[s1]>>,
      tensor<?xf32, #sym.shape<[s0]>>,
      tensor<?xi64, #sym.shape<[s0]>>,
      tensor<?xf32, #sym.shape<[s0]>>,
      tensor<?xi64, #sym.shape<[s0]>>,
      tensor<?xbf16, #sym.shape<[s0]>>,
      tensor<?xbf16, #sym.shape<[s1]>>,
      tensor<bf16>,
      tensor<?xbf16, #sym.shape<[s0]>>,
      tensor<?xbf16, #sym.shape<[s1]>>,
      tensor<bf16>,
      tensor<?xbf16, #sym.shape<[s1]>>,
      tensor<?xi64, #sym.shape<[s1]>>,
      tensor<?xbf16, #sym.shape<[s1]>>,
      tensor<?xi64, #sym.shape<[s1]>>,
      tensor<?xbf16, #sym.shape<[s0]>>,
      tensor<?xi64, #sym.shape<[s0]>>,
      tensor<?xbf16, #sym.shape<[s0]>>,
      tensor<?xi64, #sym.shape<[s0]>>,
      tensor<?xf16, #sym.shape<[s0]>>,
      tensor<?xf16, #sym.shape<[s1]>>,
      tensor<f16>,
      tensor<?xf64, #sym.shape<[s0]>>,
      tensor<?xf64, #sym.shape<[s1]>>,
      tensor<f64>,
      tensor<?xf64, #sym.shape<[s0]>>,
      tensor<?xf64, #sym.shape<[s1]>>,
      tensor<f64>,
      tensor<?xi32, #sym.shape<[s0]>>,
      tensor<?xi32, #sym.shape<[s1]>>,
      tensor<i32>,
      tensor<?xi32, #sym.shape<[s0]>>,
      tensor<?xi32, #sym.shape<[s1]>>,
      tensor<i32>,
      tensor<?xi32, #sym.shape<[s1]>>,
      tensor<?xi64, #sym.shape<[s1]>>,
      tensor<?xi32, #sym.shape<[s1]>>,
      tensor<?xi64, #sym.shape<[s1]>>,
      tensor<?xi32, #sym.shape<[s0]>>,
      tensor<?xi64, #sym.shape<[s0]>>,
      tensor<?xi32, #sym.shape<[s0]>>,
      tensor<?xi64, #sym.shape<[s0]>>,
      tensor<?xi64, #sym.shape<[s0]>>,
      tensor<?xi64, #sym.shape<[s1]>>,
      tensor<i64>,
      tensor<?xui8, #sym.shape<[s0]>>,
      tensor<?xui8, #sym.shape<[s1]>>,
      tensor<ui8>,
      tensor<?xi1, #sym.shape<[s0]>>,
      tensor<?xi1, #sym.shape<[s1]>>,
      tensor<i1>,
      tensor<?xi1, #sym.shape<[s0]>>,
      tensor<?xi1, #sym.shape<[s1]>>,
      tensor<i1>
}
