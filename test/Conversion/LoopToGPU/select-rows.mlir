// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper.kernel(loop-select-gpu-schedule))' | FileCheck %s

#cuda = #wrapper.device<"cuda">

// One warp for each row: lanes that only combine what they load have room for 18 elements.
// CHECK-LABEL: wrapper.kernel @light_rows
// CHECK: schedule #loop.gpu_schedule<vector_dim = 1, threads_p = 8, threads_r = 32, items_r = 18, persistent = true, index_bits = 32>
wrapper.kernel @light_rows(%x: tensor<159346x547xbf16>) attributes {device = #cuda, input_strides = [#sym.shape<[547, 1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "log_sum_exp" [159346, 547] (%a = %x) : (tensor<159346x547xbf16>) -> tensor<159346xf32> {
    %1 = loop.load %a[d0, d1] : tensor<159346x547xbf16> -> bf16
    %2 = arith.extf %1 : bf16 to f32
    %3 = loop.reduce max %2 over [1] : f32
    %4 = arith.subf %2, %3 : f32
    %5 = math.exp %4 : f32
    %6 = loop.reduce sum %5 over [1] : f32
    %7 = math.log %6 : f32
    loop.store %7, 0[d0] : f32
  }
  wrapper.yield %0 : tensor<159346xf32>
}

// A row of which nothing is written is kept by as few threads as have room for it, instead of a loop with a rest.
// CHECK-LABEL: wrapper.kernel @sums_of_rows
// CHECK: schedule #loop.gpu_schedule<vector_dim = 1, threads_r = 128, items_r = 32, persistent = true, min_blocks = 8, index_bits = 32>
wrapper.kernel @sums_of_rows(%x: tensor<49693x4093xbf16>) attributes {device = #cuda, input_strides = [#sym.shape<[4093, 1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "sum" [49693, 4093] (%a = %x) : (tensor<49693x4093xbf16>) -> tensor<49693xf32> {
    %1 = loop.load %a[d0, d1] : tensor<49693x4093xbf16> -> bf16
    %2 = arith.extf %1 : bf16 to f32
    %3 = loop.reduce sum %2 over [1] : f32
    loop.store %3, 0[d0] : f32
  }
  wrapper.yield %0 : tensor<49693xf32>
}

// Longer ones are read in a loop, once.
// CHECK-LABEL: wrapper.kernel @long_log_sum_exp
// CHECK: schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 4, threads_r = 128, items_r = 4, min_blocks = 8, index_bits = 32>
wrapper.kernel @long_log_sum_exp(%x: tensor<4860x8192xf32>) attributes {device = #cuda, input_strides = [#sym.shape<[8192, 1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "log_sum_exp" [4860, 8192] (%a = %x) : (tensor<4860x8192xf32>) -> tensor<4860xf32> {
    %1 = loop.load %a[d0, d1] : tensor<4860x8192xf32> -> f32
    %2 = loop.reduce max %1 over [1] : f32
    %3 = arith.subf %1, %2 : f32
    %4 = math.exp %3 : f32
    %5 = loop.reduce sum %4 over [1] : f32
    %6 = math.log %5 : f32
    loop.store %6, 0[d0] : f32
  }
  wrapper.yield %0 : tensor<4860xf32>
}

// What is written for each element would be read twice: 1024 threads keep 48 elements of one tensor each.
// CHECK-LABEL: wrapper.kernel @kept_softmax
// CHECK: schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 4, threads_r = 1024, items_r = 12, persistent = true, min_blocks = 1, index_bits = 32>
wrapper.kernel @kept_softmax(%x: tensor<530x46556xf32>) attributes {device = #cuda, input_strides = [#sym.shape<[46556, 1]>], output_strides = [#sym.shape<[46556, 1]>], symbols = []} {
  %0 = loop.kernel "softmax" [530, 46556] (%a = %x) : (tensor<530x46556xf32>) -> tensor<530x46556xf32> {
    %1 = loop.load %a[d0, d1] : tensor<530x46556xf32> -> f32
    %2 = loop.reduce max %1 over [1] : f32
    %3 = arith.subf %1, %2 : f32
    %4 = math.exp %3 : f32
    %5 = loop.reduce sum %4 over [1] : f32
    %6 = arith.divf %4, %5 : f32
    loop.store %6, 0[d0, d1] : f32
  }
  wrapper.yield %0 : tensor<530x46556xf32>
}

// Too long to be kept by one block: those of a cluster share it.
// CHECK-LABEL: wrapper.kernel @long_softmax
// CHECK: schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 4, threads_r = 512, items_r = 6, persistent = true, min_blocks = 2, index_bits = 32, cluster = 8>
wrapper.kernel @long_softmax(%x: tensor<545x93056xf32>) attributes {device = #cuda, input_strides = [#sym.shape<[93056, 1]>], output_strides = [#sym.shape<[93056, 1]>], symbols = []} {
  %0 = loop.kernel "softmax" [545, 93056] (%a = %x) : (tensor<545x93056xf32>) -> tensor<545x93056xf32> {
    %1 = loop.load %a[d0, d1] : tensor<545x93056xf32> -> f32
    %2 = loop.reduce max %1 over [1] : f32
    %3 = arith.subf %1, %2 : f32
    %4 = math.exp %3 : f32
    %5 = loop.reduce sum %4 over [1] : f32
    %6 = arith.divf %4, %5 : f32
    loop.store %6, 0[d0, d1] : f32
  }
  wrapper.yield %0 : tensor<545x93056xf32>
}

