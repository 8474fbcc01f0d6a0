// Kernels run on the device, whose runtime is in the plugin.

// RUN: env ACCEL_TRACE=1 coil-run %s --random-inputs --reference=interp --insert-passes=after-memory-planning:accel-place 2>&1 | FileCheck %s
// RUN: env ACCEL_TRACE=1 coil-run %s --random-inputs --reference=interp --target=accel 2>&1 | FileCheck %s
// CHECK: accel: 2 launches, 2 allocations

// RUN: coil-compile %s --emit=dot --insert-passes=after-memory-planning:accel-place | FileCheck %s --check-prefix=DOT
// DOT:      digraph "main" {
// DOT-NEXT:   step0 [label="[[SUM:[a-z_0-9]+]]"];
// DOT-NEXT:   step1 [label="[[LAST:[a-z_0-9]+]]"];
// DOT-NEXT:   step0 -> step1;

func.func @main(%x: tensor<64x1000xf32>) -> tensor<64xf32> {
  %0 = graph.reduce sum, %x dims [0] : (tensor<64x1000xf32>) -> tensor<1000xf32>
  %1 = graph.mul %x, %0 : (tensor<64x1000xf32>, tensor<1000xf32>) -> tensor<64x1000xf32>
  %2 = graph.reduce sum, %1 dims [1] : (tensor<64x1000xf32>) -> tensor<64xf32>
  return %2 : tensor<64xf32>
}
