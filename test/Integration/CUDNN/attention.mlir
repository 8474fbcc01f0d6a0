// REQUIRES: cuda-sim, fake-cudnn
// RUN: %cuda_sim %fake_cudnn coil-run %s --target=cuda:sm_90a --library=cudnn --random-inputs --function=plain --reference=interp
// RUN: %cuda_sim %fake_cudnn coil-run %s --target=cuda:sm_90a --library=cudnn --random-inputs --function=causal --symbol=s0=37 --reference=interp
// RUN: %cuda_sim %fake_cudnn coil-run %s --target=cuda:sm_90a --library=cudnn --random-inputs --function=causal --symbol=s0=1 --reference=interp
// RUN: %cuda_sim %fake_cudnn coil-run %s --target=cuda:sm_90a --library=cudnn --random-inputs --function=bool_mask --reference=interp
// RUN: %cuda_sim %fake_cudnn coil-run %s --target=cuda:sm_90a --library=cudnn --random-inputs --function=added_mask --reference=interp
// RUN: %cuda_sim %fake_cudnn env COIL_FAKE_CUDNN_TRACE=1 coil-run %s --target=cuda:sm_90a --library=cudnn --random-inputs --function=grouped --reference=interp 2>&1 | FileCheck %s --check-prefix=GROUPED
// RUN: env COIL_FAKE_CUDNN_FAIL=engine %cuda_sim %fake_cudnn not coil-run %s --target=cuda:sm_90a --library=cudnn --random-inputs --function=plain 2>&1 | FileCheck %s --check-prefix=ENGINE
// ENGINE: library 'cudnn' has no attention of this form: no engine was found, in attention ({{.*}}attention.mlir:[[#]])

// Heads beside each other in memory are read where they are.
func.func @plain(%x: tensor<2x100x3x4x16xbf16>) -> tensor<2x100x64xbf16> {
  %0 = graph.slice %x starts <[0, 0, 0, 0, 0]> steps [1, 1, 1, 1, 1] : (tensor<2x100x3x4x16xbf16>) -> tensor<2x100x1x4x16xbf16>
  %1 = graph.slice %x starts <[0, 0, 1, 0, 0]> steps [1, 1, 1, 1, 1] : (tensor<2x100x3x4x16xbf16>) -> tensor<2x100x1x4x16xbf16>
  %2 = graph.slice %x starts <[0, 0, 2, 0, 0]> steps [1, 1, 1, 1, 1] : (tensor<2x100x3x4x16xbf16>) -> tensor<2x100x1x4x16xbf16>
  %3 = graph.reshape %0 : (tensor<2x100x1x4x16xbf16>) -> tensor<2x100x4x16xbf16>
  %4 = graph.reshape %1 : (tensor<2x100x1x4x16xbf16>) -> tensor<2x100x4x16xbf16>
  %5 = graph.reshape %2 : (tensor<2x100x1x4x16xbf16>) -> tensor<2x100x4x16xbf16>
  %q = graph.permute %3 [0, 2, 1, 3] : (tensor<2x100x4x16xbf16>) -> tensor<2x4x100x16xbf16>
  %k = graph.permute %4 [0, 2, 1, 3] : (tensor<2x100x4x16xbf16>) -> tensor<2x4x100x16xbf16>
  %v = graph.permute %5 [0, 2, 1, 3] : (tensor<2x100x4x16xbf16>) -> tensor<2x4x100x16xbf16>
  %o = graph.attention %q, %k, %v scale 2.500000e-01 : (tensor<2x4x100x16xbf16>, tensor<2x4x100x16xbf16>, tensor<2x4x100x16xbf16>) -> tensor<2x4x100x16xbf16>
  %6 = graph.permute %o [0, 2, 1, 3] : (tensor<2x4x100x16xbf16>) -> tensor<2x100x4x16xbf16>
  %7 = graph.reshape %6 : (tensor<2x100x4x16xbf16>) -> tensor<2x100x64xbf16>
  return %7 : tensor<2x100x64xbf16>
}

