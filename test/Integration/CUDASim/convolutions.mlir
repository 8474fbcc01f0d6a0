// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90 --library=none --random-inputs --reference=interp

// Convolutions as products of matrices whose factor is gathered: channels first
// and last, strides, padding, dilation, groups.

func.func @main(%a0: tensor<2x16x14x14xbf16>,
    %a1: tensor<24x16x3x3xbf16>,
    %a2: tensor<2x6x13x15xf32>,
    %a3: tensor<10x6x3x3xf32>,
    %a4: tensor<2x14x14x16xbf16>,
    %a5: tensor<24x3x3x16xbf16>,
    %a6: tensor<1x9x11x32xf16>,
    %a7: tensor<16x1x1x32xf16>,
    %a8: tensor<2x9x11x8xf32>,
    %a9: tensor<16x3x3x8xf32>,
    %a10: tensor<2x16x14x14xbf16>,
    %a11: tensor<24x16x3x3xbf16>,
    %a12: tensor<2x32x10x10xbf16>,
    %a13: tensor<32x16x3x3xbf16>,
    %a14: tensor<1x5x9x9xf64>,
    %a15: tensor<9x5x3x3xf64>)
    -> (tensor<2x24x14x14xbf16>,
        tensor<2x10x7x8xf32>,
        tensor<2x14x14x24xbf16>,
        tensor<1x9x11x16xf16>,
        tensor<2x5x6x16xf32>,
        tensor<2x24x14x14xbf16>,
        tensor<2x32x10x10xbf16>,
        tensor<1x9x9x9xf64>) {
  %0 = graph.conv %a0, %a1 stride [1, 1] padding [1, 1] dilation [1, 1] groups 1 : (tensor<2x16x14x14xbf16>, tensor<24x16x3x3xbf16>) -> tensor<2x24x14x14xbf16>
  %1 = graph.conv %a2, %a3 stride [2, 2] padding [1, 1] dilation [1, 1] groups 1 : (tensor<2x6x13x15xf32>, tensor<10x6x3x3xf32>) -> tensor<2x10x7x8xf32>
  %2 = graph.permute %a4 [0, 3, 1, 2] : (tensor<2x14x14x16xbf16>) -> tensor<2x16x14x14xbf16>
  %3 = graph.permute %a5 [0, 3, 1, 2] : (tensor<24x3x3x16xbf16>) -> tensor<24x16x3x3xbf16>
  %4 = graph.conv %2, %3 stride [1, 1] padding [1, 1] dilation [1, 1] groups 1 : (tensor<2x16x14x14xbf16>, tensor<24x16x3x3xbf16>) -> tensor<2x24x14x14xbf16>
  %5 = graph.tanh %4 : (tensor<2x24x14x14xbf16>) -> tensor<2x24x14x14xbf16>
  %6 = graph.permute %5 [0, 2, 3, 1] : (tensor<2x24x14x14xbf16>) -> tensor<2x14x14x24xbf16>
  %7 = graph.permute %a6 [0, 3, 1, 2] : (tensor<1x9x11x32xf16>) -> tensor<1x32x9x11xf16>
  %8 = graph.permute %a7 [0, 3, 1, 2] : (tensor<16x1x1x32xf16>) -> tensor<16x32x1x1xf16>
  %9 = graph.conv %7, %8 stride [1, 1] padding [0, 0] dilation [1, 1] groups 1 : (tensor<1x32x9x11xf16>, tensor<16x32x1x1xf16>) -> tensor<1x16x9x11xf16>
  %10 = graph.permute %9 [0, 2, 3, 1] : (tensor<1x16x9x11xf16>) -> tensor<1x9x11x16xf16>
  %11 = graph.permute %a8 [0, 3, 1, 2] : (tensor<2x9x11x8xf32>) -> tensor<2x8x9x11xf32>
  %12 = graph.permute %a9 [0, 3, 1, 2] : (tensor<16x3x3x8xf32>) -> tensor<16x8x3x3xf32>
  %13 = graph.conv %11, %12 stride [2, 2] padding [1, 1] dilation [1, 1] groups 1 : (tensor<2x8x9x11xf32>, tensor<16x8x3x3xf32>) -> tensor<2x16x5x6xf32>
  %14 = graph.permute %13 [0, 2, 3, 1] : (tensor<2x16x5x6xf32>) -> tensor<2x5x6x16xf32>
  %15 = graph.conv %a10, %a11 stride [1, 1] padding [2, 2] dilation [2, 2] groups 1 : (tensor<2x16x14x14xbf16>, tensor<24x16x3x3xbf16>) -> tensor<2x24x14x14xbf16>
  %16 = graph.conv %a12, %a13 stride [1, 1] padding [1, 1] dilation [1, 1] groups 2 : (tensor<2x32x10x10xbf16>, tensor<32x16x3x3xbf16>) -> tensor<2x32x10x10xbf16>
  %17 = graph.conv %a14, %a15 stride [1, 1] padding [1, 1] dilation [1, 1] groups 1 : (tensor<1x5x9x9xf64>, tensor<9x5x3x3xf64>) -> tensor<1x9x9x9xf64>
  return %0, %1, %6, %10, %14, %15, %16, %17 :
    tensor<2x24x14x14xbf16>, tensor<2x10x7x8xf32>, tensor<2x14x14x24xbf16>, tensor<1x9x11x16xf16>, tensor<2x5x6x16xf32>, tensor<2x24x14x14xbf16>, tensor<2x32x10x10xbf16>, tensor<1x9x9x9xf64>
}
