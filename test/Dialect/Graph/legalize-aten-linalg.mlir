// RUN: coil-opt %s --graph-expand-complex --graph-legalize-aten --split-input-file | FileCheck %s

// A stack of systems with one right side for all.
// CHECK-LABEL: @solve
// CHECK-NEXT:    %[[LU:.*]]:3 = graph.custom_call "coil::linalg_lu"(%{{.*}}, true, false) : (tensor<2x5x5xf32>) -> (tensor<2x5x5xf32>, tensor<2x5xi32>, tensor<2xi32>)
// CHECK-NEXT:    %[[X:.*]] = graph.custom_call "coil::linalg_lu_solve"(%[[LU]]#0, %[[LU]]#1, %{{.*}}, "N", false)
// CHECK-NEXT:    return %[[X]]
func.func @solve(%a: tensor<2x5x5xf32>, %b: tensor<5x3xf32>) -> tensor<2x5x3xf32> {
  %0 = graph.aten "aten.linalg_solve.default"(%a, %b) ["A", "B"] {left = true} : (tensor<2x5x5xf32>, tensor<5x3xf32>) -> tensor<2x5x3xf32>
  return %0 : tensor<2x5x3xf32>
}

// Without vectors they are empty.
// CHECK-LABEL: @values
// CHECK-NEXT:    %[[S:.*]]:3 = graph.custom_call "coil::linalg_svd"(%{{.*}}, false, false, false) {{.*}} -> (tensor<0x0xf64>, tensor<?xf64, #sym.shape<[min(4, s0)]>>, tensor<0x0xf64>)
// CHECK-NEXT:    return %[[S]]#1
func.func @values(%a: tensor<?x4xf64, #sym.shape<[s0, 4]>>) -> tensor<?xf64, #sym.shape<[min(4, s0)]>> attributes {sym.symbols = {s0 = #sym.range<1, 9>}} {
  %0 = graph.aten "aten.linalg_svdvals.default"(%a) ["A"] {} : (tensor<?x4xf64, #sym.shape<[s0, 4]>>) -> tensor<?xf64, #sym.shape<[min(4, s0)]>>
  return %0 : tensor<?xf64, #sym.shape<[min(4, s0)]>>
}

// Complex matrices are one tensor for the library; the last argument says so.
// CHECK-LABEL: @complex
// CHECK:         graph.custom_call "coil::linalg_cholesky"(%{{.*}}, false, true, true) : (tensor<3x3x2xf32>) -> (tensor<3x3x2xf32>, tensor<i32>)
func.func @complex(%a: tensor<3x3xcomplex<f32>>) -> tensor<3x3xcomplex<f32>> {
  %0 = graph.aten "aten.linalg_cholesky.default"(%a) ["self"] {upper = false} : (tensor<3x3xcomplex<f32>>) -> tensor<3x3xcomplex<f32>>
  return %0 : tensor<3x3xcomplex<f32>>
}

// One identity serves a stack: libraries that invert do not read it.
// CHECK-LABEL: @cholesky_inverse
// CHECK:         graph.custom_call "coil::linalg_cholesky_inverse"(%{{.*}}, %{{.*}}, true, false) : (tensor<2x5x5xf32>, tensor<5x5xf32>) -> tensor<2x5x5xf32>
func.func @cholesky_inverse(%a: tensor<2x5x5xf32>) -> tensor<2x5x5xf32> {
  %0 = graph.aten "aten.cholesky_inverse.default"(%a) ["self"] {upper = true} : (tensor<2x5x5xf32>) -> tensor<2x5x5xf32>
  return %0 : tensor<2x5x5xf32>
}

// Eigenvalues of a real matrix are complex, the matrix stays real.
// CHECK-LABEL: @eigenvalues
// CHECK:         graph.custom_call "coil::linalg_eig"(%{{.*}}, false, false) : (tensor<3x3xf32>) -> (tensor<3x2xf32>, tensor<0x0x2xf32>)
func.func @eigenvalues(%a: tensor<3x3xf32>) -> tensor<3xcomplex<f32>> {
  %0 = graph.aten "aten.linalg_eigvals.default"(%a) ["self"] {} : (tensor<3x3xf32>) -> tensor<3xcomplex<f32>>
  return %0 : tensor<3xcomplex<f32>>
}

// CHECK-LABEL: @half
// CHECK:         graph.reason = "there is no library for elements of its type"
func.func @half(%a: tensor<5x5xbf16>) -> tensor<5x5xbf16> {
  %0 = graph.aten "aten.linalg_inv.default"(%a) ["A"] {} : (tensor<5x5xbf16>) -> tensor<5x5xbf16>
  return %0 : tensor<5x5xbf16>
}

// The series of a matrix of small norm, and as many squarings as that took
// halvings.
// CHECK-LABEL: @exponential
// CHECK:         %[[H:.*]] = graph.log2
// CHECK-COUNT-7: graph.matmul
// CHECK-NOT:     graph.matmul
// CHECK:         graph.while
// CHECK:         graph.matmul
// CHECK:         graph.select
func.func @exponential(%a: tensor<2x5x5xf64>) -> tensor<2x5x5xf64> {
  %0 = graph.aten "aten.matrix_exp.default"(%a) ["self"] {} : (tensor<2x5x5xf64>) -> tensor<2x5x5xf64>
  return %0 : tensor<2x5x5xf64>
}

// CHECK-LABEL: @tensor_inverse
// CHECK:         %[[A:.*]] = graph.reshape %{{.*}} : (tensor<2x3x6xf32>) -> tensor<6x6xf32>
// CHECK:         graph.custom_call "coil::linalg_lu"(%[[A]]
// CHECK:         graph.reshape %{{.*}} : (tensor<6x6xf32>) -> tensor<6x2x3xf32>
func.func @tensor_inverse(%a: tensor<2x3x6xf32>) -> tensor<6x2x3xf32> {
  %0 = graph.aten "aten.linalg_tensorinv.default"(%a) ["self"] {ind = 2 : i64} : (tensor<2x3x6xf32>) -> tensor<6x2x3xf32>
  return %0 : tensor<6x2x3xf32>
}

// CHECK-LABEL: @tensor_solve
// CHECK:         %[[P:.*]] = graph.permute %{{.*}} [1, 2, 0]
// CHECK:         %[[A:.*]] = graph.reshape %[[P]] : (tensor<2x3x6xf32>) -> tensor<6x6xf32>
// CHECK:         graph.custom_call "coil::linalg_lu"(%[[A]]
func.func @tensor_solve(%a: tensor<6x2x3xf32>, %b: tensor<2x3xf32>) -> tensor<6xf32> {
  %0 = graph.aten "aten.linalg_tensorsolve.default"(%a, %b) ["self", "other"] {dims = array<i64: 0>} : (tensor<6x2x3xf32>, tensor<2x3xf32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

// CHECK-LABEL: @no_square
// CHECK:         graph.reason = "its dimensions are not those of a square matrix"
func.func @no_square(%a: tensor<2x3x5xf32>) -> tensor<5x2x3xf32> {
  %0 = graph.aten "aten.linalg_tensorinv.default"(%a) ["self"] {ind = 2 : i64} : (tensor<2x3x5xf32>) -> tensor<5x2x3xf32>
  return %0 : tensor<5x2x3xf32>
}

// CHECK-LABEL: @nuclear_norm
// CHECK:         graph.custom_call "coil::linalg_svd"
// CHECK:         graph.reduce sum
func.func @nuclear_norm(%x: tensor<3x4xf32>) -> tensor<f32> {
  %0 = graph.aten "aten.nuclear_norm.default"(%x) ["self"] {keepdim = false} : (tensor<3x4xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// Products alone need no library.
// CHECK-LABEL: @power_of_integers
// CHECK:         graph.matmul %arg0, %arg0 : (tensor<3x3xi64>, tensor<3x3xi64>)
func.func @power_of_integers(%x: tensor<3x3xi64>) -> tensor<3x3xi64> {
  %0 = graph.aten "aten.linalg_matrix_power.default"(%x) ["self"] {n = 2 : i64} : (tensor<3x3xi64>) -> tensor<3x3xi64>
  return %0 : tensor<3x3xi64>
}
