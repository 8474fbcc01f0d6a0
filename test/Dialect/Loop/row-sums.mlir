// RUN: coil-opt %s | coil-opt | FileCheck %s
// RUN: coil-opt %s --convert-graph-to-loop --loop-fold-views --loop-fuse --loop-simplify-index --cse --remarks-filter=loop-fuse --remark-policy=all 2>%t | FileCheck %s --check-prefix=FUSED
// RUN: FileCheck %s --check-prefix=REMARK < %t

// CHECK-LABEL: @listed
// CHECK:         %[[S:.+]] = loop.segment_sum %{{.+}}[t0, d1] at %{{.+}} : tensor<64xi64> from %{{.+}} to %{{.+}} : tensor<64x16xbf16> -> f32
func.func @listed(%x: tensor<64x16xbf16>, %lo: tensor<8xi64>, %hi: tensor<8xi64>, %p: tensor<64xi64>) -> tensor<8x16xf32> {
  %0 = loop.kernel "k" [8, 16] (%a = %x, %b = %lo, %c = %hi, %q = %p) : (tensor<64x16xbf16>, tensor<8xi64>, tensor<8xi64>, tensor<64xi64>) -> tensor<8x16xf32> {
    %1 = loop.load %b[d0] : tensor<8xi64> -> i64
    %2 = loop.load %c[d0] : tensor<8xi64> -> i64
    %s = loop.segment_sum %a[t0, d1] at %q : tensor<64xi64> from %1 to %2 : tensor<64x16xbf16> -> f32
    loop.store %s, 0[d0, d1] : f32
  }
  return %0 : tensor<8x16xf32>
}

// CHECK-LABEL: @onto
// CHECK:         loop.segment_sum %{{.+}}[t0, d1] at %{{.+}} : tensor<64xi64> from %{{.+}} to %{{.+}} plus %{{.+}} : f32 : tensor<64x16xbf16> -> f32
func.func @onto(%x: tensor<64x16xbf16>, %y: tensor<8x16xf32>, %p: tensor<64xi64>) -> tensor<8x16xf32> {
  %0 = loop.kernel "k" [8, 16] (%a = %x, %b = %y, %q = %p) : (tensor<64x16xbf16>, tensor<8x16xf32>, tensor<64xi64>) -> tensor<8x16xf32> {
    %1 = loop.index <d0>
    %2 = loop.index <d0 * 2>
    %3 = loop.load %b[d0, d1] : tensor<8x16xf32> -> f32
    %s = loop.segment_sum %a[t0, d1] at %q : tensor<64xi64> from %1 to %2 plus %3 : f32 : tensor<64x16xbf16> -> f32
    loop.store %s, 0[d0, d1] : f32
  }
  return %0 : tensor<8x16xf32>
}

// Without positions; the summed dimension is not the first.
// CHECK-LABEL: @ranges
// CHECK:         loop.segment_sum %{{.+}}[d1 + 1, t0] from %{{.+}} to %{{.+}} : tensor<17x64xf64> -> f64
func.func @ranges(%x: tensor<17x64xf64>, %lo: tensor<8xi64>) -> tensor<8x16xf64> {
  %0 = loop.kernel "k" [8, 16] (%a = %x, %b = %lo) : (tensor<17x64xf64>, tensor<8xi64>) -> tensor<8x16xf64> {
    %1 = loop.load %b[d0] : tensor<8xi64> -> i64
    %2 = loop.index <d0 + d1>
    %s = loop.segment_sum %a[d1 + 1, t0] from %1 to %2 : tensor<17x64xf64> -> f64
    loop.store %s, 0[d0, d1] : f64
  }
  return %0 : tensor<8x16xf64>
}

