// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper.kernel(loop-select-gpu-schedule))' | FileCheck %s
// RUN: coil-opt %s --pass-pipeline='builtin.module(target-attach{target=cuda:sm_75@multiprocessors=132},wrapper.kernel(loop-select-gpu-schedule))' | FileCheck %s --check-prefix=OLD
// RUN: coil-opt %s --pass-pipeline='builtin.module(target-attach{target=cuda:sm_90a},wrapper.kernel(loop-select-gpu-schedule))' | FileCheck %s --check-prefix=GROUP

// The tile with the fewest loads for each product where there are blocks for
// all processors. A chip without the instructions multiplies in f32.
// CHECK-LABEL: wrapper.kernel @large
// CHECK: schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 8, threads_p = 256, items_p = 4, index_bits = 32, mma = <instruction = m16n8k16, m = 128, n = 256, k = 64, warps_m = 2, warps_n = 4, stages = 4, async = true, group = 8>>
// GROUP-LABEL: wrapper.kernel @large
// GROUP: threads_p = 256, items_p = 4, index_bits = 32, mma = <instruction = wgmma, m = 128, n = 128, k = 64, warps_m = 8, stages = 3, async = true, group = 8>>
// OLD-LABEL: wrapper.kernel @large
// OLD: schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 8, threads_p = 256, items_p = 4, {{.*}}index_bits = 32, mma = <m = {{[0-9]+}}, n = {{[0-9]+}}, k = 16, {{.*}}group = 8>>
wrapper.kernel @large(%x: tensor<8192x4096xbf16>, %w: tensor<16384x4096xbf16>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[4096, 1]>, #sym.shape<[4096, 1]>], output_strides = [#sym.shape<[16384, 1]>], symbols = []} {
  %0 = loop.kernel "large" [8192, 16384, 4096] (%a = %x, %b = %w) : (tensor<8192x4096xbf16>, tensor<16384x4096xbf16>) -> tensor<8192x16384xbf16> {
    %1 = loop.load %a[d0, d2] : tensor<8192x4096xbf16> -> bf16
    %2 = loop.load %b[d1, d2] : tensor<16384x4096xbf16> -> bf16
    %3 = arith.extf %1 : bf16 to f32
    %4 = arith.extf %2 : bf16 to f32
    %5 = arith.mulf %3, %4 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    %7 = arith.truncf %6 : f32 to bf16
    loop.store %7, 0[d0, d1] : bf16
  }
  wrapper.yield %0 : tensor<8192x16384xbf16>
}

// Few results: small tiles keep more processors busy.
// GROUP-LABEL: wrapper.kernel @small
// GROUP: mma = <instruction = m16n8k16, m = 32, n = 64,
// CHECK-LABEL: wrapper.kernel @small
// CHECK: schedule #loop.gpu_schedule<strategy = mma, {{.*}}mma = <instruction = m16n8k16, m = 32, n = 64,
wrapper.kernel @small(%x: tensor<512x1024xf16>, %w: tensor<1024x512xf16>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1024, 1]>, #sym.shape<[512, 1]>], output_strides = [#sym.shape<[512, 1]>], symbols = []} {
  %0 = loop.kernel "small" [512, 512, 1024] (%a = %x, %b = %w) : (tensor<512x1024xf16>, tensor<1024x512xf16>) -> tensor<512x512xf32> {
    %1 = loop.load %a[d0, d2] : tensor<512x1024xf16> -> f16
    %2 = loop.load %b[d2, d1] : tensor<1024x512xf16> -> f16
    %3 = arith.extf %1 : f16 to f32
    %4 = arith.extf %2 : f16 to f32
    %5 = arith.mulf %3, %4 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    loop.store %6, 0[d0, d1] : f32
  }
  wrapper.yield %0 : tensor<512x512xf32>
}

// Results in columns are rows of the transposed product.
// CHECK-LABEL: wrapper.kernel @transposed_result
// CHECK: schedule #loop.gpu_schedule<strategy = mma, vector_dim = 0, vector_width = 4,
wrapper.kernel @transposed_result(%x: tensor<512x1024xf16>, %w: tensor<512x1024xf16>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1024, 1]>, #sym.shape<[1024, 1]>], output_strides = [#sym.shape<[512, 1]>], symbols = []} {
  %0 = loop.kernel "transposed_result" [512, 512, 1024] (%a = %x, %b = %w) : (tensor<512x1024xf16>, tensor<512x1024xf16>) -> tensor<512x512xf32> {
    %1 = loop.load %a[d0, d2] : tensor<512x1024xf16> -> f16
    %2 = loop.load %b[d1, d2] : tensor<512x1024xf16> -> f16
    %3 = arith.extf %1 : f16 to f32
    %4 = arith.extf %2 : f16 to f32
    %5 = arith.mulf %3, %4 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    loop.store %6, 0[d1, d0] : f32
  }
  wrapper.yield %0 : tensor<512x512xf32>
}

