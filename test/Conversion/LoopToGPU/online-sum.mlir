// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper.kernel(convert-loop-to-gpu,canonicalize,cse))' --split-input-file | FileCheck %s

// The maximum and the sum of exponentials below it are one loop, which reads the
// row once. Minus infinity counts as zero in differences.
// CHECK-LABEL: gpu.func @log_sum_exp
// CHECK:         %[[BOTH:.+]]:2 = scf.for {{.+}} iter_args(%[[M:.+]] = %{{.+}}, %[[S:.+]] = %{{.+}}) -> (f32, f32)
// CHECK:           %[[X:.+]] = llvm.load
// CHECK-COUNT-3:   arith.maximumf
// CHECK:           %[[NEW:.+]] = arith.maximumf %[[M]]
// CHECK:           %[[NONE:.+]] = arith.cmpf oeq, %[[NEW]], %[[INF:.+]] :
// CHECK:           %[[BASE:.+]] = arith.select %[[NONE]], %{{.+}}, %[[NEW]]
// CHECK:           %[[DOWN:.+]] = arith.subf %[[M]], %[[BASE]]
// CHECK:           %[[SHRINK:.+]] = math.exp %[[DOWN]]
// CHECK:           arith.mulf %[[S]], %[[SHRINK]]
// CHECK:           %[[ALL:.+]] = vector.broadcast %[[BASE]]
// CHECK:           arith.subf %[[X]], %[[ALL]]
// CHECK:         gpu.barrier
// CHECK-NOT:     scf.for
// A row of nothing but minus infinity has no sum.
// CHECK:         arith.cmpf oeq, %[[TOTAL:.+]], %[[INF]] :
// CHECK:         arith.select
// CHECK:         math.log
// CHECK:         llvm.store
wrapper.kernel @log_sum_exp(%x: tensor<4096x131072xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[131072, 1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "lse" [4096, 131072] (%a = %x) : (tensor<4096x131072xf32>) -> tensor<4096xf32> schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 4, threads_r = 512, index_bits = 32> {
    %v = loop.load %a[d0, d1] : tensor<4096x131072xf32> -> f32
    %m = loop.reduce max %v over [1] : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d : f32
    %s = loop.reduce sum %e over [1] : f32
    %l = math.log %s : f32
    %r = arith.addf %l, %m : f32
    loop.store %r, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4096xf32>
}

// -----

// The exponential of something else waits for the maximum.
// CHECK-LABEL: gpu.func @scaled
// CHECK-COUNT-2: scf.for
wrapper.kernel @scaled(%x: tensor<4096x131072xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[131072, 1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "scaled" [4096, 131072] (%a = %x) : (tensor<4096x131072xf32>) -> tensor<4096xf32> schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 4, threads_r = 512, index_bits = 32> {
    %two = arith.constant 2.0 : f32
    %v = loop.load %a[d0, d1] : tensor<4096x131072xf32> -> f32
    %m = loop.reduce max %v over [1] : f32
    %w = arith.mulf %v, %two : f32
    %d = arith.subf %w, %m : f32
    %e = math.exp %d : f32
    %s = loop.reduce sum %e over [1] : f32
    loop.store %s, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4096xf32>
}

// -----

// Where threads keep the row, the maximum is first.
// CHECK-LABEL: gpu.func @kept
// CHECK-NOT:     scf.for
// CHECK:         gpu.barrier
// CHECK:         gpu.barrier
wrapper.kernel @kept(%x: tensor<4096x4096xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[4096, 1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "kept" [4096, 4096] (%a = %x) : (tensor<4096x4096xf32>) -> tensor<4096xf32> schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 4, threads_r = 512, items_r = 2, persistent = true, index_bits = 32> {
    %v = loop.load %a[d0, d1] : tensor<4096x4096xf32> -> f32
    %m = loop.reduce max %v over [1] : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d : f32
    %s = loop.reduce sum %e over [1] : f32
    loop.store %s, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<4096xf32>
}

// -----

// Stores wait for the values they write; no load waits behind one.
// CHECK-LABEL: gpu.func @stores_last
// CHECK:         llvm.load
// CHECK:         llvm.load
// CHECK-NOT:     llvm.load
// CHECK:         llvm.store
// CHECK:         llvm.store
wrapper.kernel @stores_last(%x: tensor<4096xf32>, %y: tensor<4096xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1]>, #sym.shape<[1]>], output_strides = [#sym.shape<[1]>, #sym.shape<[1]>], symbols = []} {
  %0:2 = loop.kernel "both" [4096] (%a = %x, %c = %y) : (tensor<4096xf32>, tensor<4096xf32>) -> (tensor<4096xf32>, tensor<4096xf32>) schedule #loop.gpu_schedule<vector_dim = 0, vector_width = 4, threads_p = 256, index_bits = 32> {
    %v = loop.load %a[d0] : tensor<4096xf32> -> f32
    %n = arith.negf %v : f32
    loop.store %n, 0 [d0] : f32
    %w = loop.load %c[d0] : tensor<4096xf32> -> f32
    %s = arith.addf %n, %w : f32
    loop.store %s, 1 [d0] : f32
  }
  wrapper.yield %0#0, %0#1 : tensor<4096xf32>, tensor<4096xf32>
}
