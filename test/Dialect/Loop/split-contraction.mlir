// RUN: coil-opt %s --loop-split-reduction="chunks=512 enough-results=264 row-piece=32 tile-side=64" | FileCheck %s
// RUN: coil-opt %s --loop-split-reduction="chunks=512 enough-results=264 row-piece=32 tile-side=64 library=cublaslt" | FileCheck %s --check-prefix=LIBRARY
// RUN: coil-opt %s --loop-split-reduction="chunks=512 enough-results=264 row-piece=32" | FileCheck %s --check-prefix=LIBRARY

// Two tiles of results: 32 chunks of 512 products for each.
// CHECK-LABEL: @few_tiles
// CHECK:       loop.kernel "matmul_chunks" [64, 128, 512, 32]
// CHECK-SAME:  -> tensor<32x64x128xf32>
// CHECK:       loop.store %{{.+}}, 0[d3, d0, d1]
// CHECK:       loop.kernel "matmul" [64, 128, 32]
// LIBRARY-LABEL: @few_tiles
// LIBRARY:     loop.kernel "matmul" [64, 128, 16384]
func.func @few_tiles(%x: tensor<64x16384xf32>, %w: tensor<128x16384xf32>) -> tensor<64x128xf32> {
  %0 = loop.kernel "matmul" [64, 128, 16384] (%a = %x, %b = %w) : (tensor<64x16384xf32>, tensor<128x16384xf32>) -> tensor<64x128xf32> {
    %1 = loop.load %a[d0, d2] : tensor<64x16384xf32> -> f32
    %2 = loop.load %b[d1, d2] : tensor<128x16384xf32> -> f32
    %3 = arith.mulf %1, %2 : f32
    %4 = loop.reduce sum %3 over [2] : f32
    loop.store %4, 0[d0, d1] : f32
  }
  return %0 : tensor<64x128xf32>
}

// Chunks that do not divide the sum would be masked: no product of matrices.
// CHECK-LABEL: @loop_split_reduction_c2_tiles
// CHECK:       loop.kernel "matmul" [64, 128, 16381]
func.func @loop_split_reduction_c2_tiles(%x: tensor<64x16381xf32>, %w: tensor<128x16381xf32>) -> tensor<64x128xf32> {
  %0 = loop.kernel "matmul" [64, 128, 16381] (%a = %x, %b = %w) : (tensor<64x16381xf32>, tensor<128x16381xf32>) -> tensor<64x128xf32> {
    %1 = loop.load %a[d0, d2] : tensor<64x16381xf32> -> f32
    %2 = loop.load %b[d1, d2] : tensor<128x16381xf32> -> f32
    %3 = arith.mulf %1, %2 : f32
    %4 = loop.reduce sum %3 over [2] : f32
    loop.store %4, 0[d0, d1] : f32
  }
  return %0 : tensor<64x128xf32>
}

// Enough tiles.
// CHECK-LABEL: @many_tiles
// CHECK:       loop.kernel "matmul" [2048, 1024, 4096]
func.func @many_tiles(%x: tensor<2048x4096xf32>, %w: tensor<1024x4096xf32>) -> tensor<2048x1024xf32> {
  %0 = loop.kernel "matmul" [2048, 1024, 4096] (%a = %x, %b = %w) : (tensor<2048x4096xf32>, tensor<1024x4096xf32>) -> tensor<2048x1024xf32> {
    %1 = loop.load %a[d0, d2] : tensor<2048x4096xf32> -> f32
    %2 = loop.load %b[d1, d2] : tensor<1024x4096xf32> -> f32
    %3 = arith.mulf %1, %2 : f32
    %4 = loop.reduce sum %3 over [2] : f32
    loop.store %4, 0[d0, d1] : f32
  }
  return %0 : tensor<2048x1024xf32>
}
