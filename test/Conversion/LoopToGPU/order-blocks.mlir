// RUN: coil-opt %s --wrapper-order-gpu-blocks --split-input-file | FileCheck %s
// RUN: coil-opt %s --wrapper-order-gpu-blocks=min-bytes=67108864 --split-input-file | FileCheck %s --check-prefix=SMALL

!b = !wrapper.buffer<[4096, 1024], f32, #wrapper.device<"cuda">>
!r = !wrapper.buffer<[4096], f32, #wrapper.device<"cuda">>

// The second launch reads what the first read, the third what the second wrote:
// upwards, downwards, upwards. Small kernels in between change nothing.
// CHECK-LABEL: wrapper.kernel @sum(
// CHECK-NOT:   descending
// CHECK-LABEL: wrapper.kernel @scale(
// CHECK:       index_bits = 32, descending = true>
// CHECK-LABEL: wrapper.kernel @shift(
// CHECK-NOT:   descending
// CHECK-LABEL: wrapper.kernel @inverse(
// CHECK-NOT:   descending
// SMALL-NOT:   descending
wrapper.kernel @sum(%x: tensor<4096x1024xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1024, 1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "sum" [4096, 1024] (%a = %x) : (tensor<4096x1024xf32>) -> tensor<4096xf32> schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 4, threads_r = 32, index_bits = 32> {
    %v = loop.load %a[d0, d1] : tensor<4096x1024xf32> -> f32
    %s = loop.reduce sum %v over [1] : f32
    loop.store %s, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4096xf32>
}
wrapper.kernel @scale(%x: tensor<4096x1024xf32>, %r: tensor<4096xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1024, 1]>, #sym.shape<[1]>], output_strides = [#sym.shape<[1024, 1]>], symbols = []} {
  %0 = loop.kernel "scale" [4096, 1024] (%a = %x, %b = %r) : (tensor<4096x1024xf32>, tensor<4096xf32>) -> tensor<4096x1024xf32> schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 4, threads_p = 256, index_bits = 32> {
    %v = loop.load %a[d0, d1] : tensor<4096x1024xf32> -> f32
    %w = loop.load %b[d0] : tensor<4096xf32> -> f32
    %m = arith.mulf %v, %w : f32
    loop.store %m, 0 [d0, d1] : f32
  }
  wrapper.yield %0 : tensor<4096x1024xf32>
}
wrapper.kernel @shift(%x: tensor<4096x1024xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1024, 1]>], output_strides = [#sym.shape<[1024, 1]>], symbols = []} {
  %0 = loop.kernel "shift" [4096, 1024] (%a = %x) : (tensor<4096x1024xf32>) -> tensor<4096x1024xf32> schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 4, threads_p = 256, index_bits = 32> {
    %v = loop.load %a[d0, d1] : tensor<4096x1024xf32> -> f32
    %m = arith.addf %v, %v : f32
    loop.store %m, 0 [d0, d1] : f32
  }
  wrapper.yield %0 : tensor<4096x1024xf32>
}
wrapper.kernel @inverse(%x: tensor<4096xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "inverse" [4096] (%a = %x) : (tensor<4096xf32>) -> tensor<4096xf32> schedule #loop.gpu_schedule<vector_dim = 0, vector_width = 4, threads_p = 256, index_bits = 32> {
    %v = loop.load %a[d0] : tensor<4096xf32> -> f32
    %m = arith.negf %v : f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4096xf32>
}
wrapper.func @chain(%x: !b) -> !b {
  %0 = wrapper.alloc : !r
  wrapper.launch @sum[] ins(%x : !b) outs(%0 : !r)
  %1 = wrapper.alloc : !r
  wrapper.launch @inverse[] ins(%0 : !r) outs(%1 : !r)
  wrapper.free %0 : !r
  %2 = wrapper.alloc : !b
  wrapper.launch @scale[] ins(%x, %1 : !b, !r) outs(%2 : !b)
  wrapper.free %1 : !r
  %3 = wrapper.alloc : !b
  wrapper.launch @shift[] ins(%2 : !b) outs(%3 : !b)
  wrapper.free %2 : !b
  wrapper.return %3 : !b
}

