// One type stands for all operands of an elementwise operator, whose result is inferred. What is
// printed has all types, and is read back.
// RUN: coil-opt %s | FileCheck %s
// RUN: coil-opt %s | coil-opt | FileCheck %s
// RUN: coil-opt %s -mlir-print-op-generic | coil-opt | FileCheck %s

// CHECK-LABEL: func.func @types
func.func @types(%a: tensor<4x?xf32, #sym.shape<[4, n]>>, %p: tensor<2xi1>) attributes {sym.symbols = {n = #sym.range<2, 8>}} {
  // CHECK: graph.abs %{{.*}} : (tensor<4x?xf32, #sym.shape<[4, n]>>) -> tensor<4x?xf32, #sym.shape<[4, n]>>
  %0 = graph.abs %a : tensor<4x?xf32, #sym.shape<[4, n]>>
  // CHECK: graph.isnan %{{.*}} : (tensor<4x?xf32, #sym.shape<[4, n]>>) -> tensor<4x?xi1, #sym.shape<[4, n]>>
  %1 = graph.isnan %a : tensor<4x?xf32, #sym.shape<[4, n]>>
  // CHECK: graph.add %{{.*}}, %{{.*}} : ([[T:tensor<.*>]], [[T]]) -> [[T]]
  %2 = graph.add %a, %0 : tensor<4x?xf32, #sym.shape<[4, n]>>
  // CHECK: graph.compare lt, %{{.*}}, %{{.*}} : ([[T]], [[T]]) -> tensor<4x?xi1, #sym.shape<[4, n]>>
  %3 = graph.compare lt, %a, %2 : tensor<4x?xf32, #sym.shape<[4, n]>>
  // CHECK: graph.bitwise_not %{{.*}} : (tensor<2xi1>) -> tensor<2xi1>
  %4 = graph.bitwise_not %p : tensor<2xi1>
  return
}
