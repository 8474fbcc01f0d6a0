// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90 --library=none --random-inputs --reference=interp

// Windows of one thread: padding, overlap, gaps, sizes that do not divide.

func.func @main(%x0: tensor<2x3x24x24xf32>,
    %x1: tensor<2x3x23x25xbf16>,
    %x2: tensor<1x2x16x20xf32>,
    %x3: tensor<1x2x12x20xf64>,
    %x4: tensor<1x2x20x40xf16>,
    %x5: tensor<2x3x24x32xbf16>,
    %x6: tensor<2x3x17x64xf32>,
    %x7: tensor<2x3x17x32xf32>)
    -> (tensor<2x3x12x12xf32>,
        tensor<2x3x12x13xbf16>,
        tensor<1x2x14x18xf32>,
        tensor<1x2x12x20xf64>,
        tensor<1x2x5x10xf16>,
        tensor<2x3x12x16xbf16>,
        tensor<2x3x17x64xf32>,
        tensor<2x3x9x16xf32>) {
  %0 = graph.aten "aten.max_pool2d.default"(%x0) ["self"] {ceil_mode = false, kernel_size = array<i64: 3, 3>, padding = array<i64: 1, 1>, stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>} : (tensor<2x3x24x24xf32>) -> tensor<2x3x12x12xf32>
  %1 = graph.aten "aten.max_pool2d.default"(%x1) ["self"] {ceil_mode = false, kernel_size = array<i64: 3, 3>, padding = array<i64: 1, 1>, stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>} : (tensor<2x3x23x25xbf16>) -> tensor<2x3x12x13xbf16>
  %2 = graph.aten "aten.max_pool2d.default"(%x2) ["self"] {ceil_mode = false, kernel_size = array<i64: 3, 3>, padding = array<i64: 1, 1>, stride = array<i64: 1, 1>, dilation = array<i64: 2, 2>} : (tensor<1x2x16x20xf32>) -> tensor<1x2x14x18xf32>
  %3 = graph.aten "aten.max_pool2d.default"(%x3) ["self"] {ceil_mode = false, kernel_size = array<i64: 5, 5>, padding = array<i64: 2, 2>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x2x12x20xf64>) -> tensor<1x2x12x20xf64>
  %4 = graph.aten "aten.max_pool2d.default"(%x4) ["self"] {ceil_mode = false, kernel_size = array<i64: 2, 2>, padding = array<i64: 0, 0>, stride = array<i64: 4, 4>, dilation = array<i64: 1, 1>} : (tensor<1x2x20x40xf16>) -> tensor<1x2x5x10xf16>
  %5 = graph.aten "aten.avg_pool2d.default"(%x5) ["self"] {ceil_mode = false, kernel_size = array<i64: 2, 2>, padding = array<i64: 0, 0>, stride = array<i64: 2, 2>, count_include_pad = true} : (tensor<2x3x24x32xbf16>) -> tensor<2x3x12x16xbf16>
  %6 = graph.aten "aten.avg_pool2d.default"(%x6) ["self"] {ceil_mode = false, kernel_size = array<i64: 3, 3>, padding = array<i64: 1, 1>, stride = array<i64: 1, 1>, count_include_pad = true} : (tensor<2x3x17x64xf32>) -> tensor<2x3x17x64xf32>
  %7 = graph.aten "aten.avg_pool2d.default"(%x7) ["self"] {ceil_mode = false, kernel_size = array<i64: 3, 3>, padding = array<i64: 1, 1>, stride = array<i64: 2, 2>, count_include_pad = false} : (tensor<2x3x17x32xf32>) -> tensor<2x3x9x16xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7
      : tensor<2x3x12x12xf32>,
        tensor<2x3x12x13xbf16>,
        tensor<1x2x14x18xf32>,
        tensor<1x2x12x20xf64>,
        tensor<1x2x5x10xf16>,
        tensor<2x3x12x16xbf16>,
        tensor<2x3x17x64xf32>,
        tensor<2x3x9x16xf32>
}
