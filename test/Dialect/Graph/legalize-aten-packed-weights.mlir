// Weights of 4 bits: the rows of a block depend on the vectors of the processor, and programs for GPUs have no such layout.
// RUN: coil-opt %s --coil-graph-pipeline='target=cpu:x86-64-v4' | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: coil-opt %s --coil-graph-pipeline='target=cpu:x86-64-v3' | FileCheck %s --check-prefixes=CHECK,NARROW
// RUN: not coil-opt %s --coil-graph-pipeline='target=cuda:sm_90a' 2>&1 | FileCheck %s --check-prefix=GPU

// CHECK-LABEL: @int4pack_mm
// WIDE:     graph.full 64 : i64
// WIDE-NOT: graph.full 32 : i64
// NARROW:   graph.full 32 : i64
// CHECK:    graph.matmul
// GPU:      operator 'aten._weight_int4pack_mm_for_cpu.default' is not supported: its layout is that of a processor
func.func @int4pack_mm(%x: tensor<5x64xf32>, %w: tensor<96x32xui8>, %s: tensor<4x96x2xf32>) -> tensor<5x96xf32> {
  %0 = graph.aten "aten._weight_int4pack_mm_for_cpu.default"(%x, %w, %s) ["self", "mat2", "qScaleAndZeros"] {qGroupSize = 16 : i64} : (tensor<5x64xf32>, tensor<96x32xui8>, tensor<4x96x2xf32>) -> tensor<5x96xf32>
  return %0 : tensor<5x96xf32>
}
