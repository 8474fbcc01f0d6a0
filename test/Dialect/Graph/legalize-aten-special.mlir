// RUN: coil-opt %s --graph-legalize-aten | FileCheck %s

// CHECK-LABEL: @special
// CHECK:         graph.special bessel_j0, %arg0
// CHECK:         graph.special chebyshev_t, %{{.*}}, %{{.*}}
// CHECK:         graph.special trigamma, %{{.*}}
func.func @special(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.aten "aten.special_bessel_j0.default"(%x) ["self"] {} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.aten "aten.special_chebyshev_polynomial_t.n_scalar"(%0) ["x"] {n = 3 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = graph.aten "aten.polygamma.default"(%1) ["self"] {n = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// The third derivative of digamma is 6 zeta(4, x).
// CHECK-LABEL: @polygamma
// CHECK:         %[[Z:.*]] = graph.special zeta, 
// CHECK:         graph.mul %{{.*}}, %[[Z]]
func.func @polygamma(%x: tensor<4xf64>) -> tensor<4xf64> {
  %0 = graph.aten "aten.polygamma.default"(%x) ["self"] {n = 3 : i64} : (tensor<4xf64>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
