// RUN: coil-opt %s --loop-fuse --split-input-file | FileCheck %s

// Waves of positions are a table on a processor: they read nothing, and rows of
// a batch would compute them again.
// CHECK-LABEL: @waves
// CHECK: %[[T:.*]] = loop.kernel "angle+sin" [64, 8]
// CHECK: loop.kernel "mul" [32, 64, 8] ({{.*}} = %[[T]]
func.func @waves(%x: tensor<32x64x8xf32>) -> tensor<32x64x8xf32> {
  %a = loop.kernel "angle" [64, 8] () : () -> tensor<64x8xf32> {
    %i = loop.index <d0>
    %j = loop.index <d1 + 1>
    %f = arith.sitofp %i : i64 to f32
    %g = arith.sitofp %j : i64 to f32
    %q = arith.divf %f, %g : f32
    loop.store %q, 0 [d0, d1] : f32
  }
  %t = loop.kernel "sin" [64, 8] (%p = %a) : (tensor<64x8xf32>) -> tensor<64x8xf32> {
    %v = loop.load %p[d0, d1] : tensor<64x8xf32> -> f32
    %s = math.sin %v : f32
    loop.store %s, 0 [d0, d1] : f32
  }
  %y = loop.kernel "mul" [32, 64, 8] (%p = %x, %q = %t) : (tensor<32x64x8xf32>, tensor<64x8xf32>) -> tensor<32x64x8xf32> {
    %v = loop.load %p[d0, d1, d2] : tensor<32x64x8xf32> -> f32
    %w = loop.load %q[d1, d2] : tensor<64x8xf32> -> f32
    %m = arith.mulf %v, %w : f32
    loop.store %m, 0 [d0, d1, d2] : f32
  }
  return %y : tensor<32x64x8xf32>
}

// -----

// A mask of positions is computed where it is read.
// CHECK-LABEL: @mask
// CHECK: loop.kernel "mask+select" [32, 64, 64]
// CHECK-NOT: loop.kernel
func.func @mask(%x: tensor<32x64x64xf32>) -> tensor<32x64x64xf32> {
  %a = loop.kernel "mask" [64, 64] () : () -> tensor<64x64xi1> {
    %i = loop.index <d0>
    %j = loop.index <d1>
    %d = arith.subi %i, %j : i64
    %c = arith.constant 16 : i64
    %o = arith.constant 0 : i64
    %g = arith.cmpi slt, %d, %c : i64
    %h = arith.cmpi sge, %d, %o : i64
    %m = arith.andi %g, %h : i1
    loop.store %m, 0 [d0, d1] : i1
  }
  %y = loop.kernel "select" [32, 64, 64] (%p = %x, %q = %a) : (tensor<32x64x64xf32>, tensor<64x64xi1>) -> tensor<32x64x64xf32> {
    %v = loop.load %p[d0, d1, d2] : tensor<32x64x64xf32> -> f32
    %w = loop.load %q[d1, d2] : tensor<64x64xi1> -> i1
    %z = arith.constant 0.0 : f32
    %m = arith.select %w, %v, %z : f32
    loop.store %m, 0 [d0, d1, d2] : f32
  }
  return %y : tensor<32x64x64xf32>
}
