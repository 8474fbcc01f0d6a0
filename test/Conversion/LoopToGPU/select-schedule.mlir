// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper.kernel(loop-select-gpu-schedule))' | FileCheck %s
// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper.kernel(loop-select-gpu-schedule{deterministic=true}))' | FileCheck %s --check-prefix=DET
// RUN: coil-opt %s --pass-pipeline='builtin.module(target-attach{target=cuda:sm_80@multiprocessors=132},wrapper.kernel(loop-select-gpu-schedule))' | FileCheck %s --check-prefix=OLD

// Whole vectors of 16 bytes.
// CHECK-LABEL: wrapper.kernel @pointwise_f32
// CHECK: schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 4, threads_p = 128, items_p = 2, index_bits = 32>
wrapper.kernel @pointwise_f32(%x: tensor<8192x1024xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1024, 1]>], output_strides = [#sym.shape<[1024, 1]>], symbols = []} {
  %0 = loop.kernel "neg" [8192, 1024] (%a = %x) : (tensor<8192x1024xf32>) -> tensor<8192x1024xf32> {
    %v = loop.load %a[d0, d1] : tensor<8192x1024xf32> -> f32
    %n = arith.negf %v : f32
    loop.store %n, 0 [d0, d1] : f32
  }
  wrapper.yield %0 : tensor<8192x1024xf32>
}

// CHECK-LABEL: wrapper.kernel @pointwise_bf16
// CHECK: vector_width = 8, threads_p = 128, items_p = 2
wrapper.kernel @pointwise_bf16(%x: tensor<8192x1024xbf16>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1024, 1]>], output_strides = [#sym.shape<[1024, 1]>], symbols = []} {
  %0 = loop.kernel "neg" [8192, 1024] (%a = %x) : (tensor<8192x1024xbf16>) -> tensor<8192x1024xbf16> {
    %v = loop.load %a[d0, d1] : tensor<8192x1024xbf16> -> bf16
    %n = arith.negf %v : bf16
    loop.store %n, 0 [d0, d1] : bf16
  }
  wrapper.yield %0 : tensor<8192x1024xbf16>
}

// Rows that begin anywhere have no vectors.
// CHECK-LABEL: wrapper.kernel @odd_rows
// CHECK: schedule #loop.gpu_schedule<vector_dim = 1, threads_p = 256, items_p = 4, index_bits = 32>
wrapper.kernel @odd_rows(%x: tensor<8192x1023xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1024, 1]>], output_strides = [#sym.shape<[1023, 1]>], symbols = []} {
  %0 = loop.kernel "neg" [8192, 1023] (%a = %x) : (tensor<8192x1023xf32>) -> tensor<8192x1023xf32> {
    %v = loop.load %a[d0, d1] : tensor<8192x1023xf32> -> f32
    %n = arith.negf %v : f32
    loop.store %n, 0 [d0, d1] : f32
  }
  wrapper.yield %0 : tensor<8192x1023xf32>
}

// Operands that begin anywhere are shifted out of aligned vectors, where results have these; of each long row the last
// vector is cut.
// CHECK-LABEL: wrapper.kernel @shifted_operands
// CHECK: schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 4, threads_p = 256, index_bits = 32>
wrapper.kernel @shifted_operands(%x: tensor<8192x1023xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1023, 1]>], output_strides = [#sym.shape<[1024, 1]>], symbols = []} {
  %0 = loop.kernel "neg" [8192, 1023] (%a = %x) : (tensor<8192x1023xf32>) -> tensor<8192x1023xf32> {
    %v = loop.load %a[d0, d1] : tensor<8192x1023xf32> -> f32
    %n = arith.negf %v : f32
    loop.store %n, 0 [d0, d1] : f32
  }
  wrapper.yield %0 : tensor<8192x1023xf32>
}

