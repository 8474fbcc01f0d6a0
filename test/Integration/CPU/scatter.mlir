// RUN: coil-run %s '--input=3x4xf32=1 2 3 4 5 6 7 8 9 10 11 12' '--input=4xi64=2 0 -1 0' '--input=4x4xf32=10 10 10 10 20 20 20 20 30 30 30 30 40 40 40 40' --output=- | FileCheck %s
// RUN: not coil-run %s '--input=3x4xf32=1 2 3 4 5 6 7 8 9 10 11 12' '--input=4xi64=2 0 3 0' '--input=4x4xf32=10 10 10 10 20 20 20 20 30 30 30 30 40 40 40 40' --output=- 2>&1 | FileCheck %s --check-prefix=RANGE

// Rows 0 and 2 are written twice: the sum takes both, a plain write the later.
// CHECK: 3x4xf32={{\[\[}}61 62 63 64][5 6 7 8][49 50 51 52]]
// CHECK: 3x4xf32={{\[\[}}40 40 40 40][5 6 7 8][30 30 30 30]]
// RANGE: out of range
func.func @main(%x: tensor<3x4xf32>, %i: tensor<4xi64>, %v: tensor<4x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>) {
  %0 = graph.index_put sum %x[%i], %v dims [0] : (tensor<3x4xf32>, tensor<4xi64>, tensor<4x4xf32>) -> tensor<3x4xf32>
  %1 = graph.index_put %x[%i], %v dims [0] : (tensor<3x4xf32>, tensor<4xi64>, tensor<4x4xf32>) -> tensor<3x4xf32>
  return %0, %1 : tensor<3x4xf32>, tensor<3x4xf32>
}
