// The first dimension of one image is indexed by zero, which makes what follows
// a convolution no less of an epilogue.
// RUN: coil-opt %s --coil-graph-pipeline --coil-loop-pipeline=library=onednn | FileCheck %s
// RUN: coil-run %s --random-inputs --reference=interp --rtol=1e-4 --atol=1e-4

// CHECK:     loop.kernel "conv+add+relu" [1, 8, 14, 14, 8, 3, 3]
// CHECK-NOT: loop.kernel
func.func @main(%x: tensor<1x8x16x16xf32>, %w: tensor<8x8x3x3xf32>, %b: tensor<8xf32>) -> tensor<1x8x14x14xf32> {
  %c = graph.conv %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] groups 1 : (tensor<1x8x16x16xf32>, tensor<8x8x3x3xf32>) -> tensor<1x8x14x14xf32>
  %r = graph.reshape %b : (tensor<8xf32>) -> tensor<8x1x1xf32>
  %a = graph.add %c, %r : (tensor<1x8x14x14xf32>, tensor<8x1x1xf32>) -> tensor<1x8x14x14xf32>
  %0 = graph.relu %a : (tensor<1x8x14x14xf32>) -> tensor<1x8x14x14xf32>
  return %0 : tensor<1x8x14x14xf32>
}
