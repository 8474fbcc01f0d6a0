// RUN: coil-opt %s --graph-legalize-aten | FileCheck %s

// A symmetric window ends with its last element.
// CHECK-LABEL: @hann
// CHECK-DAG:     %[[LAST:.+]] = graph.full 6.000000e+00
// CHECK-DAG:     %[[TURN:.+]] = graph.full 6.28318548
// CHECK:         %[[SCALED:.+]] = graph.mul %{{.*}}, %[[TURN]]
// CHECK:         %[[ANGLE:.+]] = graph.div %[[SCALED]], %[[LAST]]
// CHECK:         graph.cos %[[ANGLE]]
func.func @hann() -> tensor<7xf32> {
  %0 = graph.aten "aten.hann_window.periodic"() [] {window_length = 7 : i64, periodic = false} : () -> tensor<7xf32>
  return %0 : tensor<7xf32>
}

// A periodic one ends before that; 16-bit floats are computed in f32.
// CHECK-LABEL: @bartlett
// CHECK-DAG:     graph.full 7.000000e+00
// CHECK:         graph.minimum {{.*}} -> tensor<7xf32>
// CHECK:         graph.convert {{.*}} -> tensor<7xbf16>
func.func @bartlett() -> tensor<7xbf16> {
  %0 = graph.aten "aten.bartlett_window.default"() [] {window_length = 7 : i64} : () -> tensor<7xbf16>
  return %0 : tensor<7xbf16>
}

// CHECK-LABEL: @one_element
// CHECK:         graph.full 1.000000e+00 : f32 -> tensor<1xf32>
// CHECK-NOT:     graph.cos
func.func @one_element() -> tensor<1xf32> {
  %0 = graph.aten "aten.blackman_window.default"() [] {window_length = 1 : i64} : () -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// CHECK-LABEL: @kaiser
// CHECK-COUNT-2: graph.special i0
func.func @kaiser() -> tensor<9xf64> {
  %0 = graph.aten "aten.kaiser_window.beta"() [] {window_length = 9 : i64, periodic = true, beta = 8.0 : f64} : () -> tensor<9xf64>
  return %0 : tensor<9xf64>
}
