// RUN: coil-opt %s --graph-decompose | FileCheck %s
// RUN: coil-opt %s --graph-decompose=sort=cub | FileCheck %s --check-prefix=CUB
// RUN: not coil-opt %s --graph-decompose="sort=''" 2>&1 | FileCheck %s --check-prefix=NONE

// NONE: decompose-sort.mlir:[[#@LINE+8]]:{{.*}}: error: 'graph.sort' op needs the library 'cub' on GPUs, which cannot be loaded or is not among those of the compilation

// CHECK-LABEL: @sort
// CHECK:         graph.sort %{{.*}} dim 0 library "runtime"
// CHECK:         graph.topk %{{.*}} k <2> dim 0 largest library "runtime"
// CUB:           graph.sort %{{.*}} dim 0 library "cub"
// CUB:           graph.topk %{{.*}} k <2> dim 0 largest library "cub"
func.func @sort(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<2xi64>) {
  %v, %i = graph.sort %x dim 0 : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi64>)
  %w, %j = graph.topk %x k <2> dim 0 largest : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi64>)
  return %v, %j : tensor<4xf32>, tensor<2xi64>
}
