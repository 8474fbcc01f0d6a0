// RUN: coil-opt %s | coil-opt | FileCheck %s
// RUN: coil-opt %s --mlir-print-op-generic | coil-opt | FileCheck %s

// CHECK-LABEL: func.func @products
func.func @products(%a: tensor<2x4x8xf32>, %b: tensor<1x8x3xf32>, %c: tensor<4x8xf32>, %d: tensor<8x3xf32>, %e: tensor<3xf32>) -> (tensor<2x4x3xf32>, tensor<4x3xf32>, tensor<4xf32>) {
  // CHECK: graph.matmul %{{.*}}, %{{.*}} tf32 : (tensor<2x4x8xf32>, tensor<1x8x3xf32>) -> tensor<2x4x3xf32>
  %0 = graph.matmul %a, %b tf32 : (tensor<2x4x8xf32>, tensor<1x8x3xf32>) -> tensor<2x4x3xf32>
  // CHECK: graph.matmul %{{.*}}, %{{.*}} bias %{{.*}} tf32 : (
  %1 = graph.matmul %c, %d bias %e tf32 : (tensor<4x8xf32>, tensor<8x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  // CHECK: graph.reduce sum, %{{.*}} dims [1] tf32 : (tensor<4x8xf32>) -> tensor<4xf32>
  %2 = graph.reduce sum, %c dims [1] tf32 : (tensor<4x8xf32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<2x4x3xf32>, tensor<4x3xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @others
func.func @others(%x: tensor<2x8x8x3xf32>, %w: tensor<4x3x3x3xf32>, %q: tensor<2x4x8x64xf32>) -> (tensor<2x8x8x4xf32>, tensor<2x4x8x64xf32>) {
  // CHECK: graph.conv {{.*}} groups 1 channels_last tf32 : (
  %0 = graph.conv %x, %w stride [1, 1] padding [1, 1] dilation [1, 1] groups 1 channels_last tf32 : (tensor<2x8x8x3xf32>, tensor<4x3x3x3xf32>) -> tensor<2x8x8x4xf32>
  // CHECK: graph.attention {{.*}} causal scale 1.250000e-01 tf32 : (
  %1 = graph.attention %q, %q, %q causal scale 1.250000e-01 tf32 : (tensor<2x4x8x64xf32>, tensor<2x4x8x64xf32>, tensor<2x4x8x64xf32>) -> tensor<2x4x8x64xf32>
  return %0, %1 : tensor<2x8x8x4xf32>, tensor<2x4x8x64xf32>
}
