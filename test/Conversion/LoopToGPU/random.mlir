// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper.kernel(convert-loop-to-gpu,canonicalize,cse))' | FileCheck %s

// Eight lanes are two groups of four words: the generator runs twice, twenty
// products each, of which the counter's first is the same.
// CHECK-LABEL: gpu.func @shared
// CHECK-COUNT-39: arith.mului_extended
// CHECK-NOT:   arith.mului_extended
// CHECK-NOT:   arith.select
// CHECK:       gpu.return
wrapper.kernel @shared(%s: tensor<2xi64>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "random" [65536] (%a = %s) : (tensor<2xi64>) -> tensor<65536xi32> schedule #loop.gpu_schedule<vector_dim = 0, vector_width = 8, threads_p = 256, index_bits = 32> {
    %k = loop.load %a[0] : tensor<2xi64> -> i64
    %c = loop.load %a[1] : tensor<2xi64> -> i64
    %w = loop.index <d0>
    %r = loop.philox %k, %c, %w
    loop.store %r, 0 [d0] : i32
  }
  wrapper.yield %0 : tensor<65536xi32>
}

// Lanes of different streams share nothing, and each picks its word.
// CHECK-LABEL: gpu.func @apart
// CHECK-COUNT-39: arith.mului_extended
// CHECK-NOT:   arith.mului_extended
// CHECK:       gpu.return
wrapper.kernel @apart(%s: tensor<2xi64>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "random" [65536] (%a = %s) : (tensor<2xi64>) -> tensor<65536xi32> schedule #loop.gpu_schedule<vector_dim = 0, vector_width = 2, threads_p = 256, index_bits = 32> {
    %k = loop.load %a[0] : tensor<2xi64> -> i64
    %c = loop.load %a[1] : tensor<2xi64> -> i64
    %w = loop.index <d0 * 4 + d0 floordiv 16384>
    %r = loop.philox %k, %c, %w
    loop.store %r, 0 [d0] : i32
  }
  wrapper.yield %0 : tensor<65536xi32>
}
