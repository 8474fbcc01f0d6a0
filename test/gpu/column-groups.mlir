// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp
// RUN: rm -rf %t
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a@multiprocessors=4 --library=none --random-inputs --reference=interp
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a@multiprocessors=4 --library=none --random-inputs --combine-launches=false --dump-ptx=%t
// RUN: cat %t/*.ptx | FileCheck %s

// Reductions down long columns: so many groups of threads hold a part of each column that
// threads first merge some of them, each for one column. That is a second barrier
// in each kernel, and no thread reads the parts of 32 groups. (Where multiprocessors are many,
// blocks have fewer columns and fewer groups.)
// CHECK: .entry convert_reduce_sum
// CHECK: bar.sync
// CHECK-COUNT-16: ld.shared.b32
// CHECK: bar.sync
// CHECK-COUNT-4: ld.shared.v4
// CHECK-NOT: ld.shared
// CHECK: .entry neg_argmax_reduce_sum
// CHECK-COUNT-2: bar.sync
// CHECK-NOT: bar.sync
// CHECK: .entry reduce_min
// CHECK: bar.sync
// CHECK-COUNT-16: ld.shared.b32
// CHECK: bar.sync
// CHECK-COUNT-2: ld.shared.v4
// CHECK-NOT: ld.shared
func.func @main(%x: tensor<2048x96xf32>, %y: tensor<2048x64xbf16>, %z: tensor<2048x64xi32>) -> (tensor<96xf32>, tensor<96xf32>, tensor<96xi64>, tensor<96xi64>, tensor<64xf32>, tensor<64xi32>) {
  %0 = graph.reduce sum, %x dims [0] : (tensor<2048x96xf32>) -> tensor<96xf32>
  // With the extremum and without it.
  %1, %2 = graph.arg_reduce max, %x dim 0 : (tensor<2048x96xf32>) -> (tensor<96xf32>, tensor<96xi64>)
  %3 = graph.neg %x : (tensor<2048x96xf32>) -> tensor<2048x96xf32>
  %4, %5 = graph.arg_reduce max, %3 dim 0 : (tensor<2048x96xf32>) -> (tensor<96xf32>, tensor<96xi64>)
  %6 = graph.convert %y : (tensor<2048x64xbf16>) -> tensor<2048x64xf32>
  %7 = graph.reduce sum, %6 dims [0] : (tensor<2048x64xf32>) -> tensor<64xf32>
  %8 = graph.reduce min, %z dims [0] : (tensor<2048x64xi32>) -> tensor<64xi32>
  return %0, %1, %2, %5, %7, %8 : tensor<96xf32>, tensor<96xf32>, tensor<96xi64>, tensor<96xi64>, tensor<64xf32>, tensor<64xi32>
}