// Bounds are computed where they are needed, and what follows fuses behind; two sums share a kernel.
// FUSED-LABEL: @behind
// FUSED:         loop.kernel {{.*}} [8, 16]
// FUSED-NOT:     loop.kernel
// FUSED:         arith.addi
// FUSED:         %[[S:.+]] = loop.segment_sum
// FUSED:         %[[T:.+]] = loop.segment_sum {{.*}} plus %[[S]] : f32
// FUSED:         arith.truncf %[[T]]
// FUSED-NOT:     loop.kernel
// FUSED:         return
func.func @behind(%x: tensor<64x16xbf16>, %y: tensor<5x16xf32>, %lo: tensor<8xi64>, %n: tensor<8xi64>, %p: tensor<64xi64>) -> tensor<8x16xbf16> {
  %hi = graph.add %lo, %n : (tensor<8xi64>, tensor<8xi64>) -> tensor<8xi64>
  %0 = graph.segment_reduce sum %x at %p from %lo to %hi : (tensor<64x16xbf16>, tensor<8xi64>, tensor<8xi64>, tensor<64xi64>) -> tensor<8x16xf32>
  %2 = graph.segment_reduce sum %y from %lo to %hi plus %0 : (tensor<5x16xf32>, tensor<8xi64>, tensor<8xi64>, tensor<8x16xf32>) -> tensor<8x16xf32>
  %3 = graph.convert %2 : (tensor<8x16xf32>) -> tensor<8x16xbf16>
  return %3 : tensor<8x16xbf16>
}

// The rows are in memory, and each sum is made once.
// FUSED-LABEL: @loop_fuse_c4(
// FUSED:         loop.kernel "neg" [1024]
// FUSED:         loop.kernel "segment_sum" [8, 16]
// FUSED:         loop.kernel "reduce_max" [8, 16]
// FUSED:         loop.kernel "add" [128, 3]
// REMARK-DAG: not fused: 'neg' into 'segment_sum': the consumer sums its rows
// REMARK-DAG: not fused: 'segment_sum' into 'reduce_max': one of them sums rows, the other reduces
// REMARK-DAG: not fused: 'segment_sum' into 'add': its sums of rows would be repeated along 'd2' of the consumer
func.func @loop_fuse_c4(%x: tensor<64x16xf32>, %y: tensor<8x16x3xf32>, %lo: tensor<8xi64>, %hi: tensor<8xi64>) -> (tensor<8xf32>, tensor<8x16x3xf32>) {
  %v = graph.neg %x : (tensor<64x16xf32>) -> tensor<64x16xf32>
  %0 = graph.segment_reduce sum %v from %lo to %hi : (tensor<64x16xf32>, tensor<8xi64>, tensor<8xi64>) -> tensor<8x16xf32>
  %1 = graph.reduce max, %0 dims [1] : (tensor<8x16xf32>) -> tensor<8xf32>
  %2 = graph.reshape %0 : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
  %3 = graph.add %2, %y : (tensor<8x16x1xf32>, tensor<8x16x3xf32>) -> tensor<8x16x3xf32>
  return %1, %3 : tensor<8xf32>, tensor<8x16x3xf32>
}

// A view is no load here: the kernel reads it where it is, or a copy of it. Padding asks for no sum outside.
// FUSED-LABEL: @viewed
// FUSED:         %[[V:.+]] = loop.view %{{.+}}
// FUSED:         loop.kernel {{.*}} [8, 16] (%[[A:.+]] = %[[V]], %{{.+}} = %{{.+}}, %{{.+}} = %{{.+}})
// FUSED:         %[[HI:.+]] = arith.select
// FUSED:         loop.segment_sum %[[A]][t0, d1] from %{{.+}} to %[[HI]]
func.func @viewed(%x: tensor<4x16x16xf32>, %lo: tensor<8xi64>, %hi: tensor<8xi64>) -> tensor<8x16xf32> {
  %v = graph.reshape %x : (tensor<4x16x16xf32>) -> tensor<64x16xf32>
  %0 = graph.segment_reduce sum %v from %lo to %hi : (tensor<64x16xf32>, tensor<8xi64>, tensor<8xi64>) -> tensor<8x16xf32>
  %1 = graph.pad %0 low [1, 0] high [-1, 0] value 1.000000e+00 : f32 : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}

// The inner dimensions become one.
// FUSED-LABEL: @merged
// FUSED:         loop.kernel "segment_sum" [8, 48]
// FUSED:         loop.segment_sum %{{.+}}[t0, d1 floordiv 3, d1 mod 3]
func.func @merged(%x: tensor<64x16x3xf32>, %lo: tensor<8xi64>, %hi: tensor<8xi64>) -> tensor<8x16x3xf32> {
  %0 = graph.segment_reduce sum %x from %lo to %hi : (tensor<64x16x3xf32>, tensor<8xi64>, tensor<8xi64>) -> tensor<8x16x3xf32>
  return %0 : tensor<8x16x3xf32>
}
