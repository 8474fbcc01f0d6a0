// RUN: coil-opt %s --convert-loop-to-wrapper --wrapper-annotate-costs --split-input-file | FileCheck %s

// The numbers are counted by hand.

// A broadcast operand is read once: 4 * 1024 elements twice, and 1024.
// CHECK-LABEL: wrapper.func @broadcast
// CHECK: wrapper.launch @add_0{{.*}} {wrapper.cost = #wrapper.cost<bytes = <36864>, flops = <4096>>}
func.func @broadcast(%x: tensor<4x1024xf32>, %b: tensor<1024xf32>) -> tensor<4x1024xf32> {
  %0 = loop.kernel "add" [4, 1024] (%p = %x, %q = %b) : (tensor<4x1024xf32>, tensor<1024xf32>) -> tensor<4x1024xf32> {
    %v = loop.load %p[d0, d1] : tensor<4x1024xf32> -> f32
    %w = loop.load %q[d1] : tensor<1024xf32> -> f32
    %s = arith.addf %v, %w : f32
    loop.store %s, 0 [d0, d1] : f32
  }
  return %0 : tensor<4x1024xf32>
}

// -----

// A row is read once for both passes; what belongs to a row counts once for
// each row: 2 * 8 * 32 (max, sum) + 2 * 8 * 32 (sub, exp) + 8 * 32 (div) + 8 (neg).
// CHECK-LABEL: wrapper.func @softmax
// CHECK: wrapper.launch @softmax_0[s0]{{.*}} {wrapper.cost = #wrapper.cost<bytes = <s0 * 128>, flops = <s0 * 161>>}
!r = tensor<?x32xbf16, #sym.shape<[s0, 32]>>
func.func @softmax(%x: !r) -> !r attributes {sym.symbols = {s0 = #sym.range<1, 100>}} {
  %0 = loop.kernel "softmax" [s0, 32] (%p = %x) : (!r) -> !r {
    %h = loop.load %p[d0, d1] : !r -> bf16
    %v = arith.extf %h : bf16 to f32
    %m = loop.reduce max %v over [1] : f32
    %n = arith.negf %m : f32
    %d = arith.addf %v, %n : f32
    %e = math.exp %d : f32
    %s = loop.reduce sum %e over [1] : f32
    %g = loop.load %p[d0, d1] : !r -> bf16
    %q = arith.divf %e, %s : f32
    %t = arith.truncf %q : f32 to bf16
    loop.store %t, 0 [d0, d1] : bf16
  }
  return %0 : !r
}

// -----

// A gather reads an element for each point: 7 indices, 7 * 16 elements, and
// writes as many.
// CHECK-LABEL: wrapper.func @gather
// CHECK: wrapper.launch @gather_0{{.*}} {wrapper.cost = #wrapper.cost<bytes = <952>, flops = <0>>}
func.func @gather(%t: tensor<100x16xf32>, %i: tensor<7xi64>) -> tensor<7x16xf32> {
  %0 = loop.kernel "gather" [7, 16] (%p = %t, %q = %i) : (tensor<100x16xf32>, tensor<7xi64>) -> tensor<7x16xf32> {
    %j = loop.load %q[d0] : tensor<7xi64> -> i64
    %v = loop.load %p[t0, d1](%j) bounds wrap_check : tensor<100x16xf32> -> f32
    loop.store %v, 0 [d0, d1] : f32
  }
  return %0 : tensor<7x16xf32>
}

// -----

// A gather cannot read more than there is: with more rows than the table has,
// that is the table.
// CHECK-LABEL: wrapper.func @gather_all
// CHECK: wrapper.launch @gather_0{{.*}} {wrapper.cost = #wrapper.cost<bytes = <s0 * 9 + min(4, s0)>, flops = <0>>}
!i = tensor<?xi64, #sym.shape<[s0]>>
!o = tensor<?xi8, #sym.shape<[s0]>>
func.func @gather_all(%t: tensor<4xi8>, %i: !i) -> !o attributes {sym.symbols = {s0 = #sym.range<1, 100>}} {
  %0 = loop.kernel "gather" [s0] (%p = %t, %q = %i) : (tensor<4xi8>, !i) -> !o {
    %j = loop.load %q[d0] : !i -> i64
    %v = loop.load %p[t0](%j) bounds wrap_check : tensor<4xi8> -> i8
    loop.store %v, 0 [d0] : i8
  }
  return %0 : !o
}

// -----

// Pieces that are read where a mask holds: 5 + 3 rows in, 8 rows out.
// CHECK-LABEL: wrapper.func @concat
// CHECK: wrapper.launch @cat_0{{.*}} {wrapper.cost = #wrapper.cost<bytes = <512>, flops = <0>>}
func.func @concat(%c: tensor<5x8xf32>, %d: tensor<3x8xf32>) -> tensor<8x8xf32> {
  %0 = loop.kernel "cat" [8, 8] (%p = %c, %q = %d) : (tensor<5x8xf32>, tensor<3x8xf32>) -> tensor<8x8xf32> {
    %z = arith.constant 0.0 : f32
    %five = arith.constant 5 : i64
    %i = loop.index <d0>
    %m = arith.cmpi slt, %i, %five : i64
    %n = arith.cmpi sge, %i, %five : i64
    %v = loop.load %p[d0, d1] mask %m else %z : f32 : tensor<5x8xf32> -> f32
    %w = loop.load %q[d0 - 5, d1] mask %n else %z : f32 : tensor<3x8xf32> -> f32
    %s = arith.select %m, %v, %w : f32
    loop.store %s, 0 [d0, d1] : f32
  }
  return %0 : tensor<8x8xf32>
}

// -----

// Both halves of a row are all of it; they overlap in none.
// CHECK-LABEL: wrapper.func @halves
// CHECK: wrapper.launch @mul_0{{.*}} {wrapper.cost = #wrapper.cost<bytes = <384>, flops = <32>>}
func.func @halves(%x: tensor<4x16xf32>) -> tensor<4x8xf32> {
  %0 = loop.kernel "mul" [4, 8] (%p = %x) : (tensor<4x16xf32>) -> tensor<4x8xf32> {
    %v = loop.load %p[d0, d1] : tensor<4x16xf32> -> f32
    %w = loop.load %p[d0, d1 + 8] : tensor<4x16xf32> -> f32
    %s = arith.mulf %v, %w : f32
    loop.store %s, 0 [d0, d1] : f32
  }
  return %0 : tensor<4x8xf32>
}

// -----

// Windows overlap: what they read is the input (20), not 9 * 3 elements.
// CHECK-LABEL: wrapper.func @window
// CHECK: wrapper.launch @pool_0{{.*}} {wrapper.cost = #wrapper.cost<bytes = <116>, flops = <27>>}
func.func @window(%x: tensor<20xf32>) -> tensor<9xf32> {
  %0 = loop.kernel "pool" [9, 3] (%p = %x) : (tensor<20xf32>) -> tensor<9xf32> {
    %v = loop.load %p[d0 * 2 + d1] : tensor<20xf32> -> f32
    %m = loop.reduce max %v over [1] : f32
    loop.store %m, 0 [d0] : f32
  }
  return %0 : tensor<9xf32>
}

// -----

// A dimension with a stride of zero has one element.
// CHECK-LABEL: wrapper.func @expanded
// CHECK: wrapper.launch @neg_0{{.*}} {wrapper.cost = #wrapper.cost<bytes = <160>, flops = <32>>}
func.func @expanded(%x: tensor<4x8xf32> {coil.strides = #sym.shape<[0, 1]>}) -> tensor<4x8xf32> {
  %0 = loop.kernel "neg" [4, 8] (%p = %x) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
    %v = loop.load %p[d0, d1] : tensor<4x8xf32> -> f32
    %n = arith.negf %v : f32
    loop.store %n, 0 [d0, d1] : f32
  }
  return %0 : tensor<4x8xf32>
}

// -----

// A buffer that is given twice is read once.
// CHECK-LABEL: wrapper.func @twice
// CHECK: wrapper.launch @add_0{{.*}} {wrapper.cost = #wrapper.cost<bytes = <64>, flops = <8>>}
func.func @twice(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = loop.kernel "add" [8] (%p = %x, %q = %x) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> {
    %v = loop.load %p[d0] : tensor<8xf32> -> f32
    %w = loop.load %q[d0] : tensor<8xf32> -> f32
    %s = arith.addf %v, %w : f32
    loop.store %s, 0 [d0] : f32
  }
  return %0 : tensor<8xf32>
}

// -----

// A sum of products in the loop path: 2 * 32 * 48 * 64, for the units for
// matrices. The bias is one operation for each result.
// CHECK-LABEL: wrapper.func @matrix
// CHECK: wrapper.launch @mm_0{{.*}} {wrapper.cost = #wrapper.cost<bytes = <16480>, flops = <198144>, matrix = <196608>>}
func.func @matrix(%x: tensor<32x64xbf16>, %y: tensor<64x48xbf16>, %b: tensor<48xbf16>) -> tensor<32x48xf32> {
  %0 = loop.kernel "mm" [32, 48, 64] (%p = %x, %q = %y, %c = %b) : (tensor<32x64xbf16>, tensor<64x48xbf16>, tensor<48xbf16>) -> tensor<32x48xf32> {
    %v = loop.load %p[d0, d2] : tensor<32x64xbf16> -> bf16
    %ve = arith.extf %v : bf16 to f32
    %w = loop.load %q[d2, d1] : tensor<64x48xbf16> -> bf16
    %we = arith.extf %w : bf16 to f32
    %m = arith.mulf %ve, %we : f32
    %s = loop.reduce sum %m over [2] : f32
    %d = loop.load %c[d1] : tensor<48xbf16> -> bf16
    %de = arith.extf %d : bf16 to f32
    %r = arith.addf %s, %de : f32
    loop.store %r, 0 [d0, d1] : f32
  }
  return %0 : tensor<32x48xf32>
}

// -----

// A scatter touches as many elements as there are points, and reads what it
// combines: 3 indices, 3 * 4 values, 3 * 4 elements twice.
// CHECK-LABEL: wrapper.func @scatter
// CHECK: wrapper.launch @add_0{{.*}} {wrapper.cost = #wrapper.cost<bytes = <168>, flops = <12>>}
func.func @scatter(%x: tensor<100x4xf32>, %i: tensor<3xi64>, %u: tensor<3x4xf32>) -> tensor<100x4xf32> {
  %0 = loop.kernel "add" [3, 4] (%p = %x, %q = %i, %s = %u) : (tensor<100x4xf32>, tensor<3xi64>, tensor<3x4xf32>) -> tensor<100x4xf32> {
    %j = loop.load %q[d0] : tensor<3xi64> -> i64
    %v = loop.load %s[d0, d1] : tensor<3x4xf32> -> f32
    loop.scatter sum %v into %p[t0, d1](%j) bounds wrap_check as 0 over [0] : f32, tensor<100x4xf32>
  }
  return %0 : tensor<100x4xf32>
}

// -----

// Mean and deviation: four for each value. A scan: one for each point. A fused
// product and sum: two.
// CHECK-LABEL: wrapper.func @moments
// CHECK: wrapper.launch @welford_0{{.*}} {wrapper.cost = #wrapper.cost<bytes = <160>, flops = <128>>}
// CHECK: wrapper.launch @scan_1{{.*}} {wrapper.cost = #wrapper.cost<bytes = <256>, flops = <96>>}
func.func @moments(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4x8xf32>) {
  %0:2 = loop.kernel "welford" [4, 8] (%p = %x) : (tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %z = arith.constant 0.0 : f32
    %o = arith.constant 1.0 : f32
    %v = loop.load %p[d0, d1] : tensor<4x8xf32> -> f32
    %mean, %m2, %n = loop.welford %v, %z, %o over [1] : f32
    loop.store %mean, 0 [d0] : f32
    loop.store %m2, 1 [d0] : f32
  }
  %1 = loop.kernel "scan" [4, 8] (%p = %x) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
    %v = loop.load %p[d0, d1] : tensor<4x8xf32> -> f32
    %f = math.fma %v, %v, %v : f32
    %c = loop.scan sum %f over [1] : f32
    loop.store %c, 0 [d0, d1] : f32
  }
  return %0#0, %0#1, %1 : tensor<4xf32>, tensor<4xf32>, tensor<4x8xf32>
}
