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
