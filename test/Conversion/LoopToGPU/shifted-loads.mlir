// RUN: coil-opt %s --convert-loop-to-gpu --canonicalize --split-input-file | FileCheck %s

// Two operands that begin anywhere: both load the aligned vectors around their elements before either is shifted, in one
// branch; at the ends of a buffer elements are loaded one by one.
// CHECK-LABEL: gpu.func @together
// CHECK:         scf.if %{{.+}} -> (vector<4xf32>, vector<4xf32>)
// CHECK-COUNT-4:   llvm.load {{.*}} {alignment = 16 : i64{{.*}}} : !llvm.ptr<1> -> vector<4xi32>
// CHECK-NOT:       scf.if
// CHECK:           arith.select
// CHECK-NOT:       scf.if
// CHECK:         } else {
// CHECK-NOT:       vector<4xi32>
// CHECK:           llvm.load {{.*}} {alignment = 4 : i64
wrapper.kernel @together(%x: tensor<65536xf32>, %y: tensor<65536xf32>) attributes {alignment = array<i64: 4, 4>, device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1]>, #sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "add" [65536] (%a = %x, %b = %y) : (tensor<65536xf32>, tensor<65536xf32>) -> tensor<65536xf32> schedule #loop.gpu_schedule<vector_dim = 0, vector_width = 4, threads_p = 128, index_bits = 32> {
    %u = loop.load %a[d0] : tensor<65536xf32> -> f32
    %v = loop.load %b[d0] : tensor<65536xf32> -> f32
    %w = arith.addf %u, %v : f32
    loop.store %w, 0[d0] : f32
  }
  wrapper.yield %0 : tensor<65536xf32>
}

// -----

// One by itself takes its four pieces: it would have a branch for nothing.
// CHECK-LABEL: gpu.func @alone
// CHECK-NOT:     vector<4xi32>
// CHECK:         gpu.return
wrapper.kernel @alone(%x: tensor<65536xf32>) attributes {alignment = array<i64: 4>, device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "neg" [65536] (%a = %x) : (tensor<65536xf32>) -> tensor<65536xf32> schedule #loop.gpu_schedule<vector_dim = 0, vector_width = 4, threads_p = 128, index_bits = 32> {
    %u = loop.load %a[d0] : tensor<65536xf32> -> f32
    %w = arith.negf %u : f32
    loop.store %w, 0[d0] : f32
  }
  wrapper.yield %0 : tensor<65536xf32>
}

// -----

// Nor does a block so large that its threads have no registers for two.
// CHECK-LABEL: gpu.func @no_registers
// CHECK-NOT:     vector<4xi32>
// CHECK:         gpu.return
wrapper.kernel @no_registers(%x: tensor<65536xf32>, %y: tensor<65536xf32>) attributes {alignment = array<i64: 4, 4>, device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1]>, #sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "add" [65536] (%a = %x, %b = %y) : (tensor<65536xf32>, tensor<65536xf32>) -> tensor<65536xf32> schedule #loop.gpu_schedule<vector_dim = 0, vector_width = 4, threads_p = 1024, min_blocks = 2, index_bits = 32> {
    %u = loop.load %a[d0] : tensor<65536xf32> -> f32
    %v = loop.load %b[d0] : tensor<65536xf32> -> f32
    %w = arith.addf %u, %v : f32
    loop.store %w, 0[d0] : f32
  }
  wrapper.yield %0 : tensor<65536xf32>
}

// -----

// Another thread may write beside the elements of what is overwritten.
// CHECK-LABEL: gpu.func @in_place
// CHECK-NOT:     vector<4xi32>
// CHECK:         gpu.return
wrapper.kernel @in_place(%x: tensor<65536xf32>, %y: tensor<65536xf32>) attributes {alignment = array<i64: 4, 4>, in_place = array<i64: 0, 0, 1, 0>, device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1]>, #sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "add" [65536] (%a = %x, %b = %y) : (tensor<65536xf32>, tensor<65536xf32>) -> tensor<65536xf32> schedule #loop.gpu_schedule<vector_dim = 0, vector_width = 4, threads_p = 128, index_bits = 32> {
    %u = loop.load %a[d0] : tensor<65536xf32> -> f32
    %v = loop.load %b[d0] : tensor<65536xf32> -> f32
    %w = arith.addf %u, %v : f32
    loop.store %w, 0[d0] : f32
  }
  wrapper.yield %0 : tensor<65536xf32>
}
