// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --partitions=always --iterations=4 --cuda-graphs=4 --time | FileCheck %s

// A scale and offsets of the host, and a result in columns that goes back there: copies at both
// ends of what a graph keeps.
// CHECK: partitions: {{.*}} {{[1-9][0-9]*}} replayed
func.func @main(%x: tensor<33x129xf32>, %scale: tensor<f32> {coil.device = "cpu"}, %offset: tensor<129xf32> {coil.device = "cpu"})
    -> (tensor<33x129xf32> {coil.device = "cpu", coil.strides = #sym.shape<[1, 33]>}, tensor<33x129xf32>) {
  %0 = graph.mul %x, %scale : (tensor<33x129xf32>, tensor<f32>) -> tensor<33x129xf32>
  %1 = graph.add %0, %offset : (tensor<33x129xf32>, tensor<129xf32>) -> tensor<33x129xf32>
  %2 = graph.tanh %1 : (tensor<33x129xf32>) -> tensor<33x129xf32>
  return %1, %2 : tensor<33x129xf32>, tensor<33x129xf32>
}
