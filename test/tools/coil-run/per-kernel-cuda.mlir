// The table of steps on a GPU: its rates are those of its clocks; a batch costs
// what its launches cost together; copies are known to the runtime.

// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda --library=none --random-inputs --per-kernel --iterations=2 --time | FileCheck %s
// CHECK: steps on the GPU, fastest of 2 runs; roofline:
// CHECK-NEXT: 4916.7 GB/s (memory clock by bus width)
// CHECK-NEXT: 66908.2 GFLOP/s (clock by multiprocessors, f32)
// CHECK-NEXT: 1070530.6 GFLOP/s (the same for 16-bit matrix multiplication)
// CHECK-NEXT: time bytes GB/s GFLOP/s roofline step
// CHECK-NEXT: us 1024 {{[0-9.]+}} {{[0-9.]+}} {{[0-9.]+}} memory tanh_0_x2
// CHECK-NEXT: us 1024 {{[0-9.]+}} 0.0 {{[0-9.]+}} memory copy
// CHECK: us together

func.func @main(%x: tensor<64xf32>, %y: tensor<64xf32>, %z: tensor<128xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<128xf32>) {
  %0 = graph.tanh %x : (tensor<64xf32>) -> tensor<64xf32>
  %1 = graph.tanh %y : (tensor<64xf32>) -> tensor<64xf32>
  return %0, %1, %z : tensor<64xf32>, tensor<64xf32>, tensor<128xf32>
}
