// RUN: coil-opt %s | coil-opt | FileCheck %s --check-prefix=SAME
// RUN: coil-opt %s --mlir-print-op-generic | coil-opt | FileCheck %s --check-prefix=SAME
// RUN: coil-opt %s --loop-split-reduction="chunks=512 enough-results=264 row-piece=32 tile-side=64" | FileCheck %s
// RUN: coil-opt %s --loop-fuse --loop-simplify-index | FileCheck %s --check-prefix=SAME

// The sum of a chunk has factors to round, the sum of chunks has none.
// SAME: loop.reduce sum %{{.*}} over [2] tf32 : f32
// CHECK: loop.kernel "matmul_chunks"
// CHECK: loop.reduce sum %{{.*}} over [2] tf32 : f32
// CHECK: loop.kernel "matmul"
// CHECK: loop.reduce sum %{{.*}} over [2] : f32
func.func @chunks(%x: tensor<64x16384xf32>, %w: tensor<128x16384xf32>) -> tensor<64x128xf32> {
  %0 = loop.kernel "matmul" [64, 128, 16384] (%a = %x, %b = %w) : (tensor<64x16384xf32>, tensor<128x16384xf32>) -> tensor<64x128xf32> {
    %1 = loop.load %a[d0, d2] : tensor<64x16384xf32> -> f32
    %2 = loop.load %b[d1, d2] : tensor<128x16384xf32> -> f32
    %3 = arith.mulf %1, %2 : f32
    %4 = loop.reduce sum %3 over [2] tf32 : f32
    loop.store %4, 0[d0, d1] : f32
  }
  return %0 : tensor<64x128xf32>
}