// Many short rows: a few threads for each, so that all have something to do, and several rows to a block.
// CHECK-LABEL: wrapper.kernel @many_short_rows
// CHECK: vector_dim = 1, threads_p = 32, threads_r = 8, items_p = 2, items_r = 7, persistent = true
wrapper.kernel @many_short_rows(%x: tensor<1048576x49xbf16>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[49, 1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "max" [1048576, 49] (%a = %x) : (tensor<1048576x49xbf16>) -> tensor<1048576xbf16> {
    %v = loop.load %a[d0, d1] : tensor<1048576x49xbf16> -> bf16
    %s = loop.reduce max %v over [1] : bf16
    loop.store %s, 0 [d0] : bf16
  }
  wrapper.yield %0 : tensor<1048576xbf16>
}

// Columns of few elements: a thread for each, which has several.
// CHECK-LABEL: wrapper.kernel @short_columns
// CHECK: vector_dim = 2, threads_p = 256, items_p = 2, items_r = 7, persistent = true
wrapper.kernel @short_columns(%x: tensor<44760x7x61xf16>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[427, 61, 1]>], output_strides = [#sym.shape<[61, 1]>], symbols = []} {
  %0 = loop.kernel "max" [44760, 7, 61] (%a = %x) : (tensor<44760x7x61xf16>) -> tensor<44760x61xf16> {
    %v = loop.load %a[d0, d1, d2] : tensor<44760x7x61xf16> -> f16
    %s = loop.reduce max %v over [1] : f16
    loop.store %s, 0 [d0, d2] : f16
  }
  wrapper.yield %0 : tensor<44760x61xf16>
}

// Columns without a bound are not columns of few elements: threads share them.
// CHECK-LABEL: wrapper.kernel @unbounded_columns
// CHECK: vector_dim = 1, vector_width = 4, threads_p = 32, threads_r = 8, items_r = 4
wrapper.kernel @unbounded_columns(%x: tensor<?x4194304xf32, #sym.shape<[s0, 4194304]>>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[4194304, 1]>], output_strides = [#sym.shape<[1]>], symbols = ["s0"]} {
  %0 = loop.kernel "sum" [s0, 4194304] (%a = %x) : (tensor<?x4194304xf32, #sym.shape<[s0, 4194304]>>) -> tensor<4194304xf32> {
    %v = loop.load %a[d0, d1] : tensor<?x4194304xf32, #sym.shape<[s0, 4194304]>> -> f32
    %s = loop.reduce sum %v over [0] : f32
    loop.store %s, 0 [d1] : f32
  }
  wrapper.yield %0 : tensor<4194304xf32>
}

// Every other element shares what memory gives at a time with its neighbours: better than elements far apart.
// CHECK-LABEL: wrapper.kernel @every_other
// CHECK: vector_dim = 0, threads_r = 256
wrapper.kernel @every_other(%x: tensor<13860864xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[2]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "sum_chunks" [27072, 512] (%a = %x) : (tensor<13860864xf32>) -> tensor<512xf32> {
    %v = loop.load %a[d0 + d1 * 27072] : tensor<13860864xf32> -> f32
    %s = loop.reduce sum %v over [0] : f32
    loop.store %s, 0 [d1] : f32
  }
  wrapper.yield %0 : tensor<512xf32>
}

// A warp for each short row, which stays in registers.
// CHECK-LABEL: wrapper.kernel @short_rows
// CHECK: vector_dim = 1, vector_width = 4, threads_p = 2, threads_r = 32, items_r = 8, persistent = true
wrapper.kernel @short_rows(%x: tensor<8192x1024xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1024, 1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "sum" [8192, 1024] (%a = %x) : (tensor<8192x1024xf32>) -> tensor<8192xf32> {
    %v = loop.load %a[d0, d1] : tensor<8192x1024xf32> -> f32
    %s = loop.reduce sum %v over [1] : f32
    loop.store %s, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<8192xf32>
}

// Columns: neighbouring threads take neighbouring columns.
// CHECK-LABEL: wrapper.kernel @columns
// CHECK: vector_dim = 1, vector_width = 4, threads_p = 2, threads_r = 512, items_r = 2
wrapper.kernel @columns(%x: tensor<8192x1024xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1024, 1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "sum" [8192, 1024] (%a = %x) : (tensor<8192x1024xf32>) -> tensor<1024xf32> {
    %v = loop.load %a[d0, d1] : tensor<8192x1024xf32> -> f32
    %s = loop.reduce sum %v over [0] : f32
    loop.store %s, 0 [d1] : f32
  }
  wrapper.yield %0 : tensor<1024xf32>
}

// Offsets that do not fit in 32 bits take the default, 64.
// CHECK-LABEL: wrapper.kernel @large
// CHECK: schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 4, threads_p = 128, items_p = 2> {
wrapper.kernel @large(%x: tensor<65536x65536xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[65536, 1]>], output_strides = [#sym.shape<[65536, 1]>], symbols = []} {
  %0 = loop.kernel "neg" [65536, 65536] (%a = %x) : (tensor<65536x65536xf32>) -> tensor<65536x65536xf32> {
    %v = loop.load %a[d0, d1] : tensor<65536x65536xf32> -> f32
    %n = arith.negf %v : f32
    loop.store %n, 0 [d0, d1] : f32
  }
  wrapper.yield %0 : tensor<65536x65536xf32>
}

// Rows of four bytes: a thread has eight of them under way.
// CHECK-LABEL: wrapper.kernel @tiny_rows
// CHECK: vector_dim = 1, vector_width = 2, threads_p = 128, items_p = 8, persistent = true
wrapper.kernel @tiny_rows(%x: tensor<54949727x2xbf16>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[2, 1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "max" [54949727, 2] (%a = %x) : (tensor<54949727x2xbf16>) -> tensor<54949727xbf16> {
    %v = loop.load %a[d0, d1] : tensor<54949727x2xbf16> -> bf16
    %m = loop.reduce max %v over [1] : bf16
    loop.store %m, 0[d0] : bf16
  }
  wrapper.yield %0 : tensor<54949727xbf16>
}

// An input that begins at a multiple of 8 bytes has vectors of 8 bytes.
// CHECK-LABEL: wrapper.kernel @half_aligned
// CHECK: vector_dim = 0, vector_width = 2
wrapper.kernel @half_aligned(%x: tensor<1048576xf32>) attributes {alignment = array<i64: 8>, device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1]>], output_strides = [], symbols = []} {
  loop.kernel "none" [1048576] (%a = %x) : (tensor<1048576xf32>) -> () {
    %v = loop.load %a[d0] : tensor<1048576xf32> -> f32
  }
  wrapper.yield
}

// Points that are fewer than two warps for each scheduler have threads of their own; random words share a generator.
// CHECK-LABEL: wrapper.kernel @few_points
// CHECK: schedule #loop.gpu_schedule<vector_dim = 0, threads_p = 128
wrapper.kernel @few_points(%x: tensor<24576xf16>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "neg" [24576] (%a = %x) : (tensor<24576xf16>) -> tensor<24576xf16> {
    %v = loop.load %a[d0] : tensor<24576xf16> -> f16
    %n = arith.negf %v : f16
    loop.store %n, 0 [d0] : f16
  }
  wrapper.yield %0 : tensor<24576xf16>
}

// Kernels of other devices are another pass's.
// CHECK-LABEL: wrapper.kernel @cpu
// CHECK-NOT: schedule
wrapper.kernel @cpu(%x: tensor<64xf32>) attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "neg" [64] (%a = %x) : (tensor<64xf32>) -> tensor<64xf32> {
    %v = loop.load %a[d0] : tensor<64xf32> -> f32
    %n = arith.negf %v : f32
    loop.store %n, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<64xf32>
}

// The points of a scatter are parallel; with an order they are reduced, and
// owners share them.
// CHECK-LABEL: wrapper.kernel @scatter
// CHECK: schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 4, threads_p = 256, index_bits = 32>
// DET-LABEL: wrapper.kernel @scatter
// DET: schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 4, threads_p = 64, index_bits = 32, owners = 512>
wrapper.kernel @scatter(%x: tensor<4096x1024xf32>, %i: tensor<8192xi64>, %v: tensor<8192x1024xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1024, 1]>, #sym.shape<[1]>, #sym.shape<[1024, 1]>], output_strides = [#sym.shape<[1024, 1]>], symbols = []} {
  %0 = loop.kernel "scatter" [8192, 1024] (%t = %x, %p = %i, %a = %v) : (tensor<4096x1024xf32>, tensor<8192xi64>, tensor<8192x1024xf32>) -> tensor<4096x1024xf32> {
    %1 = loop.load %p[d0] : tensor<8192xi64> -> i64
    %2 = loop.load %a[d0, d1] : tensor<8192x1024xf32> -> f32
    loop.scatter sum %2 into %t[t0, d1](%1) bounds wrap_check as 0 over [0] : f32, tensor<4096x1024xf32>
  }
  wrapper.yield %0 : tensor<4096x1024xf32>
}

