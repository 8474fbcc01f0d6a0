// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper.kernel(convert-loop-to-gpu,canonicalize,cse))' --split-input-file | FileCheck %s

// The last of 100 chunks of a row ends before the others. Whole vectors before
// the limit are summed as if there were none, the one that it cuts under the
// mask, and nothing behind it.
// CHECK-LABEL: gpu.func @chunks
// CHECK:         arith.minsi
// CHECK:         %[[MAIN:.+]] = scf.for
// CHECK-NOT:       arith.select
// CHECK:           scf.yield
// CHECK:         %[[REST:.+]] = scf.for
// CHECK-NOT:       arith.select
// CHECK:           scf.yield
// CHECK:         scf.for
// CHECK:           arith.select
// CHECK:           scf.yield
// CHECK-NOT:     scf.for
wrapper.kernel @chunks(%x: tensor<3x100004xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[100004, 1]>], output_strides = [#sym.shape<[100, 1]>], symbols = []} {
  %0 = loop.kernel "chunks" [3, 1024, 100] (%a = %x) : (tensor<3x100004xf32>) -> tensor<3x100xf32> schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 4, threads_r = 128, items_r = 2, index_bits = 32> {
    %i = loop.index <d1 + d2 * 1024>
    %n = loop.index <100001>
    %in = arith.cmpi slt, %i, %n : i64
    %z = arith.constant 0.0 : f32
    %v = loop.load %a[d0, d1 + d2 * 1024] mask %in else %z : f32 : tensor<3x100004xf32> -> f32
    %e = arith.mulf %v, %v : f32
    %w = arith.select %in, %e, %z : f32
    %s = loop.reduce sum %w over [1] : f32
    loop.store %s, 0[d0, d2] : f32
  }
  wrapper.yield %0 : tensor<3x100xf32>
}

// -----

// What is outside counts, here as ones: all points are taken.
// CHECK-LABEL: gpu.func @counted
// CHECK-NOT:     arith.minsi
// CHECK:         scf.for
// CHECK:           arith.select
wrapper.kernel @counted(%x: tensor<3x100004xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[100004, 1]>], output_strides = [#sym.shape<[100, 1]>], symbols = []} {
  %0 = loop.kernel "chunks" [3, 1024, 100] (%a = %x) : (tensor<3x100004xf32>) -> tensor<3x100xf32> schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 4, threads_r = 128, items_r = 2, index_bits = 32> {
    %i = loop.index <d1 + d2 * 1024>
    %n = loop.index <100001>
    %in = arith.cmpi slt, %i, %n : i64
    %z = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %v = loop.load %a[d0, d1 + d2 * 1024] mask %in else %z : f32 : tensor<3x100004xf32> -> f32
    %w = arith.select %in, %v, %one : f32
    %s = loop.reduce sum %w over [1] : f32
    loop.store %s, 0[d0, d2] : f32
  }
  wrapper.yield %0 : tensor<3x100xf32>
}
