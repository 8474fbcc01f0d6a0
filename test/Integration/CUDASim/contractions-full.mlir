// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90 --library=none --random-inputs --reference=interp
// RUN: %cuda_sim coil-run %s --target=cuda:sm_75 --library=none --random-inputs --reference=interp

// Products of matrices of 32 and 64 bits.

func.func @main(%a0: tensor<40x36xf32>,
    %a1: tensor<36x72xf32>,
    %a2: tensor<37x31xf32>,
    %a3: tensor<31x23xf32>,
    %a4: tensor<40x36xf32>,
    %a5: tensor<72x36xf32>,
    %a6: tensor<37x31xf32>,
    %a7: tensor<23x31xf32>,
    %a8: tensor<36x40xf32>,
    %a9: tensor<36x72xf32>,
    %a10: tensor<31x37xf32>,
    %a11: tensor<31x23xf32>,
    %a12: tensor<36x40xf32>,
    %a13: tensor<72x36xf32>,
    %a14: tensor<31x37xf32>,
    %a15: tensor<23x31xf32>,
    %a16: tensor<64x48xf32>,
    %a17: tensor<48x128xf32>,
    %a18: tensor<40x36xf64>,
    %a19: tensor<36x72xf64>,
    %a20: tensor<37x31xf64>,
    %a21: tensor<31x23xf64>,
    %a22: tensor<40x36xf64>,
    %a23: tensor<72x36xf64>,
    %a24: tensor<37x31xf64>,
    %a25: tensor<23x31xf64>,
    %a26: tensor<36x40xf64>,
    %a27: tensor<36x72xf64>,
    %a28: tensor<31x37xf64>,
    %a29: tensor<31x23xf64>,
    %a30: tensor<36x40xf64>,
    %a31: tensor<72x36xf64>,
    %a32: tensor<31x37xf64>,
    %a33: tensor<23x31xf64>,
    %a34: tensor<64x48xf64>,
    %a35: tensor<48x128xf64>,
    %a36: tensor<40x36xi32>,
    %a37: tensor<36x72xi32>,
    %a38: tensor<37x31xi32>,
    %a39: tensor<31x23xi32>,
    %a40: tensor<40x36xi32>,
    %a41: tensor<72x36xi32>,
    %a42: tensor<37x31xi32>,
    %a43: tensor<23x31xi32>,
    %a44: tensor<36x40xi32>,
    %a45: tensor<36x72xi32>,
    %a46: tensor<31x37xi32>,
    %a47: tensor<31x23xi32>,
    %a48: tensor<36x40xi32>,
    %a49: tensor<72x36xi32>,
    %a50: tensor<31x37xi32>,
    %a51: tensor<23x31xi32>,
    %a52: tensor<64x48xi32>,
    %a53: tensor<48x128xi32>,
    %a54: tensor<40x36xi64>,
    %a55: tensor<36x72xi64>,
    %a56: tensor<37x31xi64>,
    %a57: tensor<31x23xi64>,
    %a58: tensor<40x36xi64>,
    %a59: tensor<72x36xi64>,
    %a60: tensor<37x31xi64>,
    %a61: tensor<23x31xi64>,
    %a62: tensor<36x40xi64>,
    %a63: tensor<36x72xi64>,
    %a64: tensor<31x37xi64>,
    %a65: tensor<31x23xi64>,
    %a66: tensor<36x40xi64>,
    %a67: tensor<72x36xi64>,
    %a68: tensor<31x37xi64>,
    %a69: tensor<23x31xi64>,
    %a70: tensor<64x48xi64>,
    %a71: tensor<48x128xi64>)
    -> (tensor<40x72xf32>,
        tensor<37x23xf32>,
        tensor<40x72xf32>,
        tensor<37x23xf32>,
        tensor<40x72xf32>,
        tensor<37x23xf32>,
        tensor<40x72xf32>,
        tensor<37x23xf32>,
        tensor<64x128xf32>,
        tensor<40x72xf64>,
        tensor<37x23xf64>,
        tensor<40x72xf64>,
        tensor<37x23xf64>,
        tensor<40x72xf64>,
        tensor<37x23xf64>,
        tensor<40x72xf64>,
        tensor<37x23xf64>,
        tensor<64x128xf64>,
        tensor<40x72xi32>,
        tensor<37x23xi32>,
        tensor<40x72xi32>,
        tensor<37x23xi32>,
        tensor<40x72xi32>,
        tensor<37x23xi32>,
        tensor<40x72xi32>,
        tensor<37x23xi32>,
        tensor<64x128xi32>,
        tensor<40x72xi64>,
        tensor<37x23xi64>,
        tensor<40x72xi64>,
        tensor<37x23xi64>,
        tensor<40x72xi64>,
        tensor<37x23xi64>,
        tensor<40x72xi64>,
        tensor<37x23xi64>,
        tensor<64x128xi64>) {
  %0 = graph.matmul %a0, %a1 : (tensor<40x36xf32>, tensor<36x72xf32>) -> tensor<40x72xf32>
  %1 = graph.matmul %a2, %a3 : (tensor<37x31xf32>, tensor<31x23xf32>) -> tensor<37x23xf32>
  %2 = graph.permute %a5 [1, 0] : (tensor<72x36xf32>) -> tensor<36x72xf32>
  %3 = graph.matmul %a4, %2 : (tensor<40x36xf32>, tensor<36x72xf32>) -> tensor<40x72xf32>
  %4 = graph.permute %a7 [1, 0] : (tensor<23x31xf32>) -> tensor<31x23xf32>
  %5 = graph.matmul %a6, %4 : (tensor<37x31xf32>, tensor<31x23xf32>) -> tensor<37x23xf32>
  %6 = graph.permute %a8 [1, 0] : (tensor<36x40xf32>) -> tensor<40x36xf32>
  %7 = graph.matmul %6, %a9 : (tensor<40x36xf32>, tensor<36x72xf32>) -> tensor<40x72xf32>
  %8 = graph.permute %a10 [1, 0] : (tensor<31x37xf32>) -> tensor<37x31xf32>
  %9 = graph.matmul %8, %a11 : (tensor<37x31xf32>, tensor<31x23xf32>) -> tensor<37x23xf32>
  %10 = graph.permute %a12 [1, 0] : (tensor<36x40xf32>) -> tensor<40x36xf32>
  %11 = graph.permute %a13 [1, 0] : (tensor<72x36xf32>) -> tensor<36x72xf32>
  %12 = graph.matmul %10, %11 : (tensor<40x36xf32>, tensor<36x72xf32>) -> tensor<40x72xf32>
  %13 = graph.permute %a14 [1, 0] : (tensor<31x37xf32>) -> tensor<37x31xf32>
  %14 = graph.permute %a15 [1, 0] : (tensor<23x31xf32>) -> tensor<31x23xf32>
  %15 = graph.matmul %13, %14 : (tensor<37x31xf32>, tensor<31x23xf32>) -> tensor<37x23xf32>
  %16 = graph.matmul %a16, %a17 : (tensor<64x48xf32>, tensor<48x128xf32>) -> tensor<64x128xf32>
  %17 = graph.matmul %a18, %a19 : (tensor<40x36xf64>, tensor<36x72xf64>) -> tensor<40x72xf64>
  %18 = graph.matmul %a20, %a21 : (tensor<37x31xf64>, tensor<31x23xf64>) -> tensor<37x23xf64>
  %19 = graph.permute %a23 [1, 0] : (tensor<72x36xf64>) -> tensor<36x72xf64>
  %20 = graph.matmul %a22, %19 : (tensor<40x36xf64>, tensor<36x72xf64>) -> tensor<40x72xf64>
  %21 = graph.permute %a25 [1, 0] : (tensor<23x31xf64>) -> tensor<31x23xf64>
  %22 = graph.matmul %a24, %21 : (tensor<37x31xf64>, tensor<31x23xf64>) -> tensor<37x23xf64>
  %23 = graph.permute %a26 [1, 0] : (tensor<36x40xf64>) -> tensor<40x36xf64>
  %24 = graph.matmul %23, %a27 : (tensor<40x36xf64>, tensor<36x72xf64>) -> tensor<40x72xf64>
  %25 = graph.permute %a28 [1, 0] : (tensor<31x37xf64>) -> tensor<37x31xf64>
  %26 = graph.matmul %25, %a29 : (tensor<37x31xf64>, tensor<31x23xf64>) -> tensor<37x23xf64>
  %27 = graph.permute %a30 [1, 0] : (tensor<36x40xf64>) -> tensor<40x36xf64>
  %28 = graph.permute %a31 [1, 0] : (tensor<72x36xf64>) -> tensor<36x72xf64>
  %29 = graph.matmul %27, %28 : (tensor<40x36xf64>, tensor<36x72xf64>) -> tensor<40x72xf64>
  %30 = graph.permute %a32 [1, 0] : (tensor<31x37xf64>) -> tensor<37x31xf64>
  %31 = graph.permute %a33 [1, 0] : (tensor<23x31xf64>) -> tensor<31x23xf64>
  %32 = graph.matmul %30, %31 : (tensor<37x31xf64>, tensor<31x23xf64>) -> tensor<37x23xf64>
  %33 = graph.matmul %a34, %a35 : (tensor<64x48xf64>, tensor<48x128xf64>) -> tensor<64x128xf64>
  %34 = graph.matmul %a36, %a37 : (tensor<40x36xi32>, tensor<36x72xi32>) -> tensor<40x72xi32>
  %35 = graph.matmul %a38, %a39 : (tensor<37x31xi32>, tensor<31x23xi32>) -> tensor<37x23xi32>
  %36 = graph.permute %a41 [1, 0] : (tensor<72x36xi32>) -> tensor<36x72xi32>
  %37 = graph.matmul %a40, %36 : (tensor<40x36xi32>, tensor<36x72xi32>) -> tensor<40x72xi32>
  %38 = graph.permute %a43 [1, 0] : (tensor<23x31xi32>) -> tensor<31x23xi32>
  %39 = graph.matmul %a42, %38 : (tensor<37x31xi32>, tensor<31x23xi32>) -> tensor<37x23xi32>
  %40 = graph.permute %a44 [1, 0] : (tensor<36x40xi32>) -> tensor<40x36xi32>
  %41 = graph.matmul %40, %a45 : (tensor<40x36xi32>, tensor<36x72xi32>) -> tensor<40x72xi32>
  %42 = graph.permute %a46 [1, 0] : (tensor<31x37xi32>) -> tensor<37x31xi32>
  %43 = graph.matmul %42, %a47 : (tensor<37x31xi32>, tensor<31x23xi32>) -> tensor<37x23xi32>
  %44 = graph.permute %a48 [1, 0] : (tensor<36x40xi32>) -> tensor<40x36xi32>
  %45 = graph.permute %a49 [1, 0] : (tensor<72x36xi32>) -> tensor<36x72xi32>
  %46 = graph.matmul %44, %45 : (tensor<40x36xi32>, tensor<36x72xi32>) -> tensor<40x72xi32>
  %47 = graph.permute %a50 [1, 0] : (tensor<31x37xi32>) -> tensor<37x31xi32>
  %48 = graph.permute %a51 [1, 0] : (tensor<23x31xi32>) -> tensor<31x23xi32>
  %49 = graph.matmul %47, %48 : (tensor<37x31xi32>, tensor<31x23xi32>) -> tensor<37x23xi32>
  %50 = graph.matmul %a52, %a53 : (tensor<64x48xi32>, tensor<48x128xi32>) -> tensor<64x128xi32>
  %51 = graph.matmul %a54, %a55 : (tensor<40x36xi64>, tensor<36x72xi64>) -> tensor<40x72xi64>
  %52 = graph.matmul %a56, %a57 : (tensor<37x31xi64>, tensor<31x23xi64>) -> tensor<37x23xi64>
  %53 = graph.permute %a59 [1, 0] : (tensor<72x36xi64>) -> tensor<36x72xi64>
  %54 = graph.matmul %a58, %53 : (tensor<40x36xi64>, tensor<36x72xi64>) -> tensor<40x72xi64>
  %55 = graph.permute %a61 [1, 0] : (tensor<23x31xi64>) -> tensor<31x23xi64>
  %56 = graph.matmul %a60, %55 : (tensor<37x31xi64>, tensor<31x23xi64>) -> tensor<37x23xi64>
  %57 = graph.permute %a62 [1, 0] : (tensor<36x40xi64>) -> tensor<40x36xi64>
  %58 = graph.matmul %57, %a63 : (tensor<40x36xi64>, tensor<36x72xi64>) -> tensor<40x72xi64>
  %59 = graph.permute %a64 [1, 0] : (tensor<31x37xi64>) -> tensor<37x31xi64>
  %60 = graph.matmul %59, %a65 : (tensor<37x31xi64>, tensor<31x23xi64>) -> tensor<37x23xi64>
  %61 = graph.permute %a66 [1, 0] : (tensor<36x40xi64>) -> tensor<40x36xi64>
  %62 = graph.permute %a67 [1, 0] : (tensor<72x36xi64>) -> tensor<36x72xi64>
  %63 = graph.matmul %61, %62 : (tensor<40x36xi64>, tensor<36x72xi64>) -> tensor<40x72xi64>
  %64 = graph.permute %a68 [1, 0] : (tensor<31x37xi64>) -> tensor<37x31xi64>
  %65 = graph.permute %a69 [1, 0] : (tensor<23x31xi64>) -> tensor<31x23xi64>
  %66 = graph.matmul %64, %65 : (tensor<37x31xi64>, tensor<31x23xi64>) -> tensor<37x23xi64>
  %67 = graph.matmul %a70, %a71 : (tensor<64x48xi64>, tensor<48x128xi64>) -> tensor<64x128xi64>
  return %0, %1, %3, %5, %7, %9, %12, %15, %16, %17, %18, %20, %22, %24, %26, %29, %32, %33, %34, %35, %37, %39, %41, %43, %46, %49, %50, %51, %52, %54, %56, %58, %60, %63, %66, %67 :
    tensor<40x72xf32>, tensor<37x23xf32>, tensor<40x72xf32>, tensor<37x23xf32>, tensor<40x72xf32>, tensor<37x23xf32>, tensor<40x72xf32>, tensor<37x23xf32>, tensor<64x128xf32>, tensor<40x72xf64>, tensor<37x23xf64>, tensor<40x72xf64>, tensor<37x23xf64>, tensor<40x72xf64>, tensor<37x23xf64>, tensor<40x72xf64>, tensor<37x23xf64>, tensor<64x128xf64>, tensor<40x72xi32>, tensor<37x23xi32>, tensor<40x72xi32>, tensor<37x23xi32>, tensor<40x72xi32>, tensor<37x23xi32>, tensor<40x72xi32>, tensor<37x23xi32>, tensor<64x128xi32>, tensor<40x72xi64>, tensor<37x23xi64>, tensor<40x72xi64>, tensor<37x23xi64>, tensor<40x72xi64>, tensor<37x23xi64>, tensor<40x72xi64>, tensor<37x23xi64>, tensor<64x128xi64>
}
