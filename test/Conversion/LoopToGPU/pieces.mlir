// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper.kernel(convert-loop-to-gpu,canonicalize,cse))' --split-input-file | FileCheck %s

// Vectors across the ends of rows: what is the same for a row is loaded and
// computed for the row of the first lane and for that of the last one.
// CHECK-LABEL: gpu.func @two_rows
// CHECK-COUNT-2: llvm.load %{{.+}} : !llvm.ptr<1> -> f32
// CHECK-NOT:     llvm.load {{.*}} -> f32
// CHECK-COUNT-2: math.exp %{{.+}} : f32
// CHECK-NOT:     math.exp
// CHECK-COUNT-3: arith.select
// CHECK:         arith.mulf %{{.+}}, %{{.+}} : vector<4xf32>
// CHECK:         llvm.store %{{.+}} {alignment = 16 : i64} : vector<4xf32>
wrapper.kernel @two_rows(%x: tensor<64x1001xf32>, %s: tensor<64xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1001, 1]>, #sym.shape<[1]>], output_strides = [#sym.shape<[1001, 1]>], symbols = []} {
  %0 = loop.kernel "scale" [64064] (%a = %x, %b = %s) : (tensor<64x1001xf32>, tensor<64xf32>) -> tensor<64x1001xf32> schedule #loop.gpu_schedule<vector_dim = 0, vector_width = 4, threads_p = 128, index_bits = 32> {
    %u = loop.load %a[d0 floordiv 1001, d0 mod 1001] : tensor<64x1001xf32> -> f32
    %v = loop.load %b[d0 floordiv 1001] : tensor<64xf32> -> f32
    %e = math.exp %v : f32
    %w = arith.mulf %u, %e : f32
    loop.store %w, 0[d0 floordiv 1001, d0 mod 1001] : f32
  }
  wrapper.yield %0 : tensor<64x1001xf32>
}

// -----

// An operand with an element for each column: addresses of the lanes follow from
// the first and the last one, without a remainder for each.
// CHECK-LABEL: gpu.func @columns
// CHECK-COUNT-4: llvm.load %{{.+}} : !llvm.ptr<1> -> f32
// CHECK-NOT:     llvm.load
// CHECK:         gpu.return
wrapper.kernel @columns(%s: tensor<1001xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1001, 1]>], symbols = []} {
  %0 = loop.kernel "columns" [64064] (%b = %s) : (tensor<1001xf32>) -> tensor<64x1001xf32> schedule #loop.gpu_schedule<vector_dim = 0, vector_width = 4, threads_p = 128, index_bits = 32> {
    %v = loop.load %b[d0 mod 1001] : tensor<1001xf32> -> f32
    %w = arith.negf %v : f32
    loop.store %w, 0[d0 floordiv 1001, d0 mod 1001] : f32
  }
  wrapper.yield %0 : tensor<64x1001xf32>
}
