// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90 --library=none --random-inputs --reference=interp

// What is around a product of matrices: batches, broadcast factors, what
// follows the sum and what is in front of it, few rows and few columns.

func.func @main(%a0: tensor<3x40x48xbf16>,
    %a1: tensor<3x48x56xbf16>,
    %a2: tensor<2x3x40x48xbf16>,
    %a3: tensor<2x3x56x48xbf16>,
    %a4: tensor<2x3x48x40xbf16>,
    %a5: tensor<2x3x48x56xbf16>,
    %a6: tensor<2x3x40x56xbf16>,
    %a7: tensor<5x33x29xf16>,
    %a8: tensor<5x29x17xf16>,
    %a9: tensor<3x40x48xbf16>,
    %a10: tensor<48x56xbf16>,
    %a11: tensor<3x19x48xf32>,
    %a12: tensor<24x48xf32>,
    %a13: tensor<3x19x40xf64>,
    %a14: tensor<3x40x24xf64>,
    %a15: tensor<3x19x24xf64>,
    %a16: tensor<64x64xbf16>,
    %a17: tensor<64x64xbf16>,
    %a18: tensor<64x1xbf16>,
    %a19: tensor<64x64xbf16>,
    %a20: tensor<64x72xbf16>,
    %a21: tensor<65x64xbf16>,
    %a22: tensor<64x72xbf16>,
    %a23: tensor<72xbf16>,
    %a24: tensor<64x64xbf16>,
    %a25: tensor<64x64xbf16>,
    %a26: tensor<64x64xf32>,
    %a27: tensor<64x64xf32>,
    %a28: tensor<64xbf16>,
    %a29: tensor<64x64xf16>,
    %a30: tensor<64x64xf16>,
    %a31: tensor<64xf16>,
    %a32: tensor<64x64xf16>,
    %a33: tensor<64x64xi8>,
    %a34: tensor<64x64xbf16>,
    %a35: tensor<63x59xi8>,
    %a36: tensor<59x61xbf16>,
    %a37: tensor<64x64xbf16>,
    %a38: tensor<64x64xf32>,
    %a39: tensor<33x37xbf16>,
    %a40: tensor<37x35xf32>,
    %a41: tensor<16x256xf16>,
    %a42: tensor<256x512xf16>,
    %a43: tensor<8x768xbf16>,
    %a44: tensor<96x768xbf16>,
    %a45: tensor<96x768xbf16>,
    %a46: tensor<768x8xbf16>,
    %a47: tensor<16x16xbf16>,
    %a48: tensor<16x16xbf16>,
    %a49: tensor<8x1024xbf16>,
    %a50: tensor<1024x8xbf16>,
    %a51: tensor<24x4096xbf16>,
    %a52: tensor<4096x40xbf16>,
    %a53: tensor<40xbf16>,
    %a54: tensor<3x2048xf32>,
    %a55: tensor<40x2048xf32>,
    %a56: tensor<2x64xbf16>,
    %a57: tensor<72x64xbf16>)
    -> (tensor<3x40x56xbf16>,
        tensor<2x3x40x56xbf16>,
        tensor<2x3x40x56xbf16>,
        tensor<5x33x17xf16>,
        tensor<3x40x56xbf16>,
        tensor<3x19x24xf32>,
        tensor<3x19x24xf64>,
        tensor<64x64xbf16>,
        tensor<72x64xbf16>,
        tensor<72x65xbf16>,
        tensor<64x64xf32>,
        tensor<64x64xbf16>,
        tensor<64x64xf16>,
        tensor<64x64xbf16>,
        tensor<63x61xbf16>,
        tensor<64x64xf32>,
        tensor<33x35xf32>,
        tensor<16x512xf16>,
        tensor<8x96xbf16>,
        tensor<96x8xbf16>,
        tensor<16x16xbf16>,
        tensor<8x8xbf16>,
        tensor<24x40xbf16>,
        tensor<3x40xf32>,
        tensor<2x72xbf16>) {
  %0 = graph.matmul %a0, %a1 : (tensor<3x40x48xbf16>, tensor<3x48x56xbf16>) -> tensor<3x40x56xbf16>
  %1 = graph.permute %a3 [0, 1, 3, 2] : (tensor<2x3x56x48xbf16>) -> tensor<2x3x48x56xbf16>
  %2 = graph.matmul %a2, %1 : (tensor<2x3x40x48xbf16>, tensor<2x3x48x56xbf16>) -> tensor<2x3x40x56xbf16>
  %3 = graph.permute %a4 [0, 1, 3, 2] : (tensor<2x3x48x40xbf16>) -> tensor<2x3x40x48xbf16>
  %4 = graph.matmul %3, %a5 : (tensor<2x3x40x48xbf16>, tensor<2x3x48x56xbf16>) -> tensor<2x3x40x56xbf16>
  %5 = graph.add %4, %a6 : (tensor<2x3x40x56xbf16>, tensor<2x3x40x56xbf16>) -> tensor<2x3x40x56xbf16>
  %6 = graph.matmul %a7, %a8 : (tensor<5x33x29xf16>, tensor<5x29x17xf16>) -> tensor<5x33x17xf16>
  %7 = graph.broadcast %a10 : (tensor<48x56xbf16>) -> tensor<3x48x56xbf16>
  %8 = graph.matmul %a9, %7 : (tensor<3x40x48xbf16>, tensor<3x48x56xbf16>) -> tensor<3x40x56xbf16>
  %9 = graph.permute %a12 [1, 0] : (tensor<24x48xf32>) -> tensor<48x24xf32>
  %10 = graph.broadcast %9 : (tensor<48x24xf32>) -> tensor<3x48x24xf32>
  %11 = graph.matmul %a11, %10 : (tensor<3x19x48xf32>, tensor<3x48x24xf32>) -> tensor<3x19x24xf32>
  %12 = graph.matmul %a13, %a14 : (tensor<3x19x40xf64>, tensor<3x40x24xf64>) -> tensor<3x19x24xf64>
  %13 = graph.add %12, %a15 : (tensor<3x19x24xf64>, tensor<3x19x24xf64>) -> tensor<3x19x24xf64>
  %14 = graph.matmul %a16, %a17 : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16>
  %15 = graph.broadcast %a18 : (tensor<64x1xbf16>) -> tensor<64x64xbf16>
  %16 = graph.add %14, %15 : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16>
  %17 = graph.exp %16 : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
  %18 = graph.matmul %a19, %a20 : (tensor<64x64xbf16>, tensor<64x72xbf16>) -> tensor<64x72xbf16>
  %19 = graph.permute %18 [1, 0] : (tensor<64x72xbf16>) -> tensor<72x64xbf16>
  %20 = graph.matmul %a21, %a22 : (tensor<65x64xbf16>, tensor<64x72xbf16>) -> tensor<65x72xbf16>
  %21 = graph.broadcast %a23 : (tensor<72xbf16>) -> tensor<65x72xbf16>
  %22 = graph.add %20, %21 : (tensor<65x72xbf16>, tensor<65x72xbf16>) -> tensor<65x72xbf16>
  %23 = graph.permute %22 [1, 0] : (tensor<65x72xbf16>) -> tensor<72x65xbf16>
  %24 = graph.matmul %a24, %a25 : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16>
  %25 = graph.convert %24 : (tensor<64x64xbf16>) -> tensor<64x64xf32>
  %26 = graph.matmul %a26, %a27 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %27 = graph.convert %26 : (tensor<64x64xf32>) -> tensor<64x64xbf16>
  %28 = graph.broadcast %a28 : (tensor<64xbf16>) -> tensor<64x64xbf16>
  %29 = graph.add %27, %28 : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16>
  %30 = graph.matmul %a29, %a30 : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
  %31 = graph.broadcast %a31 : (tensor<64xf16>) -> tensor<64x64xf16>
  %32 = graph.add %30, %31 : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
  %33 = graph.add %32, %a32 : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
  %34 = graph.tanh %33 : (tensor<64x64xf16>) -> tensor<64x64xf16>
  %35 = graph.convert %a33 : (tensor<64x64xi8>) -> tensor<64x64xbf16>
  %36 = graph.matmul %35, %a34 : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16>
  %37 = graph.convert %a35 : (tensor<63x59xi8>) -> tensor<63x59xbf16>
  %38 = graph.matmul %37, %a36 : (tensor<63x59xbf16>, tensor<59x61xbf16>) -> tensor<63x61xbf16>
  %39 = graph.convert %a37 : (tensor<64x64xbf16>) -> tensor<64x64xf32>
  %40 = graph.matmul %39, %a38 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %41 = graph.convert %a39 : (tensor<33x37xbf16>) -> tensor<33x37xf32>
  %42 = graph.matmul %41, %a40 : (tensor<33x37xf32>, tensor<37x35xf32>) -> tensor<33x35xf32>
  %43 = graph.matmul %a41, %a42 : (tensor<16x256xf16>, tensor<256x512xf16>) -> tensor<16x512xf16>
  %44 = graph.permute %a44 [1, 0] : (tensor<96x768xbf16>) -> tensor<768x96xbf16>
  %45 = graph.matmul %a43, %44 : (tensor<8x768xbf16>, tensor<768x96xbf16>) -> tensor<8x96xbf16>
  %46 = graph.matmul %a45, %a46 : (tensor<96x768xbf16>, tensor<768x8xbf16>) -> tensor<96x8xbf16>
  %47 = graph.matmul %a47, %a48 : (tensor<16x16xbf16>, tensor<16x16xbf16>) -> tensor<16x16xbf16>
  %48 = graph.matmul %a49, %a50 : (tensor<8x1024xbf16>, tensor<1024x8xbf16>) -> tensor<8x8xbf16>
  %49 = graph.matmul %a51, %a52 : (tensor<24x4096xbf16>, tensor<4096x40xbf16>) -> tensor<24x40xbf16>
  %50 = graph.broadcast %a53 : (tensor<40xbf16>) -> tensor<24x40xbf16>
  %51 = graph.add %49, %50 : (tensor<24x40xbf16>, tensor<24x40xbf16>) -> tensor<24x40xbf16>
  %52 = graph.permute %a55 [1, 0] : (tensor<40x2048xf32>) -> tensor<2048x40xf32>
  %53 = graph.matmul %a54, %52 : (tensor<3x2048xf32>, tensor<2048x40xf32>) -> tensor<3x40xf32>
  %54 = graph.permute %a57 [1, 0] : (tensor<72x64xbf16>) -> tensor<64x72xbf16>
  %55 = graph.matmul %a56, %54 : (tensor<2x64xbf16>, tensor<64x72xbf16>) -> tensor<2x72xbf16>
  return %0, %2, %5, %6, %8, %11, %13, %17, %19, %23, %25, %29, %34, %36, %38, %40, %42, %43, %45, %46, %47, %48, %51, %53, %55 :
    tensor<3x40x56xbf16>, tensor<2x3x40x56xbf16>, tensor<2x3x40x56xbf16>, tensor<5x33x17xf16>, tensor<3x40x56xbf16>, tensor<3x19x24xf32>, tensor<3x19x24xf64>, tensor<64x64xbf16>, tensor<72x64xbf16>, tensor<72x65xbf16>, tensor<64x64xf32>, tensor<64x64xbf16>, tensor<64x64xf16>, tensor<64x64xbf16>, tensor<63x61xbf16>, tensor<64x64xf32>, tensor<33x35xf32>, tensor<16x512xf16>, tensor<8x96xbf16>, tensor<96x8xbf16>, tensor<16x16xbf16>, tensor<8x8xbf16>, tensor<24x40xbf16>, tensor<3x40xf32>, tensor<2x72xbf16>
}
