// RUN: coil-opt %s | coil-opt | FileCheck %s
// RUN: coil-opt %s --canonicalize --cse | FileCheck %s --check-prefix=SAME
// RUN: coil-interpret %s --function=moves --input='4xf32=1 2 3 4' | FileCheck %s --check-prefix=GIVES

// CHECK-LABEL: func.func @moves
// CHECK: graph.to_device %{{.*}} 1 : tensor<4xf32>
// SAME-LABEL: func.func @moves
// SAME: %[[Y:.+]] = graph.to_device
// SAME-NOT: graph.to_device
// SAME: graph.add %[[Y]], %[[Y]]
// GIVES: 2, 4, 6, 8
func.func @moves(%x: tensor<4xf32>) -> (tensor<4xf32> {coil.device_index = 1 : i64}) {
  %0 = graph.to_device %x 1 : tensor<4xf32>
  %1 = graph.to_device %x 1 : tensor<4xf32>
  %2 = graph.add %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
