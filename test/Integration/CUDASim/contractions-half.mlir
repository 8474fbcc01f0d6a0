// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90 --library=none --random-inputs --reference=interp
// RUN: %cuda_sim coil-run %s --target=cuda:sm_75 --library=none --random-inputs --reference=interp

// Products of matrices of 16 bits: both layouts of both factors, sizes that
// vectors divide and sizes that nothing divides; with and without tensor cores.

func.func @main(%a0: tensor<136x80xbf16>,
    %a1: tensor<80x72xbf16>,
    %a2: tensor<67x33xbf16>,
    %a3: tensor<33x45xbf16>,
    %a4: tensor<136x80xbf16>,
    %a5: tensor<72x80xbf16>,
    %a6: tensor<67x33xbf16>,
    %a7: tensor<45x33xbf16>,
    %a8: tensor<80x136xbf16>,
    %a9: tensor<80x72xbf16>,
    %a10: tensor<33x67xbf16>,
    %a11: tensor<33x45xbf16>,
    %a12: tensor<80x136xbf16>,
    %a13: tensor<72x80xbf16>,
    %a14: tensor<33x67xbf16>,
    %a15: tensor<45x33xbf16>,
    %a16: tensor<136x80xf16>,
    %a17: tensor<80x72xf16>,
    %a18: tensor<67x33xf16>,
    %a19: tensor<33x45xf16>,
    %a20: tensor<136x80xf16>,
    %a21: tensor<72x80xf16>,
    %a22: tensor<67x33xf16>,
    %a23: tensor<45x33xf16>,
    %a24: tensor<80x136xf16>,
    %a25: tensor<80x72xf16>,
    %a26: tensor<33x67xf16>,
    %a27: tensor<33x45xf16>,
    %a28: tensor<80x136xf16>,
    %a29: tensor<72x80xf16>,
    %a30: tensor<33x67xf16>,
    %a31: tensor<45x33xf16>)
    -> (tensor<136x72xbf16>,
        tensor<67x45xbf16>,
        tensor<136x72xbf16>,
        tensor<67x45xbf16>,
        tensor<136x72xbf16>,
        tensor<67x45xbf16>,
        tensor<136x72xbf16>,
        tensor<67x45xbf16>,
        tensor<136x72xf16>,
        tensor<67x45xf16>,
        tensor<136x72xf16>,
        tensor<67x45xf16>,
        tensor<136x72xf16>,
        tensor<67x45xf16>,
        tensor<136x72xf16>,
        tensor<67x45xf16>) {
  %0 = graph.matmul %a0, %a1 : (tensor<136x80xbf16>, tensor<80x72xbf16>) -> tensor<136x72xbf16>
  %1 = graph.matmul %a2, %a3 : (tensor<67x33xbf16>, tensor<33x45xbf16>) -> tensor<67x45xbf16>
  %2 = graph.permute %a5 [1, 0] : (tensor<72x80xbf16>) -> tensor<80x72xbf16>
  %3 = graph.matmul %a4, %2 : (tensor<136x80xbf16>, tensor<80x72xbf16>) -> tensor<136x72xbf16>
  %4 = graph.permute %a7 [1, 0] : (tensor<45x33xbf16>) -> tensor<33x45xbf16>
  %5 = graph.matmul %a6, %4 : (tensor<67x33xbf16>, tensor<33x45xbf16>) -> tensor<67x45xbf16>
  %6 = graph.permute %a8 [1, 0] : (tensor<80x136xbf16>) -> tensor<136x80xbf16>
  %7 = graph.matmul %6, %a9 : (tensor<136x80xbf16>, tensor<80x72xbf16>) -> tensor<136x72xbf16>
  %8 = graph.permute %a10 [1, 0] : (tensor<33x67xbf16>) -> tensor<67x33xbf16>
  %9 = graph.matmul %8, %a11 : (tensor<67x33xbf16>, tensor<33x45xbf16>) -> tensor<67x45xbf16>
  %10 = graph.permute %a12 [1, 0] : (tensor<80x136xbf16>) -> tensor<136x80xbf16>
  %11 = graph.permute %a13 [1, 0] : (tensor<72x80xbf16>) -> tensor<80x72xbf16>
  %12 = graph.matmul %10, %11 : (tensor<136x80xbf16>, tensor<80x72xbf16>) -> tensor<136x72xbf16>
  %13 = graph.permute %a14 [1, 0] : (tensor<33x67xbf16>) -> tensor<67x33xbf16>
  %14 = graph.permute %a15 [1, 0] : (tensor<45x33xbf16>) -> tensor<33x45xbf16>
  %15 = graph.matmul %13, %14 : (tensor<67x33xbf16>, tensor<33x45xbf16>) -> tensor<67x45xbf16>
  %16 = graph.matmul %a16, %a17 : (tensor<136x80xf16>, tensor<80x72xf16>) -> tensor<136x72xf16>
  %17 = graph.matmul %a18, %a19 : (tensor<67x33xf16>, tensor<33x45xf16>) -> tensor<67x45xf16>
  %18 = graph.permute %a21 [1, 0] : (tensor<72x80xf16>) -> tensor<80x72xf16>
  %19 = graph.matmul %a20, %18 : (tensor<136x80xf16>, tensor<80x72xf16>) -> tensor<136x72xf16>
  %20 = graph.permute %a23 [1, 0] : (tensor<45x33xf16>) -> tensor<33x45xf16>
  %21 = graph.matmul %a22, %20 : (tensor<67x33xf16>, tensor<33x45xf16>) -> tensor<67x45xf16>
  %22 = graph.permute %a24 [1, 0] : (tensor<80x136xf16>) -> tensor<136x80xf16>
  %23 = graph.matmul %22, %a25 : (tensor<136x80xf16>, tensor<80x72xf16>) -> tensor<136x72xf16>
  %24 = graph.permute %a26 [1, 0] : (tensor<33x67xf16>) -> tensor<67x33xf16>
  %25 = graph.matmul %24, %a27 : (tensor<67x33xf16>, tensor<33x45xf16>) -> tensor<67x45xf16>
  %26 = graph.permute %a28 [1, 0] : (tensor<80x136xf16>) -> tensor<136x80xf16>
  %27 = graph.permute %a29 [1, 0] : (tensor<72x80xf16>) -> tensor<80x72xf16>
  %28 = graph.matmul %26, %27 : (tensor<136x80xf16>, tensor<80x72xf16>) -> tensor<136x72xf16>
  %29 = graph.permute %a30 [1, 0] : (tensor<33x67xf16>) -> tensor<67x33xf16>
  %30 = graph.permute %a31 [1, 0] : (tensor<45x33xf16>) -> tensor<33x45xf16>
  %31 = graph.matmul %29, %30 : (tensor<67x33xf16>, tensor<33x45xf16>) -> tensor<67x45xf16>
  return %0, %1, %3, %5, %7, %9, %12, %15, %16, %17, %19, %21, %23, %25, %28, %31 :
    tensor<136x72xbf16>, tensor<67x45xbf16>, tensor<136x72xbf16>, tensor<67x45xbf16>, tensor<136x72xbf16>, tensor<67x45xbf16>, tensor<136x72xbf16>, tensor<67x45xbf16>, tensor<136x72xf16>, tensor<67x45xf16>, tensor<136x72xf16>, tensor<67x45xf16>, tensor<136x72xf16>, tensor<67x45xf16>, tensor<136x72xf16>, tensor<67x45xf16>
}
