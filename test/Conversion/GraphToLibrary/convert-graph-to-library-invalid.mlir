// C1: a library that nobody has registered is an error. Calls of registered ones are tested where a plugin registers one
// (examples/backend-template/test/library.mlir).

// RUN: not coil-opt %s --convert-graph-to-library=library=accelmath 2>&1 | FileCheck %s
// CHECK: error: there is no library 'accelmath'

// RUN: coil-opt %s --convert-graph-to-library | FileCheck %s --check-prefix=NONE
// NONE: graph.erf

func.func @convert_graph_to_library_c1(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = graph.erf %x : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