// Sums of integers are the same in every order.
// DET-LABEL: wrapper.kernel @scatter_integers
// DET: schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 4, threads_p = 256, index_bits = 32>
wrapper.kernel @scatter_integers(%x: tensor<4096x1024xi32>, %i: tensor<8192xi64>, %v: tensor<8192x1024xi32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1024, 1]>, #sym.shape<[1]>, #sym.shape<[1024, 1]>], output_strides = [#sym.shape<[1024, 1]>], symbols = []} {
  %0 = loop.kernel "scatter" [8192, 1024] (%t = %x, %p = %i, %a = %v) : (tensor<4096x1024xi32>, tensor<8192xi64>, tensor<8192x1024xi32>) -> tensor<4096x1024xi32> {
    %1 = loop.load %p[d0] : tensor<8192xi64> -> i64
    %2 = loop.load %a[d0, d1] : tensor<8192x1024xi32> -> i32
    loop.scatter sum %2 into %t[t0, d1](%1) bounds wrap_check as 0 over [0] : i32, tensor<4096x1024xi32>
  }
  wrapper.yield %0 : tensor<4096x1024xi32>
}

// Rows of an odd length: vectors are cut at addresses that are aligned.
// CHECK-LABEL: wrapper.kernel @shifted_rows
// CHECK: vector_dim = 1, vector_width = 8, {{.*}}align_to = 0
wrapper.kernel @shifted_rows(%x: tensor<512x50257xbf16>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[50257, 1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "max" [512, 50257] (%a = %x) : (tensor<512x50257xbf16>) -> tensor<512xbf16> {
    %v = loop.load %a[d0, d1] : tensor<512x50257xbf16> -> bf16
    %m = loop.reduce max %v over [1] : bf16
    loop.store %m, 0 [d0] : bf16
  }
  wrapper.yield %0 : tensor<512xbf16>
}

// Short rows of an odd length are not worth it.
// CHECK-LABEL: wrapper.kernel @short_odd_rows
// CHECK-NOT: align_to
wrapper.kernel @short_odd_rows(%x: tensor<512x33xbf16>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[33, 1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "max" [512, 33] (%a = %x) : (tensor<512x33xbf16>) -> tensor<512xbf16> {
    %v = loop.load %a[d0, d1] : tensor<512x33xbf16> -> bf16
    %m = loop.reduce max %v over [1] : bf16
    loop.store %m, 0 [d0] : bf16
  }
  wrapper.yield %0 : tensor<512xbf16>
}

// A warp scans a short row, a block one that it keeps.
// CHECK-LABEL: wrapper.kernel @scan_short(
// CHECK: strategy = scan, vector_dim = 1, vector_width = 4, threads_p = 4, threads_r = 32, items_r = 8, persistent = true, index_bits = 32>
wrapper.kernel @scan_short(%x: tensor<8192x1024xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1024, 1]>], output_strides = [#sym.shape<[1024, 1]>], symbols = []} {
  %0 = loop.kernel "scan" [8192, 1024] (%a = %x) : (tensor<8192x1024xf32>) -> tensor<8192x1024xf32> {
    %v = loop.load %a[d0, d1] : tensor<8192x1024xf32> -> f32
    %s = loop.scan sum %v over [1] : f32
    loop.store %s, 0 [d0, d1] : f32
  }
  wrapper.yield %0 : tensor<8192x1024xf32>
}

// CHECK-LABEL: wrapper.kernel @scan_row(
// CHECK: strategy = scan, vector_dim = 1, vector_width = 4, threads_r = 512, items_r = 4, persistent = true, index_bits = 32>
wrapper.kernel @scan_row(%x: tensor<4096x8192xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[8192, 1]>], output_strides = [#sym.shape<[8192, 1]>], symbols = []} {
  %0 = loop.kernel "scan" [4096, 8192] (%a = %x) : (tensor<4096x8192xf32>) -> tensor<4096x8192xf32> {
    %v = loop.load %a[d0, d1] : tensor<4096x8192xf32> -> f32
    %s = loop.scan sum %v over [1] : f32
    loop.store %s, 0 [d0, d1] : f32
  }
  wrapper.yield %0 : tensor<4096x8192xf32>
}

// One row, and columns, are more than a block: tiles look back. Blocks of a row
// stay where a chip can copy tiles.
// CHECK-LABEL: wrapper.kernel @scan_one(
// CHECK: strategy = scan, vector_dim = 0, vector_width = 4, threads_r = 512, items_r = 6, persistent = true, min_blocks = 2, index_bits = 32, split_r = true, stages = 2, blocks = 264>
// OLD-LABEL: wrapper.kernel @scan_one(
// OLD: strategy = scan, vector_dim = 0, vector_width = 4, threads_r = 512, items_r = 16, persistent = true, min_blocks = 1, index_bits = 32, split_r = true>
wrapper.kernel @scan_one(%x: tensor<67108864xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "scan" [67108864] (%a = %x) : (tensor<67108864xf32>) -> tensor<67108864xf32> {
    %v = loop.load %a[d0] : tensor<67108864xf32> -> f32
    %s = loop.scan sum %v over [0] : f32
    loop.store %s, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<67108864xf32>
}

// Copies begin at multiples of 16 bytes, which these rows do not.
// CHECK-LABEL: wrapper.kernel @scan_odd(
// CHECK: strategy = scan, vector_dim = 1, threads_r = 512, items_r = 64, persistent = true, min_blocks = 1, index_bits = 32, split_r = true>
wrapper.kernel @scan_odd(%x: tensor<3x16777215xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[16777215, 1]>], output_strides = [#sym.shape<[16777215, 1]>], symbols = []} {
  %0 = loop.kernel "scan" [3, 16777215] (%a = %x) : (tensor<3x16777215xf32>) -> tensor<3x16777215xf32> {
    %v = loop.load %a[d0, d1] : tensor<3x16777215xf32> -> f32
    %s = loop.scan sum %v over [1] : f32
    loop.store %s, 0 [d0, d1] : f32
  }
  wrapper.yield %0 : tensor<3x16777215xf32>
}

// Halves take fewer vectors, for registers; two operands do not fit.
// CHECK-LABEL: wrapper.kernel @scan_halves(
// CHECK: strategy = scan, vector_dim = 0, vector_width = 8, threads_r = 512, items_r = 4, persistent = true, min_blocks = 2, index_bits = 32, split_r = true, stages = 2, blocks = 264>
wrapper.kernel @scan_halves(%x: tensor<67108864xbf16>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "scan" [67108864] (%a = %x) : (tensor<67108864xbf16>) -> tensor<67108864xbf16> {
    %v = loop.load %a[d0] : tensor<67108864xbf16> -> bf16
    %s = loop.scan sum %v over [0] : bf16
    loop.store %s, 0 [d0] : bf16
  }
  wrapper.yield %0 : tensor<67108864xbf16>
}

// CHECK-LABEL: wrapper.kernel @scan_product(
// CHECK: strategy = scan, vector_dim = 0, vector_width = 4, threads_r = 256, items_r = 8, persistent = true, index_bits = 32, split_r = true>
wrapper.kernel @scan_product(%x: tensor<67108864xf32>, %y: tensor<67108864xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1]>, #sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "scan" [67108864] (%a = %x, %b = %y) : (tensor<67108864xf32>, tensor<67108864xf32>) -> tensor<67108864xf32> {
    %v = loop.load %a[d0] : tensor<67108864xf32> -> f32
    %w = loop.load %b[d0] : tensor<67108864xf32> -> f32
    %p = arith.mulf %v, %w : f32
    %s = loop.scan sum %p over [0] : f32
    loop.store %s, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<67108864xf32>
}

// Sizes that are not known, but how many tiles there can be at most; and not.
// CHECK-LABEL: wrapper.kernel @scan_dynamic(
// CHECK: strategy = scan, vector_dim = 0, vector_width = 4, threads_r = 512, items_r = 6, persistent = true, min_blocks = 2, index_bits = 32, split_r = true, stages = 2, blocks = 264>
wrapper.kernel @scan_dynamic(%x: tensor<?xf32, #sym.shape<[s0]>>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = ["s0"], sym.symbols = {s0 = #sym.range<0, 1000000000, hint = 67108864>}} {
  %0 = loop.kernel "scan" [s0] (%a = %x) : (tensor<?xf32, #sym.shape<[s0]>>) -> tensor<?xf32, #sym.shape<[s0]>> {
    %v = loop.load %a[d0] : tensor<?xf32, #sym.shape<[s0]>> -> f32
    %s = loop.scan sum %v over [0] : f32
    loop.store %s, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<?xf32, #sym.shape<[s0]>>
}

// CHECK-LABEL: wrapper.kernel @scan_unbounded(
// CHECK: split_r = true> {
wrapper.kernel @scan_unbounded(%x: tensor<?xf32, #sym.shape<[s0]>>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = ["s0"], sym.symbols = {s0 = #sym.range<0, 1000000000000, hint = 67108864>}} {
  %0 = loop.kernel "scan" [s0] (%a = %x) : (tensor<?xf32, #sym.shape<[s0]>>) -> tensor<?xf32, #sym.shape<[s0]>> {
    %v = loop.load %a[d0] : tensor<?xf32, #sym.shape<[s0]>> -> f32
    %s = loop.scan sum %v over [0] : f32
    loop.store %s, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<?xf32, #sym.shape<[s0]>>
}

// CHECK-LABEL: wrapper.kernel @scan_columns(
// CHECK: strategy = scan, vector_dim = 1, vector_width = 4, threads_p = 8, threads_r = 32, items_r = 8, persistent = true, min_blocks = 4, index_bits = 32, split_r = true>
wrapper.kernel @scan_columns(%x: tensor<4096x8192xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[8192, 1]>], output_strides = [#sym.shape<[8192, 1]>], symbols = []} {
  %0 = loop.kernel "scan" [4096, 8192] (%a = %x) : (tensor<4096x8192xf32>) -> tensor<4096x8192xf32> {
    %v = loop.load %a[d0, d1] : tensor<4096x8192xf32> -> f32
    %s = loop.scan sum %v over [0] : f32
    loop.store %s, 0 [d0, d1] : f32
  }
  wrapper.yield %0 : tensor<4096x8192xf32>
}

// So many columns that each is a thread's.
// CHECK-LABEL: wrapper.kernel @scan_many_columns(
// CHECK: strategy = scan, vector_dim = 1, vector_width = 4, threads_p = 128, items_r = 8, index_bits = 32>
wrapper.kernel @scan_many_columns(%x: tensor<64x4194304xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[4194304, 1]>], output_strides = [#sym.shape<[4194304, 1]>], symbols = []} {
  %0 = loop.kernel "scan" [64, 4194304] (%a = %x) : (tensor<64x4194304xf32>) -> tensor<64x4194304xf32> {
    %v = loop.load %a[d0, d1] : tensor<64x4194304xf32> -> f32
    %s = loop.scan sum %v over [0] : f32
    loop.store %s, 0 [d0, d1] : f32
  }
  wrapper.yield %0 : tensor<64x4194304xf32>
}

// Half as many parts of columns are enough for all processors: a block walks down
// each, and waits for no other.
// CHECK-LABEL: wrapper.kernel @scan_wide(
// CHECK: strategy = scan, vector_dim = 1, vector_width = 4, threads_p = 16, threads_r = 16, items_r = 8, index_bits = 32>
wrapper.kernel @scan_wide(%x: tensor<8192x16384xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[16384, 1]>], output_strides = [#sym.shape<[16384, 1]>], symbols = []} {
  %0 = loop.kernel "scan" [8192, 16384] (%a = %x) : (tensor<8192x16384xf32>) -> tensor<8192x16384xf32> {
    %v = loop.load %a[d0, d1] : tensor<8192x16384xf32> -> f32
    %s = loop.scan sum %v over [0] : f32
    loop.store %s, 0 [d0, d1] : f32
  }
  wrapper.yield %0 : tensor<8192x16384xf32>
}

// Eight lanes of 16 bits would be eight chains of sums in each thread.
// CHECK-LABEL: wrapper.kernel @scan_wide_halves(
// CHECK: strategy = scan, vector_dim = 1, vector_width = 2, threads_p = 64, threads_r = 8, items_r = 16, index_bits = 32>
wrapper.kernel @scan_wide_halves(%x: tensor<8192x32768xbf16>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[32768, 1]>], output_strides = [#sym.shape<[32768, 1]>], symbols = []} {
  %0 = loop.kernel "scan" [8192, 32768] (%a = %x) : (tensor<8192x32768xbf16>) -> tensor<8192x32768xbf16> {
    %v = loop.load %a[d0, d1] : tensor<8192x32768xbf16> -> bf16
    %w = arith.extf %v : bf16 to f32
    %s = loop.scan sum %w over [0] : f32
    %t = arith.truncf %s : f32 to bf16
    loop.store %t, 0 [d0, d1] : bf16
  }
  wrapper.yield %0 : tensor<8192x32768xbf16>
}

// Positions of a maximum: few threads, since what a block combines at its end
// takes as long as its loads.
// CHECK-LABEL: wrapper.kernel @argmax_halves(
// CHECK: vector_dim = 1, vector_width = 8, threads_r = 128, items_r = 2, min_blocks = 8, index_bits = 32>
wrapper.kernel @argmax_halves(%x: tensor<16384x32768xbf16>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[32768, 1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "argmax" [16384, 32768] (%a = %x) : (tensor<16384x32768xbf16>) -> tensor<16384xi64> {
    %v = loop.load %a[d0, d1] : tensor<16384x32768xbf16> -> bf16
    %i = loop.index <d1>
    %m, %p = loop.arg_reduce max %v at %i over [1] : bf16
    loop.store %p, 0 [d0] : i64
  }
  wrapper.yield %0 : tensor<16384xi64>
}

// Loads that wait for their indices go two at a time, too.
// CHECK-LABEL: wrapper.kernel @gather(
// CHECK: vector_dim = 1, vector_width = 4, threads_p = 128, items_p = 2, index_bits = 32>
wrapper.kernel @gather(%x: tensor<262144x1024xf32>, %i: tensor<131072xi64>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1024, 1]>, #sym.shape<[1]>], output_strides = [#sym.shape<[1024, 1]>], symbols = []} {
  %0 = loop.kernel "gather" [131072, 1024] (%a = %x, %b = %i) : (tensor<262144x1024xf32>, tensor<131072xi64>) -> tensor<131072x1024xf32> {
    %p = loop.load %b[d0] : tensor<131072xi64> -> i64
    %v = loop.load %a[t0, d1](%p) : tensor<262144x1024xf32> -> f32
    loop.store %v, 0 [d0, d1] : f32
  }
  wrapper.yield %0 : tensor<131072x1024xf32>
}

// A row of wide elements that a block keeps: eight for each of 512 threads.
// CHECK-LABEL: wrapper.kernel @normalize_wide(
// CHECK: vector_dim = 1, vector_width = 4, threads_r = 512, items_r = 2, persistent = true, min_blocks = 4, index_bits = 32>
wrapper.kernel @normalize_wide(%x: tensor<16384x4096xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[4096, 1]>], output_strides = [#sym.shape<[4096, 1]>], symbols = []} {
  %0 = loop.kernel "normalize" [16384, 4096] (%a = %x) : (tensor<16384x4096xf32>) -> tensor<16384x4096xf32> {
    %v = loop.load %a[d0, d1] : tensor<16384x4096xf32> -> f32
    %s = loop.reduce sum %v over [1] : f32
    %d = arith.divf %v, %s : f32
    loop.store %d, 0 [d0, d1] : f32
  }
  wrapper.yield %0 : tensor<16384x4096xf32>
}

// A row that a block keeps, 16 elements a thread: half as many blocks again.
// CHECK-LABEL: wrapper.kernel @normalize(
// CHECK: vector_dim = 1, vector_width = 8, threads_r = 256, items_r = 2, persistent = true, min_blocks = 6, index_bits = 32>
wrapper.kernel @normalize(%x: tensor<32768x4096xbf16>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[4096, 1]>], output_strides = [#sym.shape<[4096, 1]>], symbols = []} {
  %0 = loop.kernel "normalize" [32768, 4096] (%a = %x) : (tensor<32768x4096xbf16>) -> tensor<32768x4096xbf16> {
    %v = loop.load %a[d0, d1] : tensor<32768x4096xbf16> -> bf16
    %f = arith.extf %v : bf16 to f32
    %m = loop.reduce max %f over [1] : f32
    %q = arith.divf %f, %m : f32
    %r = arith.truncf %q : f32 to bf16
    loop.store %r, 0 [d0, d1] : bf16
  }
  wrapper.yield %0 : tensor<32768x4096xbf16>
}

// A maximum with the sum of exponentials below it: threads keep short rows of
// short elements, others are read once by a small block.
// CHECK-LABEL: wrapper.kernel @softmax_kept(
// CHECK: vector_dim = 1, vector_width = 8, threads_r = 512, items_r = 8, persistent = true, min_blocks = 2, index_bits = 32>
wrapper.kernel @softmax_kept(%x: tensor<4096x32768xbf16>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[32768, 1]>], output_strides = [#sym.shape<[32768, 1]>], symbols = []} {
  %0 = loop.kernel "softmax" [4096, 32768] (%a = %x) : (tensor<4096x32768xbf16>) -> tensor<4096x32768xbf16> {
    %v = loop.load %a[d0, d1] : tensor<4096x32768xbf16> -> bf16
    %f = arith.extf %v : bf16 to f32
    %m = loop.reduce max %f over [1] : f32
    %d = arith.subf %f, %m : f32
    %e = math.exp %d : f32
    %s = loop.reduce sum %e over [1] : f32
    %q = arith.divf %e, %s : f32
    %r = arith.truncf %q : f32 to bf16
    loop.store %r, 0 [d0, d1] : bf16
  }
  wrapper.yield %0 : tensor<4096x32768xbf16>
}

// Loops over rows that take an exponential of each element have few threads, which wait for each other less often.
// CHECK-LABEL: wrapper.kernel @log_sum_exp(
// CHECK: vector_dim = 1, vector_width = 8, threads_r = 128, items_r = 2, min_blocks = 8, index_bits = 32>
wrapper.kernel @log_sum_exp(%x: tensor<4096x65536xbf16>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[65536, 1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "lse" [4096, 65536] (%a = %x) : (tensor<4096x65536xbf16>) -> tensor<4096xf32> {
    %v = loop.load %a[d0, d1] : tensor<4096x65536xbf16> -> bf16
    %f = arith.extf %v : bf16 to f32
    %m = loop.reduce max %f over [1] : f32
    %d = arith.subf %f, %m : f32
    %e = math.exp %d : f32
    %s = loop.reduce sum %e over [1] : f32
    %l = math.log %s : f32
    %r = arith.addf %l, %m : f32
    loop.store %r, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4096xf32>
}

// An element that each row looks up changes nothing in how rows are read.
// CHECK-LABEL: wrapper.kernel @picked(
// CHECK: vector_dim = 1, vector_width = 8, threads_r = 128, items_r = 2, min_blocks = 8, index_bits = 32>
wrapper.kernel @picked(%x: tensor<4096x65536xbf16>, %t: tensor<4096xi64>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[65536, 1]>, #sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "picked" [4096, 65536] (%a = %x, %b = %t) : (tensor<4096x65536xbf16>, tensor<4096xi64>) -> tensor<4096xf32> {
    %i = loop.load %b[d0] : tensor<4096xi64> -> i64
    %p = loop.load %a[d0, t0](%i) bounds check : tensor<4096x65536xbf16> -> bf16
    %g = arith.extf %p : bf16 to f32
    %v = loop.load %a[d0, d1] : tensor<4096x65536xbf16> -> bf16
    %f = arith.extf %v : bf16 to f32
    %m = loop.reduce max %f over [1] : f32
    %d = arith.subf %f, %m : f32
    %e = math.exp %d : f32
    %s = loop.reduce sum %e over [1] : f32
    %l = math.log %s : f32
    %r = arith.addf %l, %m : f32
    %q = arith.subf %r, %g : f32
    loop.store %q, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4096xf32>
}

// Parts of five tensors need more registers than four such blocks leave.
// CHECK-LABEL: wrapper.kernel @normalize_many(
// CHECK: vector_dim = 1, vector_width = 4, threads_r = 512, items_r = 2, persistent = true, min_blocks = 3, index_bits = 32>
wrapper.kernel @normalize_many(%x: tensor<16384x4096xf32>, %y: tensor<16384x4096xf32>, %z: tensor<16384x4096xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[4096, 1]>, #sym.shape<[4096, 1]>, #sym.shape<[4096, 1]>], output_strides = [#sym.shape<[4096, 1]>, #sym.shape<[4096, 1]>], symbols = []} {
  %0:2 = loop.kernel "normalize" [16384, 4096] (%a = %x, %b = %y, %c = %z) : (tensor<16384x4096xf32>, tensor<16384x4096xf32>, tensor<16384x4096xf32>) -> (tensor<16384x4096xf32>, tensor<16384x4096xf32>) {
    %v = loop.load %a[d0, d1] : tensor<16384x4096xf32> -> f32
    %w = loop.load %b[d0, d1] : tensor<16384x4096xf32> -> f32
    %u = loop.load %c[d0, d1] : tensor<16384x4096xf32> -> f32
    %h = arith.addf %v, %w : f32
    %k = arith.mulf %h, %u : f32
    %s = loop.reduce sum %k over [1] : f32
    %d = arith.divf %k, %s : f32
    loop.store %d, 0 [d0, d1] : f32
    loop.store %k, 1 [d0, d1] : f32
  }
  wrapper.yield %0#0, %0#1 : tensor<16384x4096xf32>, tensor<16384x4096xf32>
}

// Columns of one tensor, whose sums leave room for four blocks; two take more
// registers than that.
// CHECK-LABEL: wrapper.kernel @middle(
// CHECK: vector_dim = 2, vector_width = 4, threads_p = 32, threads_r = 8, items_r = 4, min_blocks = 4, index_bits = 32>
// CHECK-LABEL: wrapper.kernel @middle_of_product(
// CHECK: vector_dim = 2, vector_width = 4, threads_p = 32, threads_r = 8, items_r = 4, index_bits = 32>
wrapper.kernel @middle(%x: tensor<512x512x1024xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[524288, 1024, 1]>], output_strides = [#sym.shape<[1024, 1]>], symbols = []} {
  %0 = loop.kernel "sum" [512, 512, 1024] (%a = %x) : (tensor<512x512x1024xf32>) -> tensor<512x1024xf32> {
    %v = loop.load %a[d0, d1, d2] : tensor<512x512x1024xf32> -> f32
    %s = loop.reduce sum %v over [1] : f32
    loop.store %s, 0 [d0, d2] : f32
  }
  wrapper.yield %0 : tensor<512x1024xf32>
}
wrapper.kernel @middle_of_product(%x: tensor<512x512x1024xf32>, %y: tensor<512x512x1024xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[524288, 1024, 1]>, #sym.shape<[524288, 1024, 1]>], output_strides = [#sym.shape<[1024, 1]>], symbols = []} {
  %0 = loop.kernel "sum" [512, 512, 1024] (%a = %x, %b = %y) : (tensor<512x512x1024xf32>, tensor<512x512x1024xf32>) -> tensor<512x1024xf32> {
    %v = loop.load %a[d0, d1, d2] : tensor<512x512x1024xf32> -> f32
    %w = loop.load %b[d0, d1, d2] : tensor<512x512x1024xf32> -> f32
    %p = arith.mulf %v, %w : f32
    %s = loop.reduce sum %p over [1] : f32
    loop.store %s, 0 [d0, d2] : f32
  }
  wrapper.yield %0 : tensor<512x1024xf32>
}

// Three vectors for each of 256 threads: 512 would have one and a half.
// CHECK-LABEL: wrapper.kernel @normalize_three(
// CHECK: vector_dim = 1, vector_width = 4, threads_r = 256, items_r = 3, persistent = true, min_blocks = 6, index_bits = 32>
wrapper.kernel @normalize_three(%x: tensor<16384x3072xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[3072, 1]>], output_strides = [#sym.shape<[3072, 1]>], symbols = []} {
  %0 = loop.kernel "normalize" [16384, 3072] (%a = %x) : (tensor<16384x3072xf32>) -> tensor<16384x3072xf32> {
    %v = loop.load %a[d0, d1] : tensor<16384x3072xf32> -> f32
    %s = loop.reduce sum %v over [1] : f32
    %d = arith.divf %v, %s : f32
    loop.store %d, 0 [d0, d1] : f32
  }
  wrapper.yield %0 : tensor<16384x3072xf32>
}

// A long sum of bf16 takes four vectors to a step, a block on each processor of long columns two.
// CHECK-LABEL: wrapper.kernel @long_sum(
// CHECK: vector_dim = 0, vector_width = 8, threads_r = 256, items_r = 4, min_blocks = 4, index_bits = 32>
wrapper.kernel @long_sum(%x: tensor<1048576x512xbf16>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1, 1048576]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "sum" [1048576, 512] (%a = %x) : (tensor<1048576x512xbf16>) -> tensor<512xf32> {
    %v = loop.load %a[d0, d1] : tensor<1048576x512xbf16> -> bf16
    %w = arith.extf %v : bf16 to f32
    %s = loop.reduce sum %w over [0] : f32
    loop.store %s, 0 [d1] : f32
  }
  wrapper.yield %0 : tensor<512xf32>
}

// CHECK-LABEL: wrapper.kernel @long_columns(
// CHECK: vector_dim = 1, vector_width = 4, threads_p = 32, threads_r = 32, items_r = 2, index_bits = 32>
wrapper.kernel @long_columns(%x: tensor<16384x16384xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[16384, 1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "sum" [16384, 16384] (%a = %x) : (tensor<16384x16384xf32>) -> tensor<16384xf32> {
    %v = loop.load %a[d0, d1] : tensor<16384x16384xf32> -> f32
    %s = loop.reduce sum %v over [0] : f32
    loop.store %s, 0 [d1] : f32
  }
  wrapper.yield %0 : tensor<16384xf32>
}

// Samples of different numbers of values: threads tell each other how many, so
// that shared memory has room for half of them.
// CHECK-LABEL: wrapper.kernel @welford_of_samples
// CHECK: vector_dim = 1, vector_width = 4, threads_p = 32, threads_r = 16,
wrapper.kernel @welford_of_samples(%x: tensor<579x32768xf32>, %c: tensor<579x32768xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[32768, 1]>, #sym.shape<[32768, 1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "welford" [579, 32768] (%a = %x, %b = %c) : (tensor<579x32768xf32>, tensor<579x32768xf32>) -> tensor<32768xf32> {
    %1 = loop.load %a[d0, d1] : tensor<579x32768xf32> -> f32
    %2 = loop.load %b[d0, d1] : tensor<579x32768xf32> -> f32
    %zero = arith.constant 0.0 : f32
    %mean, %m2, %count = loop.welford %1, %zero, %2 over [0] : f32
    loop.store %m2, 0[d1] : f32
  }
  wrapper.yield %0 : tensor<32768xf32>
}
