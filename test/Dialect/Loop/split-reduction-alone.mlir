// RUN: coil-opt %s --loop-split-reduction="chunks=64 min-elements=4096" | FileCheck %s

// A module without arithmetic: the pass brings the dialect that masks what is beyond the last chunk.
// CHECK: loop.kernel "sum_chunks"
// CHECK: arith.cmpi slt
func.func @row(%x: tensor<10007xf32>) -> tensor<f32> {
  %y = loop.kernel "sum" [10007] (%a = %x) : (tensor<10007xf32>) -> tensor<f32> {
    %v = loop.load %a[d0] : tensor<10007xf32> -> f32
    %s = loop.reduce sum %v over [0] : f32
    loop.store %s, 0 [] : f32
  }
  return %y : tensor<f32>
}
