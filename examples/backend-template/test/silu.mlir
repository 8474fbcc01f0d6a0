// An elementwise operator of the plugin: the pass that forms it runs at its
// extension point, and everything behind takes it from its scalar body.

// RUN: coil-opt %s --coil-graph-pipeline | FileCheck %s --check-prefix=GRAPH
// GRAPH: accel.silu %arg0 : tensor<1000xf32>

// It is fused with what follows,
// RUN: coil-compile %s --from=input --to=loop | FileCheck %s --check-prefix=LOOP
// and the strategy of the plugin schedules the kernel.
// LOOP:     loop.kernel "silu+add"
// LOOP-SAME: schedule<vector_dim = 0, vector_width = 8, block = 512>
// LOOP:     math.exp
// LOOP:     arith.addf
// LOOP-NOT: loop.kernel

// GPUs have code for it, too.
// RUN: coil-compile %s --from=input --target=cuda:sm_90a --to=native | FileCheck %s --check-prefix=CUDA
// CUDA: wrapper.kernel @silu_add
// CUDA: gpu.module

// Interpreted, and compared with what the compiled program computes.
// RUN: coil-run %s --random-inputs --reference=interp

func.func @main(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %0 = graph.sigmoid %x : (tensor<1000xf32>) -> tensor<1000xf32>
  %1 = graph.mul %x, %0 : (tensor<1000xf32>, tensor<1000xf32>) -> tensor<1000xf32>
  %2 = graph.add %1, %x : (tensor<1000xf32>, tensor<1000xf32>) -> tensor<1000xf32>
  return %2 : tensor<1000xf32>
}
