// Transposed accesses are as wide as others, go through shared memory without
// conflicts, and nothing goes through local memory.

// RUN: coil-compile %s --target=cuda:sm_90a --to=native -o %t.mlir
// RUN: coil-translate --kernels-to-ptx %t.mlir | FileCheck %s --implicit-check-not=.local

// CHECK-LABEL: .entry whole_tiles
// CHECK-COUNT-4: ld.global{{.*}}.v4.b32
// CHECK-COUNT-8: st.shared.b32
// CHECK-NOT: bar.sync
// CHECK: bar.sync
// CHECK-COUNT-2: ld.shared.v4.b32
// CHECK-COUNT-2: st.global.v4.b32
// CHECK: ret
func.func @whole_tiles(%x: tensor<8192x4096xf32>, %y: tensor<4096x8192xf32>) -> tensor<4096x8192xf32> {
  %0 = loop.kernel "whole_tiles" [4096, 8192] (%a = %x, %b = %y) : (tensor<8192x4096xf32>, tensor<4096x8192xf32>) -> tensor<4096x8192xf32> {
    %1 = loop.load %a[d1, d0] : tensor<8192x4096xf32> -> f32
    %2 = loop.load %b[d0, d1] : tensor<4096x8192xf32> -> f32
    %3 = arith.addf %1, %2 : f32
    loop.store %3, 0[d0, d1] : f32
  }
  return %0 : tensor<4096x8192xf32>
}

// Two elements of 16 bits are one word of shared memory.
// CHECK-LABEL: .entry words
// CHECK-COUNT-2: ld.global{{.*}}.v4.b32
// CHECK-COUNT-8: st.shared.v2.b16
// CHECK: bar.sync
// CHECK-COUNT-2: ld.shared.v4.b32
// CHECK-COUNT-2: st.global.v4.b32
// CHECK: ret
func.func @words(%x: tensor<8192x4096xbf16>) -> tensor<4096x8192xbf16> {
  %0 = loop.kernel "words" [4096, 8192] (%a = %x) : (tensor<8192x4096xbf16>) -> tensor<4096x8192xbf16> {
    %1 = loop.load %a[d1, d0] : tensor<8192x4096xbf16> -> bf16
    loop.store %1, 0[d0, d1] : bf16
  }
  return %0 : tensor<4096x8192xbf16>
}

// Whole tiles compare nothing but the block's number; those at the edge mask
// each item.
// CHECK-LABEL: .entry edges
// CHECK-COUNT-2: bar.sync
// CHECK-NOT: bar.sync
// CHECK: ret
func.func @edges(%x: tensor<8100x4100xf32>) -> tensor<4100x8100xf32> {
  %0 = loop.kernel "edges" [4100, 8100] (%a = %x) : (tensor<8100x4100xf32>) -> tensor<4100x8100xf32> {
    %1 = loop.load %a[d1, d0] : tensor<8100x4100xf32> -> f32
    loop.store %1, 0[d0, d1] : f32
  }
  return %0 : tensor<4100x8100xf32>
}

// The store is the one that is contiguous along the other dimension.
// CHECK-LABEL: .entry store
// CHECK: ld.global{{.*}}.v4.b32
// CHECK: st.shared.v4.b32
// CHECK: bar.sync
// CHECK: ld.shared.b32
// CHECK: st.global.v4.b32
func.func @store(%x: tensor<4096x8192xf32>, %y: tensor<4096x8192xf32>) -> (tensor<8192x4096xf32>, tensor<4096x8192xf32>) {
  %0:2 = loop.kernel "store" [4096, 8192] (%a = %x, %b = %y) : (tensor<4096x8192xf32>, tensor<4096x8192xf32>) -> (tensor<8192x4096xf32>, tensor<4096x8192xf32>) {
    %1 = loop.load %a[d0, d1] : tensor<4096x8192xf32> -> f32
    %2 = loop.load %b[d0, d1] : tensor<4096x8192xf32> -> f32
    %3 = arith.addf %1, %2 : f32
    loop.store %3, 0[d1, d0] : f32
    loop.store %2, 1[d0, d1] : f32
  }
  return %0#0, %0#1 : tensor<8192x4096xf32>, tensor<4096x8192xf32>
}