// A window along the outer one of two dimensions that lie next to each other: threads go along the inner one first.
// CHECK-LABEL: wrapper.kernel @window_of_pairs
// CHECK: schedule #loop.gpu_schedule<vector_dim = 1,
wrapper.kernel @window_of_pairs(%x: tensor<4278176x3xf32>) attributes {device = #cuda, input_strides = [#sym.shape<[3, 1]>], output_strides = [#sym.shape<[2, 1]>], symbols = []} {
  %0 = loop.kernel "max_pool" [4278176, 2, 2] (%a = %x) : (tensor<4278176x3xf32>) -> tensor<4278176x2xf32> {
    %1 = loop.load %a[d0, d1 + d2] : tensor<4278176x3xf32> -> f32
    %2 = loop.reduce max %1 over [2] : f32
    loop.store %2, 0[d0, d1] : f32
  }
  wrapper.yield %0 : tensor<4278176x2xf32>
}

// Five loads from one tensor: eight points of each thread are under way.
// CHECK-LABEL: wrapper.kernel @stencil
// CHECK: schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 4, threads_p = 256, items_p = 2, index_bits = 32>
wrapper.kernel @stencil(%x: tensor<50778x1030xf32>) attributes {device = #cuda, input_strides = [#sym.shape<[1032, 1]>], output_strides = [#sym.shape<[1024, 1]>], symbols = []} {
  %0 = loop.kernel "sum" [50778, 1024] (%a = %x) : (tensor<50778x1030xf32>) -> tensor<50778x1024xf32> {
    %1 = loop.load %a[d0, d1] : tensor<50778x1030xf32> -> f32
    %2 = loop.load %a[d0, d1 + 1] : tensor<50778x1030xf32> -> f32
    %3 = loop.load %a[d0, d1 + 2] : tensor<50778x1030xf32> -> f32
    %4 = loop.load %a[d0, d1 + 3] : tensor<50778x1030xf32> -> f32
    %5 = loop.load %a[d0, d1 + 4] : tensor<50778x1030xf32> -> f32
    %6 = arith.addf %1, %2 : f32
    %7 = arith.addf %3, %4 : f32
    %8 = arith.addf %6, %7 : f32
    %9 = arith.addf %8, %5 : f32
    loop.store %9, 0[d0, d1] : f32
  }
  wrapper.yield %0 : tensor<50778x1024xf32>
}

// A body of many ops: 32 threads of a row would have 32 elements each, and nearly all registers.
// CHECK-LABEL: wrapper.kernel @long_bodies
// CHECK: schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 4, threads_p = 2, threads_r = 64, items_r = 4, persistent = true, index_bits = 32>
wrapper.kernel @long_bodies(%x: tensor<170549x1024xf32>) attributes {device = #cuda, input_strides = [#sym.shape<[1024, 1]>], output_strides = [#sym.shape<[1024, 1]>], symbols = []} {
  %0 = loop.kernel "long" [170549, 1024] (%a = %x) : (tensor<170549x1024xf32>) -> tensor<170549x1024xf32> {
    %1 = loop.load %a[d0, d1] : tensor<170549x1024xf32> -> f32
    %2 = arith.addf %1, %1 : f32
    %3 = arith.mulf %2, %1 : f32
    %4 = arith.addf %3, %1 : f32
    %5 = arith.mulf %4, %1 : f32
    %6 = arith.addf %5, %1 : f32
    %7 = arith.mulf %6, %1 : f32
    %8 = arith.addf %7, %1 : f32
    %9 = arith.mulf %8, %1 : f32
    %10 = arith.addf %9, %1 : f32
    %11 = arith.mulf %10, %1 : f32
    %12 = arith.addf %11, %1 : f32
    %13 = arith.mulf %12, %1 : f32
    %14 = arith.addf %13, %1 : f32
    %15 = arith.mulf %14, %1 : f32
    %16 = arith.addf %15, %1 : f32
    %17 = arith.mulf %16, %1 : f32
    %18 = arith.addf %17, %1 : f32
    %19 = arith.mulf %18, %1 : f32
    %20 = arith.addf %19, %1 : f32
    %21 = arith.mulf %20, %1 : f32
    %22 = arith.addf %21, %1 : f32
    %23 = arith.mulf %22, %1 : f32
    %24 = arith.addf %23, %1 : f32
    %25 = arith.mulf %24, %1 : f32
    %26 = arith.addf %25, %1 : f32
    %27 = arith.mulf %26, %1 : f32
    %28 = arith.addf %27, %1 : f32
    %29 = arith.mulf %28, %1 : f32
    %30 = arith.addf %29, %1 : f32
    %31 = arith.mulf %30, %1 : f32
    %32 = arith.addf %31, %1 : f32
    %33 = arith.mulf %32, %1 : f32
    %34 = arith.addf %33, %1 : f32
    %35 = arith.mulf %34, %1 : f32
    %36 = arith.addf %35, %1 : f32
    %37 = arith.mulf %36, %1 : f32
    %38 = loop.reduce max %37 over [1] : f32
    %39 = arith.subf %37, %38 : f32
    loop.store %39, 0[d0, d1] : f32
  }
  wrapper.yield %0 : tensor<170549x1024xf32>
}