!seq = tensor<2x4x?x16xf16, #sym.shape<[2, 4, s0, 16]>>
func.func @causal(%q: !seq, %k: !seq, %v: !seq) -> !seq attributes {sym.symbols = {s0 = #sym.range<1, 2048>}} {
  %0 = graph.attention %q, %k, %v causal scale 2.500000e-01 : (!seq, !seq, !seq) -> !seq
  return %0 : !seq
}

// Some rows see nothing.
func.func @bool_mask(%q: tensor<2x4x96x16xbf16>, %k: tensor<2x4x96x16xbf16>, %v: tensor<2x4x96x24xbf16>, %n: tensor<2x1x96x1xbf16>) -> tensor<2x4x96x24xbf16> {
  %i = graph.iota 0 : i64 step 1 : i64 dim 0 -> tensor<96xi64>
  %f = graph.convert %i : (tensor<96xi64>) -> tensor<96xbf16>
  %h = graph.full 6.4e1 : bf16 -> tensor<bf16>
  %d = graph.sub %f, %h : (tensor<96xbf16>, tensor<bf16>) -> tensor<96xbf16>
  %m = graph.compare lt, %d, %n : (tensor<96xbf16>, tensor<2x1x96x1xbf16>) -> tensor<2x1x96x96xi1>
  %0 = graph.attention %q, %k, %v mask %m scale 2.500000e-01 : (tensor<2x4x96x16xbf16>, tensor<2x4x96x16xbf16>, tensor<2x4x96x24xbf16>, tensor<2x1x96x96xi1>) -> tensor<2x4x96x24xbf16>
  return %0 : tensor<2x4x96x24xbf16>
}

func.func @added_mask(%q: tensor<2x4x96x16xbf16>, %k: tensor<2x4x88x16xbf16>, %v: tensor<2x4x88x16xbf16>, %m: tensor<4x96x88xbf16>) -> tensor<2x4x96x16xbf16> {
  %0 = graph.attention %q, %k, %v mask %m scale 2.500000e-01 : (tensor<2x4x96x16xbf16>, tensor<2x4x88x16xbf16>, tensor<2x4x88x16xbf16>, tensor<4x96x88xbf16>) -> tensor<2x4x96x16xbf16>
  return %0 : tensor<2x4x96x16xbf16>
}

// Keys and values that four heads share are not repeated.
// GROUPED: tensor 1 [2, 8, 72, 16] strides [9216, 1152, 16, 1]
// GROUPED: tensor 2 [2, 2, 16, 72] strides [2304, 16, 1, 32]
// GROUPED: tensor 3 [2, 2, 72, 16] strides [2304, 16, 32, 1]
// GROUPED: tensor 4 [2, 8, 72, 16] strides [9216, 16, 128, 1]
func.func @grouped(%q: tensor<2x8x72x16xbf16>, %k: tensor<2x72x2x16xbf16>, %v: tensor<2x72x2x16xbf16>) -> tensor<2x8x72x16xbf16> {
  %0 = graph.permute %k [0, 2, 1, 3] : (tensor<2x72x2x16xbf16>) -> tensor<2x2x72x16xbf16>
  %1 = graph.reshape %0 : (tensor<2x2x72x16xbf16>) -> tensor<2x2x1x72x16xbf16>
  %2 = graph.broadcast %1 : (tensor<2x2x1x72x16xbf16>) -> tensor<2x2x4x72x16xbf16>
  %3 = graph.reshape %2 : (tensor<2x2x4x72x16xbf16>) -> tensor<2x8x72x16xbf16>
  %4 = graph.permute %v [0, 2, 1, 3] : (tensor<2x72x2x16xbf16>) -> tensor<2x2x72x16xbf16>
  %5 = graph.reshape %4 : (tensor<2x2x72x16xbf16>) -> tensor<2x2x1x72x16xbf16>
  %6 = graph.broadcast %5 : (tensor<2x2x1x72x16xbf16>) -> tensor<2x2x4x72x16xbf16>
  %7 = graph.reshape %6 : (tensor<2x2x4x72x16xbf16>) -> tensor<2x8x72x16xbf16>
  %8 = graph.attention %q, %3, %7 causal scale 2.500000e-01 : (tensor<2x8x72x16xbf16>, tensor<2x8x72x16xbf16>, tensor<2x8x72x16xbf16>) -> tensor<2x8x72x16xbf16>
  return %8 : tensor<2x8x72x16xbf16>
}
