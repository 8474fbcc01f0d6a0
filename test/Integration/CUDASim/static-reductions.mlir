// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90 --library=none --random-inputs --reference=interp

// The same with sizes that the compiler knows.

func.func @main(%x_f32: tensor<67x129xf32>,
    %x_bf16: tensor<67x129xbf16>,
    %x_f16: tensor<67x129xf16>,
    %x_f64: tensor<67x129xf64>,
    %x_i32: tensor<67x129xi32>,
    %x_i64: tensor<67x129xi64>,
    %x_ui8: tensor<67x129xui8>,
    %x_i1: tensor<67x129xi1>)
    -> (tensor<67xf32>,
        tensor<129xf32>,
        tensor<f32>,
        tensor<67xf32>,
        tensor<129xf32>,
        tensor<f32>,
        tensor<129xf32>,
        tensor<129xi64>,
        tensor<129xf32>,
        tensor<129xi64>,
        tensor<67xf32>,
        tensor<67xi64>,
        tensor<67xf32>,
        tensor<67xi64>,
        tensor<67xbf16>,
        tensor<129xbf16>,
        tensor<bf16>,
        tensor<67xbf16>,
        tensor<129xbf16>,
        tensor<bf16>,
        tensor<129xbf16>,
        tensor<129xi64>,
        tensor<129xbf16>,
        tensor<129xi64>,
        tensor<67xbf16>,
        tensor<67xi64>,
        tensor<67xbf16>,
        tensor<67xi64>,
        tensor<67xf16>,
        tensor<129xf16>,
        tensor<f16>,
        tensor<67xf64>,
        tensor<129xf64>,
        tensor<f64>,
        tensor<67xf64>,
        tensor<129xf64>,
        tensor<f64>,
        tensor<67xi32>,
        tensor<129xi32>,
        tensor<i32>,
        tensor<67xi32>,
        tensor<129xi32>,
        tensor<i32>,
        tensor<129xi32>,
        tensor<129xi64>,
        tensor<129xi32>,
        tensor<129xi64>,
        tensor<67xi32>,
        tensor<67xi64>,
        tensor<67xi32>,
        tensor<67xi64>,
        tensor<67xi64>,
        tensor<129xi64>,
        tensor<i64>,
        tensor<67xui8>,
        tensor<129xui8>,
        tensor<ui8>,
        tensor<67xi1>,
        tensor<129xi1>,
        tensor<i1>,
        tensor<67xi1>,
        tensor<129xi1>,
        tensor<i1>) {
  %0 = graph.reduce sum, %x_f32 dims [1] : (tensor<67x129xf32>) -> tensor<67xf32>
  %1 = graph.reduce sum, %x_f32 dims [0] : (tensor<67x129xf32>) -> tensor<129xf32>
  %2 = graph.reduce sum, %x_f32 dims [0, 1] : (tensor<67x129xf32>) -> tensor<f32>
  %3 = graph.reduce max, %x_f32 dims [1] : (tensor<67x129xf32>) -> tensor<67xf32>
  %4 = graph.reduce max, %x_f32 dims [0] : (tensor<67x129xf32>) -> tensor<129xf32>
  %5 = graph.reduce max, %x_f32 dims [0, 1] : (tensor<67x129xf32>) -> tensor<f32>
  %6:2 = graph.arg_reduce max, %x_f32 dim 0 : (tensor<67x129xf32>) -> (tensor<129xf32>, tensor<129xi64>)
  %7:2 = graph.arg_reduce min, %x_f32 dim 0 : (tensor<67x129xf32>) -> (tensor<129xf32>, tensor<129xi64>)
  %8:2 = graph.arg_reduce max, %x_f32 dim 1 : (tensor<67x129xf32>) -> (tensor<67xf32>, tensor<67xi64>)
  %9:2 = graph.arg_reduce min, %x_f32 dim 1 : (tensor<67x129xf32>) -> (tensor<67xf32>, tensor<67xi64>)
  %10 = graph.reduce sum, %x_bf16 dims [1] : (tensor<67x129xbf16>) -> tensor<67xbf16>
  %11 = graph.reduce sum, %x_bf16 dims [0] : (tensor<67x129xbf16>) -> tensor<129xbf16>
  %12 = graph.reduce sum, %x_bf16 dims [0, 1] : (tensor<67x129xbf16>) -> tensor<bf16>
  %13 = graph.reduce min, %x_bf16 dims [1] : (tensor<67x129xbf16>) -> tensor<67xbf16>
  %14 = graph.reduce min, %x_bf16 dims [0] : (tensor<67x129xbf16>) -> tensor<129xbf16>
  %15 = graph.reduce min, %x_bf16 dims [0, 1] : (tensor<67x129xbf16>) -> tensor<bf16>
  %16:2 = graph.arg_reduce max, %x_bf16 dim 0 : (tensor<67x129xbf16>) -> (tensor<129xbf16>, tensor<129xi64>)
  %17:2 = graph.arg_reduce min, %x_bf16 dim 0 : (tensor<67x129xbf16>) -> (tensor<129xbf16>, tensor<129xi64>)
  %18:2 = graph.arg_reduce max, %x_bf16 dim 1 : (tensor<67x129xbf16>) -> (tensor<67xbf16>, tensor<67xi64>)
  %19:2 = graph.arg_reduce min, %x_bf16 dim 1 : (tensor<67x129xbf16>) -> (tensor<67xbf16>, tensor<67xi64>)
  %20 = graph.reduce sum, %x_f16 dims [1] : (tensor<67x129xf16>) -> tensor<67xf16>
  %21 = graph.reduce sum, %x_f16 dims [0] : (tensor<67x129xf16>) -> tensor<129xf16>
  %22 = graph.reduce sum, %x_f16 dims [0, 1] : (tensor<67x129xf16>) -> tensor<f16>
  %23 = graph.reduce sum, %x_f64 dims [1] : (tensor<67x129xf64>) -> tensor<67xf64>
  %24 = graph.reduce sum, %x_f64 dims [0] : (tensor<67x129xf64>) -> tensor<129xf64>
  %25 = graph.reduce sum, %x_f64 dims [0, 1] : (tensor<67x129xf64>) -> tensor<f64>
  %26 = graph.reduce max, %x_f64 dims [1] : (tensor<67x129xf64>) -> tensor<67xf64>
  %27 = graph.reduce max, %x_f64 dims [0] : (tensor<67x129xf64>) -> tensor<129xf64>
  %28 = graph.reduce max, %x_f64 dims [0, 1] : (tensor<67x129xf64>) -> tensor<f64>
  %29 = graph.reduce sum, %x_i32 dims [1] : (tensor<67x129xi32>) -> tensor<67xi32>
  %30 = graph.reduce sum, %x_i32 dims [0] : (tensor<67x129xi32>) -> tensor<129xi32>
  %31 = graph.reduce sum, %x_i32 dims [0, 1] : (tensor<67x129xi32>) -> tensor<i32>
  %32 = graph.reduce max, %x_i32 dims [1] : (tensor<67x129xi32>) -> tensor<67xi32>
  %33 = graph.reduce max, %x_i32 dims [0] : (tensor<67x129xi32>) -> tensor<129xi32>
  %34 = graph.reduce max, %x_i32 dims [0, 1] : (tensor<67x129xi32>) -> tensor<i32>
  %35:2 = graph.arg_reduce max, %x_i32 dim 0 : (tensor<67x129xi32>) -> (tensor<129xi32>, tensor<129xi64>)
  %36:2 = graph.arg_reduce min, %x_i32 dim 0 : (tensor<67x129xi32>) -> (tensor<129xi32>, tensor<129xi64>)
  %37:2 = graph.arg_reduce max, %x_i32 dim 1 : (tensor<67x129xi32>) -> (tensor<67xi32>, tensor<67xi64>)
  %38:2 = graph.arg_reduce min, %x_i32 dim 1 : (tensor<67x129xi32>) -> (tensor<67xi32>, tensor<67xi64>)
  %39 = graph.reduce min, %x_i64 dims [1] : (tensor<67x129xi64>) -> tensor<67xi64>
  %40 = graph.reduce min, %x_i64 dims [0] : (tensor<67x129xi64>) -> tensor<129xi64>
  %41 = graph.reduce min, %x_i64 dims [0, 1] : (tensor<67x129xi64>) -> tensor<i64>
  %42 = graph.reduce max, %x_ui8 dims [1] : (tensor<67x129xui8>) -> tensor<67xui8>
  %43 = graph.reduce max, %x_ui8 dims [0] : (tensor<67x129xui8>) -> tensor<129xui8>
  %44 = graph.reduce max, %x_ui8 dims [0, 1] : (tensor<67x129xui8>) -> tensor<ui8>
  %45 = graph.reduce any, %x_i1 dims [1] : (tensor<67x129xi1>) -> tensor<67xi1>
  %46 = graph.reduce any, %x_i1 dims [0] : (tensor<67x129xi1>) -> tensor<129xi1>
  %47 = graph.reduce any, %x_i1 dims [0, 1] : (tensor<67x129xi1>) -> tensor<i1>
  %48 = graph.reduce all, %x_i1 dims [1] : (tensor<67x129xi1>) -> tensor<67xi1>
  %49 = graph.reduce all, %x_i1 dims [0] : (tensor<67x129xi1>) -> tensor<129xi1>
  %50 = graph.reduce all, %x_i1 dims [0, 1] : (tensor<67x129xi1>) -> tensor<i1>
  return %0, %1, %2, %3, %4, %5, %6#0, %6#1, %7#0, %7#1, %8#0, %8#1, %9#0, %9#1, %10, %11, %12, %13, %14, %15, %16#0, %16#1, %17#0, %17#1, %18#0, %18#1, %19#0, %19#1, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35#0, %35#1, %36#0, %36#1, %37#0, %37#1, %38#0, %38#1, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50 :
      tensor<67xf32>,
      tensor<129xf32>,
      tensor<f32>,
      tensor<67xf32>,
      tensor<129xf32>,
      tensor<f32>,
      tensor<129xf32>,
      tensor<129xi64>,
      tensor<129xf32>,
      tensor<129xi64>,
      tensor<67xf32>,
      tensor<67xi64>,
      tensor<67xf32>,
      tensor<67xi64>,
      tensor<67xbf16>,
      tensor<129xbf16>,
      tensor<bf16>,
      tensor<67xbf16>,
      tensor<129xbf16>,
      tensor<bf16>,
      tensor<129xbf16>,
      tensor<129xi64>,
      tensor<129xbf16>,
      tensor<129xi64>,
      tensor<67xbf16>,
      tensor<67xi64>,
      tensor<67xbf16>,
      tensor<67xi64>,
      tensor<67xf16>,
      tensor<129xf16>,
      tensor<f16>,
      tensor<67xf64>,
      tensor<129xf64>,
      tensor<f64>,
      tensor<67xf64>,
      tensor<129xf64>,
      tensor<f64>,
      tensor<67xi32>,
      tensor<129xi32>,
      tensor<i32>,
      tensor<67xi32>,
      tensor<129xi32>,
      tensor<i32>,
      tensor<129xi32>,
      tensor<129xi64>,
      tensor<129xi32>,
      tensor<129xi64>,
      tensor<67xi32>,
      tensor<67xi64>,
      tensor<67xi32>,
      tensor<67xi64>,
      tensor<67xi64>,
      tensor<129xi64>,
      tensor<i64>,
      tensor<67xui8>,
      tensor<129xui8>,
      tensor<ui8>,
      tensor<67xi1>,
      tensor<129xi1>,
      tensor<i1>,
      tensor<67xi1>,
      tensor<129xi1>,
      tensor<i1>
}