// Rows at odd addresses pass through registers, whose room is shared.
// CHECK-LABEL: wrapper.kernel @odd
// CHECK: schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, threads_p = 256, items_p = 4, index_bits = 32, mma = <instruction = m16n8k16, m = 128, n = 128, k = 32, warps_m = 2, warps_n = 4, group = 8>>
wrapper.kernel @odd(%x: tensor<4097x4095xbf16>, %w: tensor<4099x4095xbf16>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[4095, 1]>, #sym.shape<[4095, 1]>], output_strides = [#sym.shape<[4099, 1]>], symbols = []} {
  %0 = loop.kernel "odd" [4097, 4099, 4095] (%a = %x, %b = %w) : (tensor<4097x4095xbf16>, tensor<4099x4095xbf16>) -> tensor<4097x4099xf32> {
    %1 = loop.load %a[d0, d2] : tensor<4097x4095xbf16> -> bf16
    %2 = loop.load %b[d1, d2] : tensor<4099x4095xbf16> -> bf16
    %3 = arith.extf %1 : bf16 to f32
    %4 = arith.extf %2 : bf16 to f32
    %5 = arith.mulf %3, %4 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    loop.store %6, 0[d0, d1] : f32
  }
  wrapper.yield %0 : tensor<4097x4099xf32>
}

// f32 has no tensor cores that are as exact.
// CHECK-LABEL: wrapper.kernel @single
// CHECK: schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 4, threads_p = 256, items_p = 4, index_bits = 32, mma = <m = 128, n = 128, k = 16, warps_m = 4, warps_n = 2, stages = 4, async = true, group = 8>>
wrapper.kernel @single(%x: tensor<4096x4096xf32>, %w: tensor<4096x4096xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[4096, 1]>, #sym.shape<[4096, 1]>], output_strides = [#sym.shape<[4096, 1]>], symbols = []} {
  %0 = loop.kernel "single" [4096, 4096, 4096] (%a = %x, %b = %w) : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
    %1 = loop.load %a[d0, d2] : tensor<4096x4096xf32> -> f32
    %2 = loop.load %b[d1, d2] : tensor<4096x4096xf32> -> f32
    %5 = arith.mulf %1, %2 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    loop.store %6, 0[d0, d1] : f32
  }
  wrapper.yield %0 : tensor<4096x4096xf32>
}

// f64 does.
// CHECK-LABEL: wrapper.kernel @double
// CHECK: schedule #loop.gpu_schedule<strategy = mma, vector_dim = 1, vector_width = 2, threads_p = 256, items_p = 4, index_bits = 32, mma = <instruction = m8n8k4, m = 128, n = 64, k = 16, warps_m = 4, warps_n = 2,
wrapper.kernel @double(%x: tensor<4096x4096xf64>, %w: tensor<4096x4096xf64>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[4096, 1]>, #sym.shape<[4096, 1]>], output_strides = [#sym.shape<[4096, 1]>], symbols = []} {
  %0 = loop.kernel "double" [4096, 4096, 4096] (%a = %x, %b = %w) : (tensor<4096x4096xf64>, tensor<4096x4096xf64>) -> tensor<4096x4096xf64> {
    %1 = loop.load %a[d0, d2] : tensor<4096x4096xf64> -> f64
    %2 = loop.load %b[d1, d2] : tensor<4096x4096xf64> -> f64
    %5 = arith.mulf %1, %2 : f64
    %6 = loop.reduce sum %5 over [2] : f64
    loop.store %6, 0[d0, d1] : f64
  }
  wrapper.yield %0 : tensor<4096x4096xf64>
}

// A sum of products of different types is one of f32.
// CHECK-LABEL: wrapper.kernel @mixed
// CHECK: schedule #loop.gpu_schedule<strategy = mma, {{.*}}mma = <m =
wrapper.kernel @mixed(%x: tensor<512x512xbf16>, %w: tensor<512x512xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[512, 1]>, #sym.shape<[512, 1]>], output_strides = [#sym.shape<[512, 1]>], symbols = []} {
  %0 = loop.kernel "mixed" [512, 512, 512] (%a = %x, %b = %w) : (tensor<512x512xbf16>, tensor<512x512xf32>) -> tensor<512x512xf32> {
    %1 = loop.load %a[d0, d2] : tensor<512x512xbf16> -> bf16
    %2 = loop.load %b[d1, d2] : tensor<512x512xf32> -> f32
    %3 = arith.extf %1 : bf16 to f32
    %5 = arith.mulf %3, %2 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    loop.store %6, 0[d0, d1] : f32
  }
  wrapper.yield %0 : tensor<512x512xf32>
}

// Few rows, or little to sum, is no work for tiles.
// CHECK-LABEL: wrapper.kernel @vector
// CHECK: schedule #loop.gpu_schedule<vector_dim = 2, vector_width = 8,
wrapper.kernel @vector(%x: tensor<1x4096xbf16>, %w: tensor<4096x4096xbf16>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[4096, 1]>, #sym.shape<[4096, 1]>], output_strides = [#sym.shape<[4096, 1]>], symbols = []} {
  %0 = loop.kernel "vector" [1, 4096, 4096] (%a = %x, %b = %w) : (tensor<1x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<1x4096xf32> {
    %1 = loop.load %a[d0, d2] : tensor<1x4096xbf16> -> bf16
    %2 = loop.load %b[d1, d2] : tensor<4096x4096xbf16> -> bf16
    %3 = arith.extf %1 : bf16 to f32
    %4 = arith.extf %2 : bf16 to f32
    %5 = arith.mulf %3, %4 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    loop.store %6, 0[d0, d1] : f32
  }
  wrapper.yield %0 : tensor<1x4096xf32>
}
