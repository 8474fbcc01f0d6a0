// Scans read and write 16 bytes at a time, meet once in shared memory, and keep
// what they read in registers; tiles that are blocks publish their sums.

// RUN: coil-compile %s --target=cuda:sm_90a --to=native -o %t.mlir
// RUN: coil-translate --kernels-to-ptx %t.mlir | FileCheck %s --implicit-check-not=.local

// CHECK-LABEL: .entry rows
// CHECK-COUNT-4: ld.global{{(.nc)?}}.v4.b32
// CHECK: shfl.sync.up.b32
// CHECK: bar.sync
// CHECK-NOT: bar.sync
// CHECK-COUNT-4: st.global.v4.b32
// CHECK: ret
func.func @rows(%x: tensor<32768x4096xf32>) -> tensor<32768x4096xf32> {
  %0 = loop.kernel "rows" [32768, 4096] (%a = %x) : (tensor<32768x4096xf32>) -> tensor<32768x4096xf32> {
    %v = loop.load %a[d0, d1] : tensor<32768x4096xf32> -> f32
    %s = loop.scan sum %v over [1] : f32
    loop.store %s, 0 [d0, d1] : f32
  }
  return %0 : tensor<32768x4096xf32>
}

// A warp for each row needs no barrier.
// CHECK-LABEL: .entry short_rows
// CHECK-NOT: bar.sync
// CHECK: ret
func.func @short_rows(%x: tensor<32768x512xf32>) -> tensor<32768x512xf32> {
  %0 = loop.kernel "short_rows" [32768, 512] (%a = %x) : (tensor<32768x512xf32>) -> tensor<32768x512xf32> {
    %v = loop.load %a[d0, d1] : tensor<32768x512xf32> -> f32
    %s = loop.scan sum %v over [1] : f32
    loop.store %s, 0 [d0, d1] : f32
  }
  return %0 : tensor<32768x512xf32>
}

// CHECK-LABEL: .entry one_row
// CHECK-COUNT-8: ld.global{{(.nc)?}}.v4.b32
// A sum and the mark that it is there are one word.
// CHECK: st.relaxed.gpu.global.b64
// CHECK: ld.relaxed.gpu.global.b64
// CHECK: ld.relaxed.gpu.global.b64
// CHECK: st.relaxed.gpu.global.b64
// CHECK-COUNT-8: st.global.v4.b32
// CHECK: ret
func.func @one_row(%x: tensor<67108864xf32>) -> tensor<67108864xf32> {
  %0 = loop.kernel "one_row" [67108864] (%a = %x) : (tensor<67108864xf32>) -> tensor<67108864xf32> schedule #loop.gpu_schedule<strategy = scan, vector_dim = 0, vector_width = 4, threads_r = 256, items_r = 8, persistent = true, index_bits = 32, split_r = true> {
    %v = loop.load %a[d0] : tensor<67108864xf32> -> f32
    %s = loop.scan sum %v over [0] : f32
    loop.store %s, 0 [d0] : f32
  }
  return %0 : tensor<67108864xf32>
}

// CHECK-LABEL: .entry columns
// CHECK-COUNT-8: ld.global{{(.nc)?}}.v4.b32
// CHECK: st.shared.v4.b32
// CHECK: st.release.gpu.global.b32
// CHECK-COUNT-8: st.global.v4.b32
// CHECK: ret
func.func @columns(%x: tensor<4096x8192xf32>) -> tensor<4096x8192xf32> {
  %0 = loop.kernel "columns" [4096, 8192] (%a = %x) : (tensor<4096x8192xf32>) -> tensor<4096x8192xf32> {
    %v = loop.load %a[d0, d1] : tensor<4096x8192xf32> -> f32
    %s = loop.scan sum %v over [0] : f32
    loop.store %s, 0 [d0, d1] : f32
  }
  return %0 : tensor<4096x8192xf32>
}
