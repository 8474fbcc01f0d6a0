// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90 --library=none --random-inputs --symbol=s0=0 --reference=interp
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90 --library=none --random-inputs --symbol=s0=1 --reference=interp
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90 --library=none --random-inputs --symbol=s0=2 --reference=interp
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90 --library=none --random-inputs --symbol=s0=31 --reference=interp
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90 --library=none --random-inputs --symbol=s0=33 --reference=interp
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90 --library=none --random-inputs --symbol=s0=257 --reference=interp
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90 --library=none --random-inputs --symbol=s0=4101 --reference=interp

// Elementwise programs of every element type, at sizes with and without whole
// vectors, warps and blocks.

func.func @main(%x_f32: tensor<?xf32, #sym.shape<[s0]>>,
    %y_f32: tensor<?xf32, #sym.shape<[s0]>>,
    %x_bf16: tensor<?xbf16, #sym.shape<[s0]>>,
    %y_bf16: tensor<?xbf16, #sym.shape<[s0]>>,
    %x_f16: tensor<?xf16, #sym.shape<[s0]>>,
    %y_f16: tensor<?xf16, #sym.shape<[s0]>>,
    %x_f64: tensor<?xf64, #sym.shape<[s0]>>,
    %y_f64: tensor<?xf64, #sym.shape<[s0]>>,
    %x_i8: tensor<?xi8, #sym.shape<[s0]>>,
    %y_i8: tensor<?xi8, #sym.shape<[s0]>>,
    %x_ui8: tensor<?xui8, #sym.shape<[s0]>>,
    %y_ui8: tensor<?xui8, #sym.shape<[s0]>>,
    %x_i16: tensor<?xi16, #sym.shape<[s0]>>,
    %y_i16: tensor<?xi16, #sym.shape<[s0]>>,
    %x_i32: tensor<?xi32, #sym.shape<[s0]>>,
    %y_i32: tensor<?xi32, #sym.shape<[s0]>>,
    %x_i64: tensor<?xi64, #sym.shape<[s0]>>,
    %y_i64: tensor<?xi64, #sym.shape<[s0]>>,
    %p: tensor<?xi1, #sym.shape<[s0]>>,
    %q: tensor<?xi1, #sym.shape<[s0]>>)
    -> (tensor<?xf32, #sym.shape<[s0]>>,
        tensor<?xf32, #sym.shape<[s0]>>,
        tensor<?xi1, #sym.shape<[s0]>>,
        tensor<?xf32, #sym.shape<[s0]>>,
        tensor<?xi32, #sym.shape<[s0]>>,
        tensor<?xbf16, #sym.shape<[s0]>>,
        tensor<?xbf16, #sym.shape<[s0]>>,
        tensor<?xi1, #sym.shape<[s0]>>,
        tensor<?xbf16, #sym.shape<[s0]>>,
        tensor<?xf32, #sym.shape<[s0]>>,
        tensor<?xi32, #sym.shape<[s0]>>,
        tensor<?xf16, #sym.shape<[s0]>>,
        tensor<?xf16, #sym.shape<[s0]>>,
        tensor<?xi1, #sym.shape<[s0]>>,
        tensor<?xf16, #sym.shape<[s0]>>,
        tensor<?xf32, #sym.shape<[s0]>>,
        tensor<?xi32, #sym.shape<[s0]>>,
        tensor<?xf64, #sym.shape<[s0]>>,
        tensor<?xf64, #sym.shape<[s0]>>,
        tensor<?xi1, #sym.shape<[s0]>>,
        tensor<?xf64, #sym.shape<[s0]>>,
        tensor<?xf32, #sym.shape<[s0]>>,
        tensor<?xi32, #sym.shape<[s0]>>,
        tensor<?xi8, #sym.shape<[s0]>>,
        tensor<?xi8, #sym.shape<[s0]>>,
        tensor<?xi1, #sym.shape<[s0]>>,
        tensor<?xf32, #sym.shape<[s0]>>,
        tensor<?xui8, #sym.shape<[s0]>>,
        tensor<?xui8, #sym.shape<[s0]>>,
        tensor<?xi1, #sym.shape<[s0]>>,
        tensor<?xf32, #sym.shape<[s0]>>,
        tensor<?xi16, #sym.shape<[s0]>>,
        tensor<?xi16, #sym.shape<[s0]>>,
        tensor<?xi1, #sym.shape<[s0]>>,
        tensor<?xf32, #sym.shape<[s0]>>,
        tensor<?xi32, #sym.shape<[s0]>>,
        tensor<?xi32, #sym.shape<[s0]>>,
        tensor<?xi1, #sym.shape<[s0]>>,
        tensor<?xf32, #sym.shape<[s0]>>,
        tensor<?xi64, #sym.shape<[s0]>>,
        tensor<?xi64, #sym.shape<[s0]>>,
        tensor<?xi1, #sym.shape<[s0]>>,
        tensor<?xf32, #sym.shape<[s0]>>,
        tensor<?xi1, #sym.shape<[s0]>>,
        tensor<?xf16, #sym.shape<[s0]>>)
    attributes {sym.symbols = {s0 = #sym.range<0, 100000>}} {
  %0 = graph.mul %x_f32, %y_f32 : (tensor<?xf32, #sym.shape<[s0]>>, tensor<?xf32, #sym.shape<[s0]>>) -> tensor<?xf32, #sym.shape<[s0]>>
  %1 = graph.exp %0 : (tensor<?xf32, #sym.shape<[s0]>>) -> tensor<?xf32, #sym.shape<[s0]>>
  %2 = graph.add %1, %y_f32 : (tensor<?xf32, #sym.shape<[s0]>>, tensor<?xf32, #sym.shape<[s0]>>) -> tensor<?xf32, #sym.shape<[s0]>>
  %3 = graph.tanh %2 : (tensor<?xf32, #sym.shape<[s0]>>) -> tensor<?xf32, #sym.shape<[s0]>>
  %4 = graph.div %x_f32, %3 : (tensor<?xf32, #sym.shape<[s0]>>, tensor<?xf32, #sym.shape<[s0]>>) -> tensor<?xf32, #sym.shape<[s0]>>
  %5 = graph.compare lt, %x_f32, %y_f32 : (tensor<?xf32, #sym.shape<[s0]>>, tensor<?xf32, #sym.shape<[s0]>>) -> tensor<?xi1, #sym.shape<[s0]>>
  %6 = graph.select %5, %3, %x_f32 : (tensor<?xi1, #sym.shape<[s0]>>, tensor<?xf32, #sym.shape<[s0]>>, tensor<?xf32, #sym.shape<[s0]>>) -> tensor<?xf32, #sym.shape<[s0]>>
  %7 = graph.maximum %6, %y_f32 : (tensor<?xf32, #sym.shape<[s0]>>, tensor<?xf32, #sym.shape<[s0]>>) -> tensor<?xf32, #sym.shape<[s0]>>
  %8 = graph.convert %7 : (tensor<?xf32, #sym.shape<[s0]>>) -> tensor<?xi32, #sym.shape<[s0]>>
  %9 = graph.mul %x_bf16, %y_bf16 : (tensor<?xbf16, #sym.shape<[s0]>>, tensor<?xbf16, #sym.shape<[s0]>>) -> tensor<?xbf16, #sym.shape<[s0]>>
  %10 = graph.exp %9 : (tensor<?xbf16, #sym.shape<[s0]>>) -> tensor<?xbf16, #sym.shape<[s0]>>
  %11 = graph.add %10, %y_bf16 : (tensor<?xbf16, #sym.shape<[s0]>>, tensor<?xbf16, #sym.shape<[s0]>>) -> tensor<?xbf16, #sym.shape<[s0]>>
  %12 = graph.tanh %11 : (tensor<?xbf16, #sym.shape<[s0]>>) -> tensor<?xbf16, #sym.shape<[s0]>>
  %13 = graph.div %x_bf16, %12 : (tensor<?xbf16, #sym.shape<[s0]>>, tensor<?xbf16, #sym.shape<[s0]>>) -> tensor<?xbf16, #sym.shape<[s0]>>
  %14 = graph.compare lt, %x_bf16, %y_bf16 : (tensor<?xbf16, #sym.shape<[s0]>>, tensor<?xbf16, #sym.shape<[s0]>>) -> tensor<?xi1, #sym.shape<[s0]>>
  %15 = graph.select %14, %12, %x_bf16 : (tensor<?xi1, #sym.shape<[s0]>>, tensor<?xbf16, #sym.shape<[s0]>>, tensor<?xbf16, #sym.shape<[s0]>>) -> tensor<?xbf16, #sym.shape<[s0]>>
  %16 = graph.maximum %15, %y_bf16 : (tensor<?xbf16, #sym.shape<[s0]>>, tensor<?xbf16, #sym.shape<[s0]>>) -> tensor<?xbf16, #sym.shape<[s0]>>
  %17 = graph.convert %x_bf16 : (tensor<?xbf16, #sym.shape<[s0]>>) -> tensor<?xf32, #sym.shape<[s0]>>
  %18 = graph.convert %16 : (tensor<?xbf16, #sym.shape<[s0]>>) -> tensor<?xi32, #sym.shape<[s0]>>
  %19 = graph.mul %x_f16, %y_f16 : (tensor<?xf16, #sym.shape<[s0]>>, tensor<?xf16, #sym.shape<[s0]>>) -> tensor<?xf16, #sym.shape<[s0]>>
  %20 = graph.exp %19 : (tensor<?xf16, #sym.shape<[s0]>>) -> tensor<?xf16, #sym.shape<[s0]>>
  %21 = graph.add %20, %y_f16 : (tensor<?xf16, #sym.shape<[s0]>>, tensor<?xf16, #sym.shape<[s0]>>) -> tensor<?xf16, #sym.shape<[s0]>>
  %22 = graph.tanh %21 : (tensor<?xf16, #sym.shape<[s0]>>) -> tensor<?xf16, #sym.shape<[s0]>>
  %23 = graph.div %x_f16, %22 : (tensor<?xf16, #sym.shape<[s0]>>, tensor<?xf16, #sym.shape<[s0]>>) -> tensor<?xf16, #sym.shape<[s0]>>
  %24 = graph.compare lt, %x_f16, %y_f16 : (tensor<?xf16, #sym.shape<[s0]>>, tensor<?xf16, #sym.shape<[s0]>>) -> tensor<?xi1, #sym.shape<[s0]>>
  %25 = graph.select %24, %22, %x_f16 : (tensor<?xi1, #sym.shape<[s0]>>, tensor<?xf16, #sym.shape<[s0]>>, tensor<?xf16, #sym.shape<[s0]>>) -> tensor<?xf16, #sym.shape<[s0]>>
  %26 = graph.maximum %25, %y_f16 : (tensor<?xf16, #sym.shape<[s0]>>, tensor<?xf16, #sym.shape<[s0]>>) -> tensor<?xf16, #sym.shape<[s0]>>
  %27 = graph.convert %x_f16 : (tensor<?xf16, #sym.shape<[s0]>>) -> tensor<?xf32, #sym.shape<[s0]>>
  %28 = graph.convert %26 : (tensor<?xf16, #sym.shape<[s0]>>) -> tensor<?xi32, #sym.shape<[s0]>>
  %29 = graph.mul %x_f64, %y_f64 : (tensor<?xf64, #sym.shape<[s0]>>, tensor<?xf64, #sym.shape<[s0]>>) -> tensor<?xf64, #sym.shape<[s0]>>
  %30 = graph.exp %29 : (tensor<?xf64, #sym.shape<[s0]>>) -> tensor<?xf64, #sym.shape<[s0]>>
  %31 = graph.add %30, %y_f64 : (tensor<?xf64, #sym.shape<[s0]>>, tensor<?xf64, #sym.shape<[s0]>>) -> tensor<?xf64, #sym.shape<[s0]>>
  %32 = graph.tanh %31 : (tensor<?xf64, #sym.shape<[s0]>>) -> tensor<?xf64, #sym.shape<[s0]>>
  %33 = graph.div %x_f64, %32 : (tensor<?xf64, #sym.shape<[s0]>>, tensor<?xf64, #sym.shape<[s0]>>) -> tensor<?xf64, #sym.shape<[s0]>>
  %34 = graph.compare lt, %x_f64, %y_f64 : (tensor<?xf64, #sym.shape<[s0]>>, tensor<?xf64, #sym.shape<[s0]>>) -> tensor<?xi1, #sym.shape<[s0]>>
  %35 = graph.select %34, %32, %x_f64 : (tensor<?xi1, #sym.shape<[s0]>>, tensor<?xf64, #sym.shape<[s0]>>, tensor<?xf64, #sym.shape<[s0]>>) -> tensor<?xf64, #sym.shape<[s0]>>
  %36 = graph.maximum %35, %y_f64 : (tensor<?xf64, #sym.shape<[s0]>>, tensor<?xf64, #sym.shape<[s0]>>) -> tensor<?xf64, #sym.shape<[s0]>>
  %37 = graph.convert %x_f64 : (tensor<?xf64, #sym.shape<[s0]>>) -> tensor<?xf32, #sym.shape<[s0]>>
  %38 = graph.convert %36 : (tensor<?xf64, #sym.shape<[s0]>>) -> tensor<?xi32, #sym.shape<[s0]>>
  %39 = graph.mul %x_i8, %y_i8 : (tensor<?xi8, #sym.shape<[s0]>>, tensor<?xi8, #sym.shape<[s0]>>) -> tensor<?xi8, #sym.shape<[s0]>>
  %40 = graph.sub %39, %x_i8 : (tensor<?xi8, #sym.shape<[s0]>>, tensor<?xi8, #sym.shape<[s0]>>) -> tensor<?xi8, #sym.shape<[s0]>>
  %41 = graph.bitwise_xor %40, %y_i8 : (tensor<?xi8, #sym.shape<[s0]>>, tensor<?xi8, #sym.shape<[s0]>>) -> tensor<?xi8, #sym.shape<[s0]>>
  %42 = graph.compare ge, %41, %y_i8 : (tensor<?xi8, #sym.shape<[s0]>>, tensor<?xi8, #sym.shape<[s0]>>) -> tensor<?xi1, #sym.shape<[s0]>>
  %43 = graph.convert %41 : (tensor<?xi8, #sym.shape<[s0]>>) -> tensor<?xf32, #sym.shape<[s0]>>
  %44 = graph.mul %x_ui8, %y_ui8 : (tensor<?xui8, #sym.shape<[s0]>>, tensor<?xui8, #sym.shape<[s0]>>) -> tensor<?xui8, #sym.shape<[s0]>>
  %45 = graph.sub %44, %x_ui8 : (tensor<?xui8, #sym.shape<[s0]>>, tensor<?xui8, #sym.shape<[s0]>>) -> tensor<?xui8, #sym.shape<[s0]>>
  %46 = graph.bitwise_xor %45, %y_ui8 : (tensor<?xui8, #sym.shape<[s0]>>, tensor<?xui8, #sym.shape<[s0]>>) -> tensor<?xui8, #sym.shape<[s0]>>
  %47 = graph.compare ge, %46, %y_ui8 : (tensor<?xui8, #sym.shape<[s0]>>, tensor<?xui8, #sym.shape<[s0]>>) -> tensor<?xi1, #sym.shape<[s0]>>
  %48 = graph.convert %46 : (tensor<?xui8, #sym.shape<[s0]>>) -> tensor<?xf32, #sym.shape<[s0]>>
  %49 = graph.mul %x_i16, %y_i16 : (tensor<?xi16, #sym.shape<[s0]>>, tensor<?xi16, #sym.shape<[s0]>>) -> tensor<?xi16, #sym.shape<[s0]>>
  %50 = graph.sub %49, %x_i16 : (tensor<?xi16, #sym.shape<[s0]>>, tensor<?xi16, #sym.shape<[s0]>>) -> tensor<?xi16, #sym.shape<[s0]>>
  %51 = graph.bitwise_xor %50, %y_i16 : (tensor<?xi16, #sym.shape<[s0]>>, tensor<?xi16, #sym.shape<[s0]>>) -> tensor<?xi16, #sym.shape<[s0]>>
  %52 = graph.compare ge, %51, %y_i16 : (tensor<?xi16, #sym.shape<[s0]>>, tensor<?xi16, #sym.shape<[s0]>>) -> tensor<?xi1, #sym.shape<[s0]>>
  %53 = graph.convert %51 : (tensor<?xi16, #sym.shape<[s0]>>) -> tensor<?xf32, #sym.shape<[s0]>>
  %54 = graph.mul %x_i32, %y_i32 : (tensor<?xi32, #sym.shape<[s0]>>, tensor<?xi32, #sym.shape<[s0]>>) -> tensor<?xi32, #sym.shape<[s0]>>
  %55 = graph.sub %54, %x_i32 : (tensor<?xi32, #sym.shape<[s0]>>, tensor<?xi32, #sym.shape<[s0]>>) -> tensor<?xi32, #sym.shape<[s0]>>
  %56 = graph.bitwise_xor %55, %y_i32 : (tensor<?xi32, #sym.shape<[s0]>>, tensor<?xi32, #sym.shape<[s0]>>) -> tensor<?xi32, #sym.shape<[s0]>>
  %57 = graph.compare ge, %56, %y_i32 : (tensor<?xi32, #sym.shape<[s0]>>, tensor<?xi32, #sym.shape<[s0]>>) -> tensor<?xi1, #sym.shape<[s0]>>
  %58 = graph.convert %56 : (tensor<?xi32, #sym.shape<[s0]>>) -> tensor<?xf32, #sym.shape<[s0]>>
  %59 = graph.mul %x_i64, %y_i64 : (tensor<?xi64, #sym.shape<[s0]>>, tensor<?xi64, #sym.shape<[s0]>>) -> tensor<?xi64, #sym.shape<[s0]>>
  %60 = graph.sub %59, %x_i64 : (tensor<?xi64, #sym.shape<[s0]>>, tensor<?xi64, #sym.shape<[s0]>>) -> tensor<?xi64, #sym.shape<[s0]>>
  %61 = graph.bitwise_xor %60, %y_i64 : (tensor<?xi64, #sym.shape<[s0]>>, tensor<?xi64, #sym.shape<[s0]>>) -> tensor<?xi64, #sym.shape<[s0]>>
  %62 = graph.compare ge, %61, %y_i64 : (tensor<?xi64, #sym.shape<[s0]>>, tensor<?xi64, #sym.shape<[s0]>>) -> tensor<?xi1, #sym.shape<[s0]>>
  %63 = graph.convert %61 : (tensor<?xi64, #sym.shape<[s0]>>) -> tensor<?xf32, #sym.shape<[s0]>>
  %64 = graph.bitwise_and %p, %q : (tensor<?xi1, #sym.shape<[s0]>>, tensor<?xi1, #sym.shape<[s0]>>) -> tensor<?xi1, #sym.shape<[s0]>>
  %65 = graph.bitwise_not %64 : (tensor<?xi1, #sym.shape<[s0]>>) -> tensor<?xi1, #sym.shape<[s0]>>
  %66 = graph.convert %65 : (tensor<?xi1, #sym.shape<[s0]>>) -> tensor<?xf16, #sym.shape<[s0]>>
  return %3, %4, %5, %7, %8, %12, %13, %14, %16, %17, %18, %22, %23, %24, %26, %27, %28, %32, %33, %34, %36, %37, %38, %40, %41, %42, %43, %45, %46, %47, %48, %50, %51, %52, %53, %55, %56, %57, %58, %60, %61, %62, %63, %65, %66 :
      tensor<?xf32, #sym.shape<[s0]>>,
      tensor<?xf32, #sym.shape<[s0]>>,
      tensor<?xi1, #sym.shape<[s0]>>,
      tensor<?xf32, #sym.shape<[s0]>>,
      tensor<?xi32, #sym.shape<[s0]>>,
      tensor<?xbf16, #sym.shape<[s0]>>,
      tensor<?xbf16, #sym.shape<[s0]>>,
      tensor<?xi1, #sym.shape<[s0]>>,
      tensor<?xbf16, #sym.shape<[s0]>>,
      tensor<?xf32, #sym.shape<[s0]>>,
      tensor<?xi32, #sym.shape<[s0]>>,
      tensor<?xf16, #sym.shape<[s0]>>,
      tensor<?xf16, #sym.shape<[s0]>>,
      tensor<?xi1, #sym.shape<[s0]>>,
      tensor<?xf16, #sym.shape<[s0]>>,
      tensor<?xf32, #sym.shape<[s0]>>,
      tensor<?xi32, #sym.shape<[s0]>>,
      tensor<?xf64, #sym.shape<[s0]>>,
      tensor<?xf64, #sym.shape<[s0]>>,
      tensor<?xi1, #sym.shape<[s0]>>,
      tensor<?xf64, #sym.shape<[s0]>>,
      tensor<?xf32, #sym.shape<[s0]>>,
      tensor<?xi32, #sym.shape<[s0]>>,
      tensor<?xi8, #sym.shape<[s0]>>,
      tensor<?xi8, #sym.shape<[s0]>>,
      tensor<?xi1, #sym.shape<[s0]>>,
      tensor<?xf32, #sym.shape<[s0]>>,
      tensor<?xui8, #sym.shape<[s0]>>,
      tensor<?xui8, #sym.shape<[s0]>>,
      tensor<?xi1, #sym.shape<[s0]>>,
      tensor<?xf32, #sym.shape<[s0]>>,
      tensor<?xi16, #sym.shape<[s0]>>,
      tensor<?xi16, #sym.shape<[s0]>>,
      tensor<?xi1, #sym.shape<[s0]>>,
      tensor<?xf32, #sym.shape<[s0]>>,
      tensor<?xi32, #sym.shape<[s0]>>,
      tensor<?xi32, #sym.shape<[s0]>>,
      tensor<?xi1, #sym.shape<[s0]>>,
      tensor<?xf32, #sym.shape<[s0]>>,
      tensor<?xi64, #sym.shape<[s0]>>,
      tensor<?xi64, #sym.shape<[s0]>>,
      tensor<?xi1, #sym.shape<[s0]>>,
      tensor<?xf32, #sym.shape<[s0]>>,
      tensor<?xi1, #sym.shape<[s0]>>,
      tensor<?xf16, #sym.shape<[s0]>>
}
