// RUN: coil-run %s '--input=8xf32=448 464 465 -inf 0.0009765625 0.00146484375 -0.3 nan' --output=- | FileCheck %s
// RUN: coil-run %s '--input=8xf32=448 464 465 -inf 0.0009765625 0.00146484375 -0.3 nan' --reference=interp

// Beyond the range is NaN in the first format and an infinity in the second;
// ties go to even, also among subnormal numbers.
// CHECK: 8xf8E4M3FN=[448 448 nan nan 0 0.002 -0.3 nan]
// CHECK: 8xf8E5M2=[448 448 448 -inf 0.001 0.0015 -0.3 nan]
// CHECK: 8xf32=[448 448 nan nan 0 0.001953125 -0.3125 nan]
func.func @main(%x: tensor<8xf32>) -> (tensor<8xf8E4M3FN>, tensor<8xf8E5M2>, tensor<8xf32>) {
  %0 = graph.convert %x : (tensor<8xf32>) -> tensor<8xf8E4M3FN>
  %1 = graph.convert %x : (tensor<8xf32>) -> tensor<8xf8E5M2>
  %2 = graph.convert %0 : (tensor<8xf8E4M3FN>) -> tensor<8xf32>
  return %0, %1, %2 : tensor<8xf8E4M3FN>, tensor<8xf8E5M2>, tensor<8xf32>
}
