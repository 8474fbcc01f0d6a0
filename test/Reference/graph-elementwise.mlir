// RUN: coil-interpret %s | FileCheck %s
// The same through the lowering.
// RUN: coil-opt %s --convert-graph-to-loop | coil-interpret | FileCheck %s

// Python's floor and sign of the divisor; an integer divided by zero is zero.
// CHECK-LABEL: @integer_division
// CHECK-NEXT: [-3, 3, 0, -128] : 4xi8
// CHECK-NEXT: [-4, 3, 0, -128] : 4xi8
// CHECK-NEXT: [-1, -1, 0, 0] : 4xi8
// CHECK-NEXT: [1, -1, 0, 0] : 4xi8
func.func @integer_division() -> (tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>) {
  %x = graph.constant dense<[-7, -7, 5, -128]> : tensor<4xi8>
  %y = graph.constant dense<[2, -2, 0, -1]> : tensor<4xi8>
  %0 = graph.trunc_div %x, %y : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  %1 = graph.floor_div %x, %y : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  %2 = graph.fmod %x, %y : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  %3 = graph.remainder %x, %y : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  return %0, %1, %2, %3 : tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>
}

// CHECK-LABEL: @float_division
// CHECK-NEXT: [inf, nan, -3.5] : 3xf32
// CHECK-NEXT: [inf, nan, -4] : 3xf32
// CHECK-NEXT: [nan, nan, 1] : 3xf32
func.func @float_division() -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %x = graph.constant dense<[1.0, 0.0, -7.0]> : tensor<3xf32>
  %y = graph.constant dense<[0.0, 0.0, 2.0]> : tensor<3xf32>
  %0 = graph.div %x, %y : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %1 = graph.floor_div %x, %y : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %2 = graph.remainder %x, %y : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0, %1, %2 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// CHECK-LABEL: @integers_wrap
// CHECK-NEXT: [144, 44] : 2xui8
// CHECK-NEXT: [-128, 127] : 2xi8
// CHECK-NEXT: [243, 16] : 2xui8
// CHECK-NEXT: [0, -1, 1] : 3xi32
func.func @integers_wrap() -> (tensor<2xui8>, tensor<2xi8>, tensor<2xui8>, tensor<3xi32>) {
  %x = graph.constant dense<[200, 100]> : tensor<2xui8>
  %y = graph.constant dense<200> : tensor<2xui8>
  %0 = graph.add %x, %y : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xui8>
  %z = graph.constant dense<[-128, -127]> : tensor<2xi8>
  %1 = graph.neg %z : (tensor<2xi8>) -> tensor<2xi8>
  %b = graph.constant dense<[3, 2]> : tensor<2xui8>
  %e = graph.constant dense<[5, 4]> : tensor<2xui8>
  %2 = graph.pow %b, %e : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xui8>
  %s = graph.constant dense<[2, -1, -1]> : tensor<3xi32>
  %n = graph.constant dense<[-2, -3, -4]> : tensor<3xi32>
  %3 = graph.pow %s, %n : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  return %0, %1, %2, %3 : tensor<2xui8>, tensor<2xi8>, tensor<2xui8>, tensor<3xi32>
}

// An operator on bf16 is computed in f32 and rounded once.
// CHECK-LABEL: @bf16_rounds_once
// CHECK-NEXT: [256, 260] : 2xbf16
// CHECK-NEXT: [2.72, 0.367] : 2xbf16
func.func @bf16_rounds_once() -> (tensor<2xbf16>, tensor<2xbf16>) {
  %x = graph.constant dense<[256.0, 256.0]> : tensor<2xbf16>
  %y = graph.constant dense<[1.0, 3.0]> : tensor<2xbf16>
  %0 = graph.add %x, %y : (tensor<2xbf16>, tensor<2xbf16>) -> tensor<2xbf16>
  %z = graph.constant dense<[1.0, -1.0]> : tensor<2xbf16>
  %1 = graph.exp %z : (tensor<2xbf16>) -> tensor<2xbf16>
  return %0, %1 : tensor<2xbf16>, tensor<2xbf16>
}

// CHECK-LABEL: @nan_propagation
// CHECK-NEXT: [nan, 2, 1] : 3xf32
// CHECK-NEXT: [1, 2, 1] : 3xf32
// CHECK-NEXT: [nan, 0, 1] : 3xf32
// CHECK-NEXT: [0, 1, 1] : 3xf32
// CHECK-NEXT: [true, false, false] : 3xi1
// CHECK-NEXT: [true, true, false] : 3xi1
func.func @nan_propagation() -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi1>, tensor<3xi1>) {
  %x = graph.constant dense<[0x7FC00000, 2.0, 1.0]> : tensor<3xf32>
  %y = graph.constant dense<[1.0, 1.0, 1.0]> : tensor<3xf32>
  %0 = graph.maximum %x, %y : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %1 = graph.fmax %x, %y : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %z = graph.constant dense<[0x7FC00000, -2.0, 1.0]> : tensor<3xf32>
  %2 = graph.relu %z : (tensor<3xf32>) -> tensor<3xf32>
  %3 = graph.sign %x : (tensor<3xf32>) -> tensor<3xf32>
  %4 = graph.isnan %x : (tensor<3xf32>) -> tensor<3xi1>
  %5 = graph.compare ne, %x, %y : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  return %0, %1, %2, %3, %4, %5 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi1>, tensor<3xi1>
}

