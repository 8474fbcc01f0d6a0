// RUN: coil-opt %s --loop-select-schedule=vector-bits=512 --split-input-file | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: coil-opt %s --loop-select-schedule="vector-bits=256 library=none" --split-input-file | FileCheck %s --check-prefixes=CHECK,NARROW

// The dimension walked with stride one is vectorised; lanes by register width.
// CHECK-LABEL: @column_sum
// WIDE:        schedule<vector_dim = 1, vector_width = 16, unroll = 4, block = 64
// NARROW:      schedule<vector_dim = 1, vector_width = 8, unroll = 4, block = 32
func.func @column_sum(%x: tensor<4096x1000xf32>) -> tensor<1000xf32> {
  %y = loop.kernel "sum" [4096, 1000] (%a = %x) : (tensor<4096x1000xf32>) -> tensor<1000xf32> {
    %v = loop.load %a[d0, d1] : tensor<4096x1000xf32> -> f32
    %s = loop.reduce sum %v over [0] : f32
    loop.store %s, 0 [d1] : f32
  }
  return %y : tensor<1000xf32>
}

// -----

// Eight lanes of 64 bits.
// CHECK-LABEL: @double
// WIDE:        vector_width = 8
// NARROW:      vector_width = 4
func.func @double(%x: tensor<4096xf64>) -> tensor<4096xf64> {
  %y = loop.kernel "neg" [4096] (%a = %x) : (tensor<4096xf64>) -> tensor<4096xf64> {
    %v = loop.load %a[d0] : tensor<4096xf64> -> f64
    %s = arith.negf %v : f64
    loop.store %s, 0 [d0] : f64
  }
  return %y : tensor<4096xf64>
}

// -----

// CHECK-LABEL: @matmul
// WIDE:        schedule<library = "onednn">
// NARROW:      vector_dim
func.func @matmul(%x: tensor<32x64xf32>, %w: tensor<64x48xf32>) -> tensor<32x48xf32> {
  %y = loop.kernel "matmul" [32, 48, 64] (%a = %x, %b = %w) : (tensor<32x64xf32>, tensor<64x48xf32>) -> tensor<32x48xf32> {
    %v = loop.load %a[d0, d2] : tensor<32x64xf32> -> f32
    %u = loop.load %b[d2, d1] : tensor<64x48xf32> -> f32
    %p = arith.mulf %v, %u : f32
    %s = loop.reduce sum %p over [2] : f32
    loop.store %s, 0 [d0, d1] : f32
  }
  return %y : tensor<32x48xf32>
}
