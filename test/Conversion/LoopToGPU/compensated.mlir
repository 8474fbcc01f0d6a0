// Sums and products of long rows: a number, and what rounding takes from it.

// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper.kernel(convert-loop-to-gpu,canonicalize,cse))' --split-input-file | FileCheck %s

// What a step has is added pairwise, two vectors lane by lane and then their
// lanes, and the result goes into one compensated sum.
// CHECK-LABEL: gpu.func @sum
// CHECK:         %[[T:.+]]:2 = scf.for {{.+}} iter_args(%[[SUM:.+]] = %{{.+}}, %[[LOST:.+]] = %{{.+}}) -> (f32, f32)
// CHECK:           %[[A:.+]] = llvm.load %{{.+}} -> vector<4xf32>
// CHECK:           %[[B:.+]] = llvm.load %{{.+}} -> vector<4xf32>
// CHECK:           arith.addf %[[A]], %[[B]] : vector<4xf32>
// CHECK-COUNT-3:   arith.addf {{.+}} : f32
// CHECK:           %[[NEXT:.+]] = arith.addf %[[SUM]], %{{.+}} : f32
// CHECK:           %[[ADDED:.+]] = arith.subf %[[NEXT]], %[[SUM]]
// CHECK:           arith.subf %[[NEXT]], %[[ADDED]]
// CHECK:           %[[MORE:.+]] = arith.addf %[[LOST]], %{{.+}}
// CHECK:           scf.yield %[[NEXT]], %[[MORE]]
// CHECK:         arith.addf %[[T]]#0, %[[T]]#1
// CHECK:         nvvm.shfl.sync
wrapper.kernel @sum(%x: tensor<512x65536xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[65536, 1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "sum" [512, 65536] (%a = %x) : (tensor<512x65536xf32>) -> tensor<512xf32> schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 4, threads_r = 256, items_r = 2, index_bits = 32> {
    %v = loop.load %a[d0, d1] : tensor<512x65536xf32> -> f32
    %s = loop.reduce sum %v over [1] : f32
    loop.store %s, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<512xf32>
}

// -----

// A contraction reads less than an element for each product: no time for it.
// CHECK-LABEL: gpu.func @contraction
// CHECK:         scf.for
// CHECK-NOT:     arith.subf
// CHECK:         gpu.return
wrapper.kernel @contraction(%x: tensor<512x4096xf32>, %y: tensor<512x4096xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[4096, 1]>, #sym.shape<[4096, 1]>], output_strides = [#sym.shape<[512, 1]>], symbols = []} {
  %0 = loop.kernel "matmul" [512, 512, 4096] (%a = %x, %b = %y) : (tensor<512x4096xf32>, tensor<512x4096xf32>) -> tensor<512x512xf32> schedule #loop.gpu_schedule<vector_dim = 2, vector_width = 4, threads_r = 256, index_bits = 32> {
    %v = loop.load %a[d0, d2] : tensor<512x4096xf32> -> f32
    %w = loop.load %b[d1, d2] : tensor<512x4096xf32> -> f32
    %p = arith.mulf %v, %w : f32
    %s = loop.reduce sum %p over [2] : f32
    loop.store %s, 0 [d0, d1] : f32
  }
  wrapper.yield %0 : tensor<512x512xf32>
}

// -----

// Threads tell each other what their products have lost.
// CHECK-LABEL: gpu.func @product
// CHECK:         %[[V:.+]] = llvm.load
// CHECK:         %[[P:.+]] = arith.mulf
// CHECK:         %[[M:.+]] = arith.negf %[[P]]
// CHECK:         math.fma %{{.+}}, %{{.+}}, %[[M]]
// CHECK-COUNT-10: nvvm.shfl.sync
// CHECK-NOT:     nvvm.shfl.sync
wrapper.kernel @product(%x: tensor<512x128xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[128, 1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "prod" [512, 128] (%a = %x) : (tensor<512x128xf32>) -> tensor<512xf32> schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 4, threads_p = 2, threads_r = 32, persistent = true, index_bits = 32> {
    %v = loop.load %a[d0, d1] : tensor<512x128xf32> -> f32
    %s = loop.reduce prod %v over [1] : f32
    loop.store %s, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<512xf32>
}