// Shift amounts outside the width shift all bits out.
// CHECK-LABEL: @shifts
// CHECK-NEXT: [-8, 0, 0] : 3xi8
// CHECK-NEXT: [-1, -1, -1] : 3xi8
// CHECK-NEXT: [127, 0, 0] : 3xui8
func.func @shifts() -> (tensor<3xi8>, tensor<3xi8>, tensor<3xui8>) {
  %x = graph.constant dense<[-4, 1, 1]> : tensor<3xi8>
  %y = graph.constant dense<[1, 8, -1]> : tensor<3xi8>
  %0 = graph.shift_left %x, %y : (tensor<3xi8>, tensor<3xi8>) -> tensor<3xi8>
  %m = graph.constant dense<[-2, -1, -5]> : tensor<3xi8>
  %1 = graph.shift_right %m, %y : (tensor<3xi8>, tensor<3xi8>) -> tensor<3xi8>
  %u = graph.constant dense<[255, 255, 255]> : tensor<3xui8>
  %v = graph.constant dense<[1, 8, 255]> : tensor<3xui8>
  %2 = graph.shift_right %u, %v : (tensor<3xui8>, tensor<3xui8>) -> tensor<3xui8>
  return %0, %1, %2 : tensor<3xi8>, tensor<3xi8>, tensor<3xui8>
}

// CHECK-LABEL: @conversions
// CHECK-NEXT: [-2, 2, 0] : 3xi32
// CHECK-NEXT: [true, true, false] : 3xi1
// CHECK-NEXT: [44, 255] : 2xui8
// CHECK-NEXT: [1, 0] : 2xf16
// CHECK-NEXT: [1065353216, -1073741824] : 2xi32
func.func @conversions() -> (tensor<3xi32>, tensor<3xi1>, tensor<2xui8>, tensor<2xf16>, tensor<2xi32>) {
  %x = graph.constant dense<[-2.9, 2.9, 0.0]> : tensor<3xf32>
  %0 = graph.convert %x : (tensor<3xf32>) -> tensor<3xi32>
  %1 = graph.convert %x : (tensor<3xf32>) -> tensor<3xi1>
  %y = graph.constant dense<[300, -1]> : tensor<2xi64>
  %2 = graph.convert %y : (tensor<2xi64>) -> tensor<2xui8>
  %b = graph.constant dense<[true, false]> : tensor<2xi1>
  %3 = graph.convert %b : (tensor<2xi1>) -> tensor<2xf16>
  %f = graph.constant dense<[1.0, -2.0]> : tensor<2xf32>
  %4 = graph.bitcast %f : (tensor<2xf32>) -> tensor<2xi32>
  return %0, %1, %2, %3, %4 : tensor<3xi32>, tensor<3xi1>, tensor<2xui8>, tensor<2xf16>, tensor<2xi32>
}

// The neighbour in the element type itself.
// CHECK-LABEL: @nextafter
// CHECK-NEXT: [1.01, -1, 9e-41] : 3xbf16
// CHECK-NEXT: [1.001, -6e-08] : 2xf16
func.func @nextafter() -> (tensor<3xbf16>, tensor<2xf16>) {
  %x = graph.constant dense<[1.0, -1.0078125, 0.0]> : tensor<3xbf16>
  %y = graph.constant dense<[2.0, 0.0, 1.0]> : tensor<3xbf16>
  %0 = graph.special nextafter, %x, %y : (tensor<3xbf16>, tensor<3xbf16>) -> tensor<3xbf16>
  %z = graph.constant dense<[1.0, 0.0]> : tensor<2xf16>
  %w = graph.constant dense<[2.0, -1.0]> : tensor<2xf16>
  %1 = graph.special nextafter, %z, %w : (tensor<2xf16>, tensor<2xf16>) -> tensor<2xf16>
  return %0, %1 : tensor<3xbf16>, tensor<2xf16>
}

// CHECK-LABEL: @broadcast_and_select
// CHECK-NEXT: {{\[}}[11, 12, 13], [0, 0, 0]] : 2x3xi64
func.func @broadcast_and_select() -> tensor<2x3xi64> {
  %x = graph.constant dense<[1, 2, 3]> : tensor<3xi64>
  %y = graph.constant dense<[[10], [20]]> : tensor<2x1xi64>
  %0 = graph.add %x, %y : (tensor<3xi64>, tensor<2x1xi64>) -> tensor<2x3xi64>
  %p = graph.constant dense<[[true], [false]]> : tensor<2x1xi1>
  %z = graph.constant dense<0> : tensor<i64>
  %1 = graph.select %p, %0, %z : (tensor<2x1xi1>, tensor<2x3xi64>, tensor<i64>) -> tensor<2x3xi64>
  return %1 : tensor<2x3xi64>
}
