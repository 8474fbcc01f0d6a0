// The result of a pointwise kernel that only views read lies as an operand does, where views are no copies then (C5).
// RUN: coil-opt %s --split-input-file --target-attach=target=cuda:sm_90a --loop-assign-layouts --remarks-filter=loop-assign-layouts --remark-policy=all 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t
// RUN: coil-opt %s --split-input-file --target-attach=target=cpu --loop-assign-layouts | FileCheck %s
// RUN: coil-opt %s --split-input-file --target-attach=target=cuda:sm_90a --loop-assign-layouts --convert-loop-to-wrapper | FileCheck %s --check-prefix=HOST

// Heads between rows, as attention leaves them; products want the rows in both orders.
// REMARK: result 0 of 'relu' has its dimensions in the order d0, d2, d1, d3, in which 2 views of it are no copies
// CHECK-LABEL: func @heads
// CHECK: %[[Y:.*]] = loop.kernel "relu" {{.*}} -> tensor<8x64x4x16xf32>
// CHECK:   loop.store %{{.*}}, 0[d0, d2, d1, d3]
// CHECK: loop.view %[[Y]][d1 floordiv 64, d1 mod 64, d0 floordiv 16, d0 mod 16] : tensor<8x64x4x16xf32> -> tensor<64x512xf32>
// HOST-LABEL: wrapper.func @heads
// HOST-NOT: copy
// HOST: wrapper.contraction "cublaslt"[64, 96, 512] a(%{{.*}}[1, 0, 64] : !wrapper.buffer<[64, 512], strides = [1, 64]
// HOST: wrapper.contraction "cublaslt"[512, 96, 64] a(%{{.*}}[64, 0, 1] : !wrapper.buffer<[512, 64], f32
func.func @heads(%x: tensor<8x64x4x16xf32>, %w: tensor<512x96xf32>, %u: tensor<64x96xf32>) -> (tensor<64x96xf32>, tensor<512x96xf32>) {
  %0 = loop.kernel "relu" [8, 4, 64, 16] (%a = %x) : (tensor<8x64x4x16xf32>) -> tensor<8x4x64x16xf32> {
    %zero = arith.constant 0.0 : f32
    %v = loop.load %a[d0, d2, d1, d3] : tensor<8x64x4x16xf32> -> f32
    %r = arith.maximumf %v, %zero : f32
    loop.store %r, 0 [d0, d1, d2, d3] : f32
  }
  %t = loop.view %0[d1 floordiv 64, d0 floordiv 16, d1 mod 64, d0 mod 16] : tensor<8x4x64x16xf32> -> tensor<64x512xf32>
  %r = loop.view %0[d0 floordiv 64, d1 floordiv 16, d0 mod 64, d1 mod 16] : tensor<8x4x64x16xf32> -> tensor<512x64xf32>
  %p = loop.kernel "matmul" [64, 96, 512] (%a = %t, %b = %w) : (tensor<64x512xf32>, tensor<512x96xf32>) -> tensor<64x96xf32> schedule<library = "cublaslt"> {
    %v = loop.load %a[d0, d2] : tensor<64x512xf32> -> f32
    %q = loop.load %b[d2, d1] : tensor<512x96xf32> -> f32
    %m = arith.mulf %v, %q : f32
    %s = loop.reduce sum %m over [2] : f32
    loop.store %s, 0[d0, d1] : f32
  }
  %q = loop.kernel "matmul" [512, 96, 64] (%a = %r, %b = %u) : (tensor<512x64xf32>, tensor<64x96xf32>) -> tensor<512x96xf32> schedule<library = "cublaslt"> {
    %v = loop.load %a[d0, d2] : tensor<512x64xf32> -> f32
    %q = loop.load %b[d2, d1] : tensor<64x96xf32> -> f32
    %m = arith.mulf %v, %q : f32
    %s = loop.reduce sum %m over [2] : f32
    loop.store %s, 0[d0, d1] : f32
  }
  return %p, %q : tensor<64x96xf32>, tensor<512x96xf32>
}

// -----

// Another user wants the result as it is.
// CHECK-LABEL: func @other_use
// CHECK: loop.kernel "relu" {{.*}} -> tensor<2x3x5x7xf32>
func.func @other_use(%x: tensor<2x5x3x7xf32>) -> (tensor<2x3x5x7xf32>, tensor<10x21xf32>) {
  %0 = loop.kernel "relu" [2, 3, 5, 7] (%a = %x) : (tensor<2x5x3x7xf32>) -> tensor<2x3x5x7xf32> {
    %zero = arith.constant 0.0 : f32
    %v = loop.load %a[d0, d2, d1, d3] : tensor<2x5x3x7xf32> -> f32
    %r = arith.maximumf %v, %zero : f32
    loop.store %r, 0 [d0, d1, d2, d3] : f32
  }
  %1 = loop.view %0[d0 floordiv 5, d1 floordiv 7, d0 mod 5, d1 mod 7] : tensor<2x3x5x7xf32> -> tensor<10x21xf32>
  return %0, %1 : tensor<2x3x5x7xf32>, tensor<10x21xf32>
}

// -----

// The kernel reduces: its rows are written along their elements.
// CHECK-LABEL: func @reduces
// CHECK: loop.kernel "sum" {{.*}} -> tensor<2x3x5xf32>
func.func @reduces(%x: tensor<2x5x3x7xf32>) -> tensor<10x3xf32> {
  %0 = loop.kernel "sum" [2, 3, 5, 7] (%a = %x) : (tensor<2x5x3x7xf32>) -> tensor<2x3x5xf32> {
    %v = loop.load %a[d0, d2, d1, d3] : tensor<2x5x3x7xf32> -> f32
    %s = loop.reduce sum %v over [3] : f32
    loop.store %s, 0 [d0, d1, d2] : f32
  }
  %1 = loop.view %0[d0 floordiv 5, d1, d0 mod 5] : tensor<2x3x5xf32> -> tensor<10x3xf32>
  return %1 : tensor<10x3xf32>
}

// -----

// The operand that lies so has gaps.
// CHECK-LABEL: func @gaps
// CHECK: loop.kernel "relu" {{.*}} -> tensor<2x3x5x7xf32>
func.func @gaps(%x: tensor<2x5x4x7xf32>) -> tensor<10x21xf32> {
  %0 = loop.kernel "relu" [2, 3, 5, 7] (%a = %x) : (tensor<2x5x4x7xf32>) -> tensor<2x3x5x7xf32> {
    %zero = arith.constant 0.0 : f32
    %v = loop.load %a[d0, d2, d1, d3] : tensor<2x5x4x7xf32> -> f32
    %r = arith.maximumf %v, %zero : f32
    loop.store %r, 0 [d0, d1, d2, d3] : f32
  }
  %1 = loop.view %0[d0 floordiv 5, d1 floordiv 7, d0 mod 5, d1 mod 7] : tensor<2x3x5x7xf32> -> tensor<10x21xf32>
  return %1 : tensor<10x21xf32>
}
