// RUN: coil-compile %s --target=cuda:sm_90a --library=none --to=wrapper | FileCheck %s

// The gradient of a norm: columns of the products that rows sum, too. A block
// has one row of 4096 elements at a time, 256 threads with 16 of them each.
// CHECK: loop.gpu_schedule<vector_dim = 1, vector_width = 4, threads_r = 256, items_r = 4, persistent = true, min_blocks = 2, index_bits = 32>
func.func @main(%x: tensor<8192x4096xf32>, %g: tensor<8192x4096xf32>, %m: tensor<8192xf32>) -> (tensor<256x4096xf32>, tensor<256x4096xf32>, tensor<8192x4096xf32>) {
  %c:3 = loop.kernel "long" [8192, 4096] (%a = %x, %b = %g, %e = %m) : (tensor<8192x4096xf32>, tensor<8192x4096xf32>, tensor<8192xf32>) -> (tensor<256x4096xf32>, tensor<256x4096xf32>, tensor<8192x4096xf32>) {
    %v = loop.load %a[d0, d1] : tensor<8192x4096xf32> -> f32
    %w = loop.load %b[d0, d1] : tensor<8192x4096xf32> -> f32
    %r = loop.load %e[d0] : tensor<8192xf32> -> f32
    %h = arith.mulf %v, %r : f32
    %p = arith.mulf %h, %w : f32
    %s = loop.reduce sum %p over [1] : f32
    %q = arith.mulf %h, %s : f32
    %d = arith.subf %w, %q : f32
    loop.accumulate sum %p, 0 columns [1] rows 32 : f32
    loop.accumulate sum %w, 1 columns [1] rows 32 : f32
    loop.store %d, 2[d0, d1] : f32
  }
  return %c#0, %c#1, %c#2 : tensor<256x4096xf32>, tensor<256x4096xf32>, tensor<8192x4096xf32>
}

// Short rows: eight at a time, a warp for each, and the next ones under way.
// CHECK: loop.gpu_schedule<vector_dim = 1, vector_width = 8, threads_p = 8, threads_r = 32, persistent = true, min_blocks = {{[0-9]+}}, index_bits = 32, prefetch = true>
func.func @short(%x: tensor<65536x256xbf16>) -> (tensor<256x256xf32>, tensor<65536x256xbf16>) {
  %c:2 = loop.kernel "short" [65536, 256] (%a = %x) : (tensor<65536x256xbf16>) -> (tensor<256x256xf32>, tensor<65536x256xbf16>) {
    %v = loop.load %a[d0, d1] : tensor<65536x256xbf16> -> bf16
    %f = arith.extf %v : bf16 to f32
    %e = math.exp %f : f32
    %t = arith.truncf %e : f32 to bf16
    loop.store %t, 1[d0, d1] : bf16
    loop.accumulate sum %e, 0 columns [1] rows 256 : f32
  }
  return %c#0, %c#1 : tensor<256x256xf32>, tensor<65536x256xbf16>
}
