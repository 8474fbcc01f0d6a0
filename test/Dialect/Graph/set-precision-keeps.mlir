// RUN: coil-opt %s --pass-pipeline='builtin.module(func.func(graph-set-precision))' | FileCheck %s
// RUN: coil-opt %s --coil-graph-pipeline="target=cuda:sm_90a library=none" | FileCheck %s

// What the author of a program allows, nobody takes back.
// CHECK: graph.matmul %{{.*}}, %{{.*}} tf32 :
func.func @author(%x: tensor<4x8xf32>, %y: tensor<8x3xf32>) -> tensor<4x3xf32> {
  %0 = graph.matmul %x, %y tf32 : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}
