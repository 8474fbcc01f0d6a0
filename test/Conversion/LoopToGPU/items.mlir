// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper.kernel(convert-loop-to-gpu))' | FileCheck %s

// Functions with branches keep the assembler from computing one item before the next. Where registers do not hold what there is
// of all items at a time, they come one after the other, behind the loads of all.
// CHECK-LABEL: gpu.func @apart
// CHECK: scf.for
// CHECK-COUNT-8: llvm.load
// CHECK-NOT: llvm.load
// CHECK: math.erf
// CHECK-NOT: math.erf
// CHECK: math.tanh
// CHECK-NOT: math.tanh
// CHECK: arith.mulf
// CHECK: math.erf
// CHECK-NOT: math.erf
// CHECK: math.tanh
wrapper.kernel @apart(%x: tensor<64x65536xf64>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[65536, 1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "apart" [64, 65536] (%a = %x) : (tensor<64x65536xf64>) -> tensor<64xf64> schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 2, threads_r = 256, items_r = 8, min_blocks = 4, index_bits = 32> {
    %v = loop.load %a[d0, d1] : tensor<64x65536xf64> -> f64
    %e = math.erf %v : f64
    %t = math.tanh %v : f64
    %m = arith.mulf %e, %t : f64
    %s = loop.reduce sum %m over [1] : f64
    loop.store %s, 0[d0] : f64
  }
  wrapper.yield %0 : tensor<64xf64>
}

// There is room for all: one op of all items after the other.
// CHECK-LABEL: gpu.func @together
// CHECK: scf.for
// CHECK-COUNT-2: math.erf
// CHECK: math.tanh
wrapper.kernel @together(%x: tensor<64x65536xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[65536, 1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "together" [64, 65536] (%a = %x) : (tensor<64x65536xf32>) -> tensor<64xf32> schedule #loop.gpu_schedule<vector_dim = 1, threads_r = 256, items_r = 2, min_blocks = 4, index_bits = 32> {
    %v = loop.load %a[d0, d1] : tensor<64x65536xf32> -> f32
    %e = math.erf %v : f32
    %t = math.tanh %v : f32
    %m = arith.mulf %e, %t : f32
    %s = loop.reduce sum %m over [1] : f32
    loop.store %s, 0[d0] : f32
  }
  wrapper.yield %0 : tensor<64xf32>
}
