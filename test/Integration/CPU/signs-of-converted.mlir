// The sign of a converted number is that of what is converted: no conversion
// from f64 to f16 is made of it, for which there may be no instruction.
// RUN: coil-run %s --output=- --output=- | FileCheck %s
// RUN: coil-run %s --reference=interp

// CHECK:      3xf16=[0.5493 -0.5493 -0]
// CHECK-NEXT: 3xf16=[0.1564 -0.1564 -0]
func.func @main() -> (tensor<3xf16>, tensor<3xf16>) {
  %x = graph.constant dense<[0.25, -0.25, -0.0]> : tensor<3xf64>
  %two = graph.constant dense<2.0> : tensor<f64>
  %y = graph.mul %x, %two : (tensor<3xf64>, tensor<f64>) -> tensor<3xf64>
  %f = graph.convert %y : (tensor<3xf64>) -> tensor<3xf32>
  %h = graph.convert %f : (tensor<3xf32>) -> tensor<3xf16>
  %e = graph.convert %h : (tensor<3xf16>) -> tensor<3xf32>
  %a = graph.atanh %e : (tensor<3xf32>) -> tensor<3xf32>
  %r = graph.convert %a : (tensor<3xf32>) -> tensor<3xf16>
  %s = graph.special i1e, %h : (tensor<3xf16>) -> tensor<3xf16>
  return %r, %s : tensor<3xf16>, tensor<3xf16>
}
