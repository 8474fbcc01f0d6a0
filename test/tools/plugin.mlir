// Stock mlir-opt learns the dialects and passes of Coil from the plugin, and so
// does coil-opt, which already has them. A plugin's passes are not flags of the
// host: the option parser is built before the plugin is loaded.

// RUN: mlir-opt %s --load-dialect-plugin=%coil_plugin --load-pass-plugin=%coil_plugin --pass-pipeline='builtin.module(func.func(convert-graph-to-loop,loop-fold-views,loop-fuse,cse))' | FileCheck %s
// RUN: coil-opt %s --load-dialect-plugin=%coil_plugin --load-pass-plugin=%coil_plugin --pass-pipeline='builtin.module(func.func(convert-graph-to-loop,loop-fold-views,loop-fuse,cse))' | FileCheck %s

// CHECK-LABEL: @relu_of_sum
// CHECK:       loop.kernel "add+relu" [4, 8]
// CHECK-NOT:   loop.kernel
func.func @relu_of_sum(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.add %a, %b : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = graph.relu %0 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}
