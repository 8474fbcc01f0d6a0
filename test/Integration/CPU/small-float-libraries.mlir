// REQUIRES: onednn
// Matrix multiplications and convolutions of bf16 and f16 run where oneDNN has no kernel
// for them: through f32.
// RUN: split-file %s %t
// RUN: env ONEDNN_MAX_CPU_ISA=AVX2 coil-run %t/matmul.mlir --library=onednn --random-inputs --reference=interp
// RUN: env ONEDNN_MAX_CPU_ISA=AVX2 coil-run %t/matmul-f16.mlir --library=onednn --random-inputs --reference=interp
// RUN: env ONEDNN_MAX_CPU_ISA=AVX2 coil-run %t/conv.mlir --library=onednn --random-inputs --reference=interp
// RUN: env ONEDNN_MAX_CPU_ISA=AVX2 coil-run %t/conv-f16.mlir --library=onednn --random-inputs --reference=interp
// RUN: coil-compile %t/matmul-f16.mlir --library=onednn --to=loop | FileCheck %s
// CHECK: schedule<library = "onednn"

//--- matmul.mlir
func.func @main(%a: tensor<120x64xbf16>, %w: tensor<48x64xbf16>, %b: tensor<48xbf16>) -> tensor<120x48xbf16> {
  %t = graph.permute %w [1, 0] : (tensor<48x64xbf16>) -> tensor<64x48xbf16>
  %y = graph.matmul %a, %t : (tensor<120x64xbf16>, tensor<64x48xbf16>) -> tensor<120x48xbf16>
  %z = graph.add %y, %b : (tensor<120x48xbf16>, tensor<48xbf16>) -> tensor<120x48xbf16>
  return %z : tensor<120x48xbf16>
}
//--- matmul-f16.mlir
func.func @main(%a: tensor<120x64xf16>, %w: tensor<48x64xf16>, %b: tensor<48xf16>) -> tensor<120x48xf16> {
  %t = graph.permute %w [1, 0] : (tensor<48x64xf16>) -> tensor<64x48xf16>
  %y = graph.matmul %a, %t : (tensor<120x64xf16>, tensor<64x48xf16>) -> tensor<120x48xf16>
  %z = graph.add %y, %b : (tensor<120x48xf16>, tensor<48xf16>) -> tensor<120x48xf16>
  return %z : tensor<120x48xf16>
}
//--- conv.mlir
func.func @main(%x: tensor<2x48x17x19xbf16>, %w: tensor<64x48x3x3xbf16>, %b: tensor<64xbf16>) -> tensor<2x64x9x10xbf16> {
  %0 = graph.conv %x, %w stride [2, 2] padding [1, 1] dilation [1, 1] groups 1 : (tensor<2x48x17x19xbf16>, tensor<64x48x3x3xbf16>) -> tensor<2x64x9x10xbf16>
  %1 = graph.reshape %b : (tensor<64xbf16>) -> tensor<64x1x1xbf16>
  %3 = graph.add %0, %1 : (tensor<2x64x9x10xbf16>, tensor<64x1x1xbf16>) -> tensor<2x64x9x10xbf16>
  return %3 : tensor<2x64x9x10xbf16>
}
//--- conv-f16.mlir
func.func @main(%x: tensor<2x48x17x19xf16>, %w: tensor<64x48x3x3xf16>, %b: tensor<64xf16>) -> tensor<2x64x9x10xf16> {
  %0 = graph.conv %x, %w stride [2, 2] padding [1, 1] dilation [1, 1] groups 1 : (tensor<2x48x17x19xf16>, tensor<64x48x3x3xf16>) -> tensor<2x64x9x10xf16>
  %1 = graph.reshape %b : (tensor<64xf16>) -> tensor<64x1x1xf16>
  %3 = graph.add %0, %1 : (tensor<2x64x9x10xf16>, tensor<64x1x1xf16>) -> tensor<2x64x9x10xf16>
  return %3 : tensor<2x64x9x10xf16>
}