// -----

!b = !wrapper.buffer<[4096, 1024], f32, #wrapper.device<"cuda">>

// A copy in between leaves something else in the cache, and what the launch
// before did not touch is nowhere.
// CHECK-LABEL: wrapper.kernel @double(
// CHECK-NOT:   descending
wrapper.kernel @double(%x: tensor<4096x1024xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1024, 1]>], output_strides = [#sym.shape<[1024, 1]>], symbols = []} {
  %0 = loop.kernel "double" [4096, 1024] (%a = %x) : (tensor<4096x1024xf32>) -> tensor<4096x1024xf32> schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 4, threads_p = 256, index_bits = 32> {
    %v = loop.load %a[d0, d1] : tensor<4096x1024xf32> -> f32
    %m = arith.addf %v, %v : f32
    loop.store %m, 0 [d0, d1] : f32
  }
  wrapper.yield %0 : tensor<4096x1024xf32>
}
wrapper.func @apart(%x: !b, %y: !b, %z: !b) -> (!b, !b, !b) {
  %0 = wrapper.alloc : !b
  wrapper.launch @double[] ins(%x : !b) outs(%0 : !b)
  %1 = wrapper.alloc : !b
  wrapper.launch @double[] ins(%y : !b) outs(%1 : !b)
  %2 = wrapper.alloc : !b
  wrapper.copy %z to %2 : !b
  %3 = wrapper.alloc : !b
  wrapper.launch @double[] ins(%1 : !b) outs(%3 : !b)
  wrapper.free %1 : !b
  wrapper.return %0, %2, %3 : !b, !b, !b
}

// -----

!b = !wrapper.buffer<[4096, 1024], f32, #wrapper.device<"cuda">>
!i = !wrapper.buffer<[4096], i64, #wrapper.device<"cuda">>

// Sums of rows go upwards: their rows come in the order of positions.
// CHECK-LABEL: wrapper.kernel @double(
// CHECK-LABEL: wrapper.kernel @rows(
// CHECK-NOT:   descending
wrapper.kernel @double(%x: tensor<4096x1024xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1024, 1]>], output_strides = [#sym.shape<[1024, 1]>], symbols = []} {
  %0 = loop.kernel "double" [4096, 1024] (%a = %x) : (tensor<4096x1024xf32>) -> tensor<4096x1024xf32> schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 4, threads_p = 256, index_bits = 32> {
    %v = loop.load %a[d0, d1] : tensor<4096x1024xf32> -> f32
    %w = arith.addf %v, %v : f32
    loop.store %w, 0[d0, d1] : f32
  }
  wrapper.yield %0 : tensor<4096x1024xf32>
}
wrapper.kernel @rows(%x: tensor<4096x1024xf32>, %lo: tensor<4096xi64>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1024, 1]>, #sym.shape<[1]>], output_strides = [#sym.shape<[1024, 1]>], symbols = []} {
  %0 = loop.kernel "rows" [4096, 1024] (%a = %x, %l = %lo) : (tensor<4096x1024xf32>, tensor<4096xi64>) -> tensor<4096x1024xf32> schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 4, threads_p = 256, index_bits = 32> {
    %c = arith.constant 2 : i64
    %v = loop.load %l[d0] : tensor<4096xi64> -> i64
    %h = arith.addi %v, %c : i64
    %s = loop.segment_sum %a[t0, d1] from %v to %h : tensor<4096x1024xf32> -> f32
    loop.store %s, 0[d0, d1] : f32
  }
  wrapper.yield %0 : tensor<4096x1024xf32>
}
wrapper.func @main(%x: !b, %lo: !i) -> !b {
  %0 = wrapper.alloc : !b
  wrapper.launch @double[] ins(%x : !b) outs(%0 : !b)
  %1 = wrapper.alloc : !b
  wrapper.launch @rows[] ins(%0, %lo : !b, !i) outs(%1 : !b)
  wrapper.free %0 : !b
  wrapper.return %1 : !b
}
