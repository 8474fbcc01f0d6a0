// Dimensions are joined as elements lie in memory.
// RUN: coil-opt %s --loop-simplify-index | FileCheck %s
// RUN: coil-opt %s --loop-simplify-index --loop-select-schedule=vector-bits=256 --convert-loop-to-wrapper | FileCheck %s --check-prefix=WRAPPER

// All are transposed: one dimension, in the order of the memory.
// CHECK-LABEL: func @transposed
// CHECK: loop.kernel "add" [24]
// CHECK-COUNT-2: loop.load %{{.*}}[d0 mod 4, d0 floordiv 4]
// CHECK: loop.store %{{.*}}, 0[d0 mod 4, d0 floordiv 4]
// The result is written where it is returned, without a copy.
// WRAPPER: wrapper.kernel @add_0
// WRAPPER-SAME: output_strides = [#sym.shape<[1, 4]>]
// WRAPPER: schedule<vector_dim = 0, vector_width = 8
func.func @transposed(%x: tensor<4x6xf32> {coil.strides = #sym.shape<[1, 4]>},
                      %y: tensor<4x6xf32> {coil.strides = #sym.shape<[1, 4]>})
    -> (tensor<4x6xf32> {coil.strides = #sym.shape<[1, 4]>}) {
  %r = loop.kernel "add" [4, 6] (%a = %x, %b = %y) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32> {
    %v = loop.load %a[d0, d1] : tensor<4x6xf32> -> f32
    %w = loop.load %b[d0, d1] : tensor<4x6xf32> -> f32
    %s = arith.addf %v, %w : f32
    loop.store %s, 0[d0, d1] : f32
  }
  return %r : tensor<4x6xf32>
}

// Some are: the dimensions stay apart, but for those that are next to each other in all.
// CHECK-LABEL: func @mixed
// CHECK: loop.kernel "add" [4, 30]
// CHECK: loop.load %{{.*}}[d0, d1 floordiv 5, d1 mod 5]
func.func @mixed(%x: tensor<4x6x5xf32> {coil.strides = #sym.shape<[1, 20, 4]>}, %y: tensor<4x6x5xf32>)
    -> tensor<4x6x5xf32> {
  %r = loop.kernel "add" [4, 6, 5] (%a = %x, %b = %y) : (tensor<4x6x5xf32>, tensor<4x6x5xf32>) -> tensor<4x6x5xf32> {
    %v = loop.load %a[d0, d1, d2] : tensor<4x6x5xf32> -> f32
    %w = loop.load %b[d0, d1, d2] : tensor<4x6x5xf32> -> f32
    %s = arith.addf %v, %w : f32
    loop.store %s, 0[d0, d1, d2] : f32
  }
  return %r : tensor<4x6x5xf32>
}

// (C1) Reduced dimensions keep their order: the first of equal elements is the result.
// CHECK-LABEL: func @reduced
// CHECK: loop.kernel "argmax" [3, 4, 6]
func.func @reduced(%x: tensor<3x4x6xf32> {coil.strides = #sym.shape<[24, 1, 4]>}) -> tensor<3xi64> {
  %r = loop.kernel "argmax" [3, 4, 6] (%a = %x) : (tensor<3x4x6xf32>) -> tensor<3xi64> {
    %v = loop.load %a[d0, d1, d2] : tensor<3x4x6xf32> -> f32
    %i = loop.index <d1 * 6 + d2>
    %m, %p = loop.arg_reduce max %v at %i over [1, 2] : f32
    loop.store %p, 0[d0] : i64
  }
  return %r : tensor<3xi64>
}
