// RUN: coil-opt %s --loop-select-schedule=vector-bits=512 --split-input-file | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: coil-opt %s --loop-select-schedule="vector-bits=256 library=none" --split-input-file | FileCheck %s --check-prefixes=CHECK,NARROW

// The dimension walked with stride one is vectorised; lanes by register width.
// CHECK-LABEL: @column_sum
// WIDE:        schedule<vector_dim = 1, vector_width = 16, unroll = 4, block = 64
// NARROW:      schedule<vector_dim = 1, vector_width = 8, unroll = 4, block = 32
func.func @column_sum(%x: tensor<1000x1000xf32>) -> tensor<1000xf32> {
  %y = loop.kernel "sum" [1000, 1000] (%a = %x) : (tensor<1000x1000xf32>) -> tensor<1000xf32> {
    %v = loop.load %a[d0, d1] : tensor<1000x1000xf32> -> f32
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

// -----

// The dear value goes into the result; what is cheap is computed again.
// CHECK-LABEL: @softmax_keeps_exponentials
// WIDE:        schedule<{{.*}}keep = [3]>
// CHECK-LABEL: @centre_keeps_nothing
// CHECK-NOT:   keep
func.func @softmax_keeps_exponentials(%x: tensor<64x1024xf32>) -> tensor<64x1024xf32> {
  %y = loop.kernel "softmax" [64, 1024] (%a = %x) : (tensor<64x1024xf32>) -> tensor<64x1024xf32> {
    %v = loop.load %a[d0, d1] : tensor<64x1024xf32> -> f32
    %m = loop.reduce max %v over [1] : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d : f32
    %s = loop.reduce sum %e over [1] : f32
    %q = arith.divf %e, %s : f32
    loop.store %q, 0 [d0, d1] : f32
  }
  return %y : tensor<64x1024xf32>
}
func.func @centre_keeps_nothing(%x: tensor<64x1024xf32>) -> tensor<64x1024xf32> {
  %y = loop.kernel "norm" [64, 1024] (%a = %x) : (tensor<64x1024xf32>) -> tensor<64x1024xf32> {
    %v = loop.load %a[d0, d1] : tensor<64x1024xf32> -> f32
    %m = loop.reduce sum %v over [1] : f32
    %d = arith.subf %v, %m : f32
    %p = arith.mulf %d, %d : f32
    %s = loop.reduce sum %p over [1] : f32
    %q = arith.divf %d, %s : f32
    loop.store %q, 0 [d0, d1] : f32
  }
  return %y : tensor<64x1024xf32>
}

// -----

// Rows too long for a cache, and results of another type, hold nothing.
// CHECK-LABEL: @long_rows_keep_nothing
// CHECK-NOT:   keep
func.func @long_rows_keep_nothing(%x: tensor<4x1000000xf32>) -> tensor<4x1000000xf32> {
  %y = loop.kernel "softmax" [4, 1000000] (%a = %x) : (tensor<4x1000000xf32>) -> tensor<4x1000000xf32> {
    %v = loop.load %a[d0, d1] : tensor<4x1000000xf32> -> f32
    %m = loop.reduce max %v over [1] : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d : f32
    %s = loop.reduce sum %e over [1] : f32
    %q = arith.divf %e, %s : f32
    loop.store %q, 0 [d0, d1] : f32
  }
  return %y : tensor<4x1000000xf32>
}

// -----

// Much data goes by rows; reductions that wait for another do not.
// CHECK-LABEL: @long_columns
// WIDE:        schedule<vector_dim = 1, vector_width = 16, unroll = 4, block = 1024, rows = 4>
// CHECK-LABEL: @columns_in_phases
// CHECK-NOT:   rows
func.func @long_columns(%x: tensor<4096x2048xf32>) -> tensor<2048xf32> {
  %y = loop.kernel "sum" [4096, 2048] (%a = %x) : (tensor<4096x2048xf32>) -> tensor<2048xf32> {
    %v = loop.load %a[d0, d1] : tensor<4096x2048xf32> -> f32
    %s = loop.reduce sum %v over [0] : f32
    loop.store %s, 0 [d1] : f32
  }
  return %y : tensor<2048xf32>
}
func.func @columns_in_phases(%x: tensor<4096x2048xf32>) -> tensor<2048xf32> {
  %y = loop.kernel "var" [4096, 2048] (%a = %x) : (tensor<4096x2048xf32>) -> tensor<2048xf32> {
    %v = loop.load %a[d0, d1] : tensor<4096x2048xf32> -> f32
    %s = loop.reduce sum %v over [0] : f32
    %d = arith.subf %v, %s : f32
    %t = loop.reduce sum %d over [0] : f32
    loop.store %t, 0 [d1] : f32
  }
  return %y : tensor<2048xf32>
}

// Scans combine the lanes of vectors along rows.
// CHECK-LABEL: @scan_rows
// WIDE:        schedule<vector_dim = 1, vector_width = 16
// CHECK-LABEL: @scan_columns
// WIDE:        schedule<vector_dim = 1, vector_width = 16
func.func @scan_rows(%x: tensor<32x64xf32>) -> tensor<32x64xf32> {
  %y = loop.kernel "scan" [32, 64] (%a = %x) : (tensor<32x64xf32>) -> tensor<32x64xf32> {
    %v = loop.load %a[d0, d1] : tensor<32x64xf32> -> f32
    %s = loop.scan sum %v over [1] : f32
    loop.store %s, 0 [d0, d1] : f32
  }
  return %y : tensor<32x64xf32>
}
func.func @scan_columns(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %y = loop.kernel "scan" [64, 64] (%a = %x) : (tensor<64x64xf32>) -> tensor<64x64xf32> {
    %v = loop.load %a[d0, d1] : tensor<64x64xf32> -> f32
    %s = loop.scan sum %v over [0] : f32
    loop.store %s, 0 [d0, d1] : f32
  }
  return %y : tensor<64x64xf32>
}

// A result larger than the caches is streamed, and the task keeps what it would;
// one that is smaller than they are is not.
// CHECK-LABEL: @large_results_are_streamed
// CHECK:       "normalize"
// WIDE:        schedule<
// WIDE-SAME:   keep = [3, -1], stream = [0]>
// Rows that are too long for that, or may be, are computed again.
// CHECK-LABEL: @long_rows_keep_nothing
// CHECK:       schedule<
// CHECK-NOT:   keep
// WIDE-SAME:   stream = [0]>
// CHECK-LABEL: @rows_of_any_length_keep_nothing
// CHECK:       schedule<
// CHECK-NOT:   keep
// WIDE-SAME:   stream = [0]>
func.func @large_results_are_streamed(%x: tensor<65536x1024xf32>) -> (tensor<65536x1024xf32>, tensor<65536xf32>) {
  %0:2 = loop.kernel "normalize" [65536, 1024] (%a = %x) : (tensor<65536x1024xf32>) -> (tensor<65536x1024xf32>, tensor<65536xf32>) {
    %v = loop.load %a[d0, d1] : tensor<65536x1024xf32> -> f32
    %m = loop.reduce max %v over [1] : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d : f32
    %s = loop.reduce sum %e over [1] : f32
    %q = arith.divf %e, %s : f32
    loop.store %q, 0 [d0, d1] : f32
    loop.store %s, 1 [d0] : f32
  }
  return %0#0, %0#1 : tensor<65536x1024xf32>, tensor<65536xf32>
}

func.func @long_rows_keep_nothing(%x: tensor<1024x32769xf32>) -> tensor<1024x32769xf32> {
  %y = loop.kernel "softmax" [1024, 32769] (%a = %x) : (tensor<1024x32769xf32>) -> tensor<1024x32769xf32> {
    %v = loop.load %a[d0, d1] : tensor<1024x32769xf32> -> f32
    %m = loop.reduce max %v over [1] : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d : f32
    %s = loop.reduce sum %e over [1] : f32
    %q = arith.divf %e, %s : f32
    loop.store %q, 0 [d0, d1] : f32
  }
  return %y : tensor<1024x32769xf32>
}

func.func @rows_of_any_length_keep_nothing(%x: tensor<?x?xf32, #sym.shape<[s0, s1]>>) -> tensor<?x?xf32, #sym.shape<[s0, s1]>> attributes {sym.symbols = {s0 = #sym.range<1, 100000, hint = 65536>, s1 = #sym.range<1, 100000, hint = 1024>}} {
  %y = loop.kernel "softmax" [s0, s1] (%a = %x) : (tensor<?x?xf32, #sym.shape<[s0, s1]>>) -> tensor<?x?xf32, #sym.shape<[s0, s1]>> {
    %v = loop.load %a[d0, d1] : tensor<?x?xf32, #sym.shape<[s0, s1]>> -> f32
    %m = loop.reduce max %v over [1] : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d : f32
    %s = loop.reduce sum %e over [1] : f32
    %q = arith.divf %e, %s : f32
    loop.store %q, 0 [d0, d1] : f32
  }
  return %y : tensor<?x?xf32, #sym.shape<[s0, s1]>>
}

// -----

// Groups of four are read by vectors along the longer dimension, that pick every fourth element; what is stored by such steps is not.
// CHECK-LABEL: @by_groups
// WIDE:        schedule<vector_dim = 1, vector_width = 16, unroll = 4
// CHECK-LABEL: loop.kernel "scale"
// WIDE-SAME:   schedule<vector_dim = 1
func.func @by_groups(%x: tensor<1009x4xf32>, %w: tensor<4xf32>) -> (tensor<4x1009xf32>, tensor<1009x4xf32>) {
  %y = loop.kernel "transpose" [4, 1009] (%a = %x) : (tensor<1009x4xf32>) -> tensor<4x1009xf32> {
    %v = loop.load %a[d1, d0] : tensor<1009x4xf32> -> f32
    %s = arith.addf %v, %v : f32
    loop.store %s, 0[d0, d1] : f32
  }
  %z = loop.kernel "scale" [1009, 4] (%a = %x, %b = %w) : (tensor<1009x4xf32>, tensor<4xf32>) -> tensor<1009x4xf32> {
    %v = loop.load %a[d0, d1] : tensor<1009x4xf32> -> f32
    %u = loop.load %b[d1] : tensor<4xf32> -> f32
    %s = arith.mulf %v, %u : f32
    loop.store %s, 0[d0, d1] : f32
  }
  return %y, %z : tensor<4x1009xf32>, tensor<1009x4xf32>
}

// -----

// Results of a reduction are stored once for all that is reduced: however many there are, its rows are what vectors lie along.
// CHECK-LABEL: @many_results
// WIDE:        schedule<vector_dim = 1, vector_width = 16
func.func @many_results(%x: tensor<64x4096xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %y:5 = loop.kernel "five" [64, 4096] (%a = %x) : (tensor<64x4096xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
    %v = loop.load %a[d0, d1] : tensor<64x4096xf32> -> f32
    %w = arith.mulf %v, %v : f32
    %n = arith.negf %v : f32
    %s0 = loop.reduce sum %v over [1] : f32
    %s1 = loop.reduce sum %w over [1] : f32
    %s2 = loop.reduce max %v over [1] : f32
    %s3 = loop.reduce max %n over [1] : f32
    %s4 = loop.reduce max %w over [1] : f32
    loop.store %s0, 0[d0] : f32
    loop.store %s1, 1[d0] : f32
    loop.store %s2, 2[d0] : f32
    loop.store %s3, 3[d0] : f32
    loop.store %s4, 4[d0] : f32
  }
  return %y#0, %y#1, %y#2, %y#3, %y#4 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}

// -----

// A short row is a whole number of vectors, which go through the body together;
// one that is none ends under a mask.
// CHECK-LABEL: @short_rows
// WIDE:        schedule<vector_dim = 1, vector_width = 8, unroll = 3, block = 24
// NARROW:      schedule<vector_dim = 1, vector_width = 8, unroll = 3, block = 24
// WIDE:        schedule<vector_dim = 1, vector_width = 16, block = 16
func.func @short_rows(%x: tensor<64x24xf32>, %y: tensor<64x30xf32>) -> (tensor<24xf32>, tensor<30xf32>) {
  %0 = loop.kernel "sum" [64, 24] (%a = %x) : (tensor<64x24xf32>) -> tensor<24xf32> {
    %v = loop.load %a[d0, d1] : tensor<64x24xf32> -> f32
    %s = loop.reduce sum %v over [0] : f32
    loop.store %s, 0 [d1] : f32
  }
  %1 = loop.kernel "sum" [64, 30] (%a = %y) : (tensor<64x30xf32>) -> tensor<30xf32> {
    %v = loop.load %a[d0, d1] : tensor<64x30xf32> -> f32
    %s = loop.reduce sum %v over [0] : f32
    loop.store %s, 0 [d1] : f32
  }
  return %0, %1 : tensor<24xf32>, tensor<30xf32>
}
