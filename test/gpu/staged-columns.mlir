// REQUIRES: cuda-sim
// RUN: coil-compile %s --target=cuda:sm_90a --library=none --to=wrapper | FileCheck %s
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp

// Reductions down columns of operands whose elements lie along the columns: blocks
// bring them into shared memory, and nothing is copied first. Of odd sizes, of
// several types, with two dimensions across the columns, and of a window, whose
// columns overlap and stay where they are.

// CHECK-NOT: "copy"
func.func @main(%x: tensor<32x1021xf32>, %y: tensor<1021x32xf32>, %u: tensor<7x300xbf16>, %v: tensor<300x7xbf16>, %z: tensor<3x200x33xf16>, %w: tensor<2x500xf32>) -> (tensor<32x1021xf32>, tensor<300xf32>, tensor<3x200xf32>, tensor<2x250xf32>) {
  %yt = graph.permute %y [1, 0] : (tensor<1021x32xf32>) -> tensor<32x1021xf32>
  %d = graph.sub %x, %yt : (tensor<32x1021xf32>, tensor<32x1021xf32>) -> tensor<32x1021xf32>
  %m = graph.reduce max, %d dims [0] keepdims : (tensor<32x1021xf32>) -> tensor<1x1021xf32>
  %c = graph.sub %d, %m : (tensor<32x1021xf32>, tensor<1x1021xf32>) -> tensor<32x1021xf32>

  %vt = graph.permute %v [1, 0] : (tensor<300x7xbf16>) -> tensor<7x300xbf16>
  %p = graph.mul %u, %vt : (tensor<7x300xbf16>, tensor<7x300xbf16>) -> tensor<7x300xbf16>
  %pf = graph.convert %p : (tensor<7x300xbf16>) -> tensor<7x300xf32>
  %s = graph.reduce sum, %pf dims [0] : (tensor<7x300xf32>) -> tensor<300xf32>

  %zf = graph.convert %z : (tensor<3x200x33xf16>) -> tensor<3x200x33xf32>
  %lo = graph.reduce min, %zf dims [2] : (tensor<3x200x33xf32>) -> tensor<3x200xf32>

  %pool = loop.kernel "pool" [2, 250, 3] (%a = %w) : (tensor<2x500xf32>) -> tensor<2x250xf32> {
    %i = loop.index <d1 * 2 + d2>
    %n = loop.index <500>
    %in = arith.cmpi slt, %i, %n : i64
    %zero = arith.constant 0.0 : f32
    %e = loop.load %a[d0, d1 * 2 + d2] mask %in else %zero : f32 : tensor<2x500xf32> -> f32
    %best = loop.reduce max %e over [2] : f32
    loop.store %best, 0 [d0, d1] : f32
  }
  return %c, %s, %lo, %pool : tensor<32x1021xf32>, tensor<300xf32>, tensor<3x200xf32>, tensor<2x250xf32>
}
