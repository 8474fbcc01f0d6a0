// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper.kernel(convert-loop-to-gpu))' | FileCheck %s

// A result may lie over the operand that has a pair with it. Planning puts it over no other one, so that nothing else changes
// meanwhile: a row's number is loaded for the two rows that a vector meets, not for each of its lanes.
// CHECK-LABEL: gpu.func @scale
// CHECK-SAME: %arg0: !llvm.ptr<1> {llvm.align = 16 : i64},
// CHECK-SAME: %arg1: !llvm.ptr<1> {llvm.align = 16 : i64, llvm.noalias},
// CHECK-SAME: %arg2: !llvm.ptr<1> {llvm.align = 16 : i64})
// CHECK: llvm.load {{.*}} : !llvm.ptr<1> -> vector<4xf32>
// CHECK-COUNT-2: llvm.load {{.*}} : !llvm.ptr<1> -> f32
// CHECK: math.exp %{{.*}} : f32
// CHECK: math.exp %{{.*}} : f32
// CHECK-NOT: math.exp
// CHECK: arith.mulf %{{.*}} : vector<4xf32>
wrapper.kernel @scale(%x: tensor<100x7xf32>, %row: tensor<100xf32>) attributes {device = #wrapper.device<"cuda">, in_place = array<i64: 0, 0>, input_strides = [#sym.shape<[7, 1]>, #sym.shape<[1]>], output_strides = [#sym.shape<[7, 1]>], symbols = []} {
  %0 = loop.kernel "scale" [700] (%a = %x, %b = %row) : (tensor<100x7xf32>, tensor<100xf32>) -> tensor<100x7xf32> schedule #loop.gpu_schedule<vector_dim = 0, vector_width = 4, threads_p = 128, index_bits = 32> {
    %v = loop.load %a[d0 floordiv 7, d0 mod 7] : tensor<100x7xf32> -> f32
    %r = loop.load %b[d0 floordiv 7] : tensor<100xf32> -> f32
    %e = math.exp %r : f32
    %m = arith.mulf %v, %e : f32
    loop.store %m, 0[d0 floordiv 7, d0 mod 7] : f32
  }
  wrapper.yield %0 : tensor<100x7xf32>
}
