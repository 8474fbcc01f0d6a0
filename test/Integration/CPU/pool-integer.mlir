// RUN: coil-run %s '--input=1x8x7xi64=3' --reference=interp --output=- | FileCheck %s

// Lanes beyond the last window have no element to count, and do not divide by
// their number.
// CHECK: 1x8x4xi64={{.*}}3 3 3 3
func.func @main(%x: tensor<1x8x7xi64>) -> tensor<1x8x4xi64> {
  %0 = graph.pool avg, %x kernel [3] stride [2] padding [1] dilation [1] : (tensor<1x8x7xi64>) -> tensor<1x8x4xi64>
  return %0 : tensor<1x8x4xi64>
}
