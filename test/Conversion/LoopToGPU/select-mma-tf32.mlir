// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper.kernel(loop-select-gpu-schedule))' | FileCheck %s
// RUN: coil-opt %s --pass-pipeline='builtin.module(target-attach{target=cuda:sm_90a},wrapper.kernel(loop-select-gpu-schedule))' | FileCheck %s
// RUN: coil-opt %s --pass-pipeline='builtin.module(target-attach{target=cuda:sm_75@multiprocessors=132},wrapper.kernel(loop-select-gpu-schedule))' | FileCheck %s --check-prefix=OLD

// Sums that allow it are computed by tensor cores with TF32; chips that have none
// multiply in f32.
// CHECK: mma = <instruction = m16n8k8, m = 128, n = 256, k = 32, warps_m = 2, warps_n = 4, stages = 4, async = true, group = 8>
// OLD: mma = <m = 128, n = 64, k = 16,
wrapper.kernel @allowed(%x: tensor<4096x4096xf32>, %w: tensor<4096x4096xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[4096, 1]>, #sym.shape<[4096, 1]>], output_strides = [#sym.shape<[4096, 1]>], symbols = []} {
  %0 = loop.kernel "allowed" [4096, 4096, 4096] (%a = %x, %b = %w) : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
    %1 = loop.load %a[d0, d2] : tensor<4096x4096xf32> -> f32
    %2 = loop.load %b[d2, d1] : tensor<4096x4096xf32> -> f32
    %3 = arith.mulf %1, %2 : f32
    %4 = loop.reduce sum %3 over [2] tf32 : f32
    loop.store %4, 0[d0, d1] : f32
  }
  wrapper.yield %0 : tensor<4096x4096xf32>
}

// CHECK-LABEL: @exact
// CHECK: mma = <m = 128, n = 128, k = 16,
wrapper.kernel @exact(%x: tensor<4096x4096xf32>, %w: tensor<4096x4096xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[4096, 1]>, #sym.shape<[4096, 1]>], output_strides = [#sym.shape<[4096, 1]>], symbols = []} {
  %0 = loop.kernel "exact" [4096, 4096, 4096] (%a = %x, %b = %w) : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
    %1 = loop.load %a[d0, d2] : tensor<4096x4096xf32> -> f32
    %2 = loop.load %b[d2, d1] : tensor<4096x4096xf32> -> f32
    %3 = arith.mulf %1, %2 : f32
    %4 = loop.reduce sum %3 over [2] : f32
    loop.store %4, 0[d0, d1] : f32
  }
  wrapper.yield %0 : tensor<4096x4096xf32>
}

// A factor that is computed goes through registers, which leaves room for less.
// CHECK-LABEL: @computed
// CHECK: mma = <instruction = m16n8k8, m = 128, n = 128, k = 16,
wrapper.kernel @computed(%x: tensor<4096x4096xf32>, %w: tensor<4096x4096xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[4096, 1]>, #sym.shape<[4096, 1]>], output_strides = [#sym.shape<[4096, 1]>], symbols = []} {
  %0 = loop.kernel "computed" [4096, 4096, 4096] (%a = %x, %b = %w) : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
    %1 = loop.load %a[d0, d2] : tensor<4096x4096xf32> -> f32
    %2 = loop.load %b[d2, d1] : tensor<4096x4096xf32> -> f32
    %5 = math.absf %1 : f32
    %3 = arith.mulf %5, %2 : f32
    %4 = loop.reduce sum %3 over [2] tf32 : f32
    loop.store %4, 0[d0, d1] : f32
  }
  wrapper.yield %0 : tensor<4096x4096xf32>
}
