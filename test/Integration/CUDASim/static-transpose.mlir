// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90 --library=none --random-inputs --reference=interp

// Transposition of constant sizes, where accesses are wide: whole tiles, short
// dimensions, higher ranks, several inputs, two widths, and both directions in
// one kernel.

func.func @main(%x0: tensor<192x128xf32>,
    %x1: tensor<128x192xbf16>,
    %x2: tensor<256x128xi8>,
    %x3: tensor<64x96xf64>,
    %x4: tensor<264x136xi1>,
    %x5: tensor<2x64x12x12xbf16>,
    %x6: tensor<2x3x24x24xf32>,
    %x7: tensor<2x24x24x3xf32>,
    %x8: tensor<3x5x40x4x36xf32>,
    %x9: tensor<1x2048xf32>,
    %x10: tensor<1031x7xf32>,
    %x11: tensor<100x204xf32>,
    %x12: tensor<96x200xf32>,
    %x13: tensor<96x200xf32>,
    %x14: tensor<200x96xf32>,
    %x15: tensor<96x200xbf16>)
    -> (tensor<128x192xf32>,
        tensor<192x128xbf16>,
        tensor<128x256xi8>,
        tensor<96x64xf64>,
        tensor<136x264xi1>,
        tensor<2x12x12x64xbf16>,
        tensor<2x24x24x3xf32>,
        tensor<2x3x24x24xf32>,
        tensor<3x4x5x36x40xf32>,
        tensor<2048x1xf32>,
        tensor<7x1031xf32>,
        tensor<204x100xf32>,
        tensor<200x96xf32>,
        tensor<200x96xf32>,
        tensor<200x96xf32> {coil.strides = #sym.shape<[1, 200]>},
        tensor<200x96xf32> {coil.strides = #sym.shape<[1, 200]>}) {
  %1 = graph.aten "aten.permute.default"(%x0) ["self"] {dims = array<i64: 1, 0>} : (tensor<192x128xf32>) -> tensor<128x192xf32>
  %2 = graph.aten "aten.contiguous.default"(%1) ["self"] {memory_format = "contiguous_format"} : (tensor<128x192xf32>) -> tensor<128x192xf32>
  %3 = graph.aten "aten.permute.default"(%x1) ["self"] {dims = array<i64: 1, 0>} : (tensor<128x192xbf16>) -> tensor<192x128xbf16>
  %4 = graph.aten "aten.contiguous.default"(%3) ["self"] {memory_format = "contiguous_format"} : (tensor<192x128xbf16>) -> tensor<192x128xbf16>
  %5 = graph.aten "aten.permute.default"(%x2) ["self"] {dims = array<i64: 1, 0>} : (tensor<256x128xi8>) -> tensor<128x256xi8>
  %6 = graph.aten "aten.contiguous.default"(%5) ["self"] {memory_format = "contiguous_format"} : (tensor<128x256xi8>) -> tensor<128x256xi8>
  %7 = graph.aten "aten.permute.default"(%x3) ["self"] {dims = array<i64: 1, 0>} : (tensor<64x96xf64>) -> tensor<96x64xf64>
  %8 = graph.aten "aten.contiguous.default"(%7) ["self"] {memory_format = "contiguous_format"} : (tensor<96x64xf64>) -> tensor<96x64xf64>
  %9 = graph.aten "aten.permute.default"(%x4) ["self"] {dims = array<i64: 1, 0>} : (tensor<264x136xi1>) -> tensor<136x264xi1>
  %10 = graph.aten "aten.contiguous.default"(%9) ["self"] {memory_format = "contiguous_format"} : (tensor<136x264xi1>) -> tensor<136x264xi1>
  %11 = graph.aten "aten.permute.default"(%x5) ["self"] {dims = array<i64: 0, 2, 3, 1>} : (tensor<2x64x12x12xbf16>) -> tensor<2x12x12x64xbf16>
  %12 = graph.aten "aten.contiguous.default"(%11) ["self"] {memory_format = "contiguous_format"} : (tensor<2x12x12x64xbf16>) -> tensor<2x12x12x64xbf16>
  %13 = graph.aten "aten.permute.default"(%x6) ["self"] {dims = array<i64: 0, 2, 3, 1>} : (tensor<2x3x24x24xf32>) -> tensor<2x24x24x3xf32>
  %14 = graph.aten "aten.contiguous.default"(%13) ["self"] {memory_format = "contiguous_format"} : (tensor<2x24x24x3xf32>) -> tensor<2x24x24x3xf32>
  %15 = graph.aten "aten.permute.default"(%x7) ["self"] {dims = array<i64: 0, 3, 1, 2>} : (tensor<2x24x24x3xf32>) -> tensor<2x3x24x24xf32>
  %16 = graph.aten "aten.contiguous.default"(%15) ["self"] {memory_format = "contiguous_format"} : (tensor<2x3x24x24xf32>) -> tensor<2x3x24x24xf32>
  %17 = graph.aten "aten.permute.default"(%x8) ["self"] {dims = array<i64: 0, 3, 1, 4, 2>} : (tensor<3x5x40x4x36xf32>) -> tensor<3x4x5x36x40xf32>
  %18 = graph.aten "aten.contiguous.default"(%17) ["self"] {memory_format = "contiguous_format"} : (tensor<3x4x5x36x40xf32>) -> tensor<3x4x5x36x40xf32>
  %19 = graph.aten "aten.permute.default"(%x9) ["self"] {dims = array<i64: 1, 0>} : (tensor<1x2048xf32>) -> tensor<2048x1xf32>
  %20 = graph.aten "aten.contiguous.default"(%19) ["self"] {memory_format = "contiguous_format"} : (tensor<2048x1xf32>) -> tensor<2048x1xf32>
  %21 = graph.aten "aten.permute.default"(%x10) ["self"] {dims = array<i64: 1, 0>} : (tensor<1031x7xf32>) -> tensor<7x1031xf32>
  %22 = graph.aten "aten.contiguous.default"(%21) ["self"] {memory_format = "contiguous_format"} : (tensor<7x1031xf32>) -> tensor<7x1031xf32>
  %23 = graph.aten "aten.permute.default"(%x11) ["self"] {dims = array<i64: 1, 0>} : (tensor<100x204xf32>) -> tensor<204x100xf32>
  %24 = graph.aten "aten.contiguous.default"(%23) ["self"] {memory_format = "contiguous_format"} : (tensor<204x100xf32>) -> tensor<204x100xf32>
  %25 = graph.aten "aten.permute.default"(%x12) ["self"] {dims = array<i64: 1, 0>} : (tensor<96x200xf32>) -> tensor<200x96xf32>
  %26 = graph.aten "aten.permute.default"(%x13) ["self"] {dims = array<i64: 1, 0>} : (tensor<96x200xf32>) -> tensor<200x96xf32>
  %27 = graph.aten "aten.mul.Tensor"(%25, %26) ["self", "other"] {} : (tensor<200x96xf32>, tensor<200x96xf32>) -> tensor<200x96xf32>
  %28 = graph.aten "aten.add.Tensor"(%27, %x14) ["self", "other"] {alpha = 1 : i64} : (tensor<200x96xf32>, tensor<200x96xf32>) -> tensor<200x96xf32>
  %29 = graph.aten "aten.permute.default"(%x15) ["self"] {dims = array<i64: 1, 0>} : (tensor<96x200xbf16>) -> tensor<200x96xbf16>
  %30 = graph.aten "aten.add.Tensor"(%29, %x14) ["self", "other"] {alpha = 1 : i64} : (tensor<200x96xbf16>, tensor<200x96xf32>) -> tensor<200x96xf32>
  %31 = graph.aten "aten.add.Tensor"(%25, %x14) ["self", "other"] {alpha = 1 : i64} : (tensor<200x96xf32>, tensor<200x96xf32>) -> tensor<200x96xf32>
  %32 = graph.aten "aten.neg.default"(%x14) ["self"] {} : (tensor<200x96xf32>) -> tensor<200x96xf32>
  return %2, %4, %6, %8, %10, %12, %14, %16, %18, %20, %22, %24, %28, %30, %31, %32
      : tensor<128x192xf32>,
        tensor<192x128xbf16>,
        tensor<128x256xi8>,
        tensor<96x64xf64>,
        tensor<136x264xi1>,
        tensor<2x12x12x64xbf16>,
        tensor<2x24x24x3xf32>,
        tensor<2x3x24x24xf32>,
        tensor<3x4x5x36x40xf32>,
        tensor<2048x1xf32>,
        tensor<7x1031xf32>,
        tensor<204x100xf32>,
        tensor<200x96xf32>,
        tensor<200x96xf32>,
        tensor<200x96xf32>,
        tensor<200x96xf32>
}
