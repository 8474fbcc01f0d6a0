// RUN: coil-opt %s --sym-name-dynamic-sizes --split-input-file | FileCheck %s
// RUN: coil-opt %s --sym-name-dynamic-sizes=min=2\ hint=16 --split-input-file | FileCheck %s --check-prefix=RANGE

// Operands of one operation have the same sizes: one symbol.
// CHECK-LABEL: func.func @equal_sizes(
// CHECK-SAME:    %{{.*}}: tensor<?x4xf32, #sym.shape<[s0, 4]>>, %{{.*}}: tensor<?x4xf32, #sym.shape<[s0, 4]>>
// CHECK-SAME:    sym.symbols = {s0 = #sym.range<0, *>}
// RANGE: sym.symbols = {s0 = #sym.range<2, *, hint = 16>}
func.func @equal_sizes(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = arith.addf %x, %y : tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

// The contracted size of both factors, and a chain of two products.
// CHECK-LABEL: func.func @contraction(
// CHECK-SAME:    tensor<?x?xf32, #sym.shape<[s0, s1]>>, %{{.*}}: tensor<?x?xf32, #sym.shape<[s1, s3]>>
// CHECK-SAME:    -> tensor<?x?xf32, #sym.shape<[s0, s3]>>
func.func @contraction(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %y, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = linalg.matmul ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// Sizes are computed through index arithmetic, and by the interface of the
// operation.
// CHECK-LABEL: func.func @arithmetic(
// CHECK: tensor.pad
// CHECK: } : tensor<?x4xf32, #sym.shape<[s0, 4]>> to tensor<?x4xf32, #sym.shape<[s0 + 3, 4]>>
// CHECK: tensor.collapse_shape {{.*}} into tensor<?xf32, #sym.shape<[s0 * 4 + 12]>>
// CHECK: tensor.concat {{.*}} -> tensor<?xf32, #sym.shape<[s0 * 8 + 24]>>
// CHECK: tensor.empty{{.*}} : tensor<?xf32, #sym.shape<[s0 floordiv 2]>>
func.func @arithmetic(%x: tensor<?x4xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0.0 : f32
  %0 = tensor.pad %x low[1, 0] high[2, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<?x4xf32> to tensor<?x4xf32>
  %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<?x4xf32> into tensor<?xf32>
  %2 = tensor.concat dim(0) %1, %1 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %h = arith.divui %n, %c2 : index
  %3 = tensor.empty(%h) : tensor<?xf32>
  return %2, %3 : tensor<?xf32>, tensor<?xf32>
}

// -----

// A size that has to be a constant makes the type static.
// CHECK-LABEL: func.func @becomes_static(
// CHECK-SAME:    %{{.*}}: tensor<8x?xf32, #sym.shape<[8, s0]>>, %{{.*}}: tensor<8x?xf32, #sym.shape<[8, s0]>>
// CHECK:         arith.addf %{{.*}} : tensor<8x?xf32, #sym.shape<[8, s0]>>
func.func @becomes_static(%x: tensor<?x?xf32>, %y: tensor<8x?xf32>) -> tensor<?x?xf32> {
  %0 = tensor.cast %y : tensor<8x?xf32> to tensor<?x?xf32>
  %1 = arith.addf %x, %0 : tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

// -----

// Names that the function has are not used again, and what is static stays.
// CHECK-LABEL: func.func @names_taken(
// CHECK-SAME:    tensor<?xf32, #sym.shape<[s0]>>, %{{.*}}: tensor<?xf32, #sym.shape<[s1]>>
// CHECK-SAME:    sym.symbols = {s0 = #sym.range<1, 4>, s1 = #sym.range<0, *>}
func.func @names_taken(%x: tensor<?xf32, #sym.shape<[s0]>>, %y: tensor<?xf32>) -> tensor<?xf32>
    attributes {sym.symbols = {s0 = #sym.range<1, 4>}} {
  %0 = math.exp %y : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @all_static(%{{.*}}: tensor<4xf32>) -> tensor<4xf32> {
func.func @all_static(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @expansion(
// CHECK:         tensor.expand_shape {{.*}} : tensor<?xf32, #sym.shape<[s0]>> into tensor<?x4xf32, #sym.shape<[s0 floordiv 4, 4]>>
func.func @expansion(%x: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = arith.divui %n, %c4 : index
  %0 = tensor.expand_shape %x [[0, 1]] output_shape [%m, %c4] : tensor<?xf32> into tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
