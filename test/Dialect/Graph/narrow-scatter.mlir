// RUN: coil-opt %s --graph-narrow-scatter --split-input-file | FileCheck %s
// RUN: coil-opt %s --split-input-file --coil-graph-pipeline='target=cuda:sm_90a' | FileCheck %s
// RUN: coil-opt %s --split-input-file --coil-graph-pipeline='target=cuda:sm_80' | FileCheck %s --check-prefix=WIDE
// RUN: coil-opt %s --split-input-file --coil-graph-pipeline='target=cuda:sm_90a deterministic' | FileCheck %s --check-prefix=WIDE
// RUN: coil-opt %s --split-input-file --coil-graph-pipeline='target=cuda:sm_90a fast-math=off' | FileCheck %s --check-prefix=WIDE
// RUN: coil-opt %s --split-input-file --coil-graph-pipeline='target=cpu' | FileCheck %s --check-prefix=WIDE

// WIDE-NOT: graph.index_put sum {{.*}}bf16

// CHECK-LABEL: @index_put
// CHECK-SAME:  (%[[X:.+]]: tensor<128x16xbf16>, %[[I:.+]]: tensor<3xi64>, %[[V:.+]]: tensor<3x16xbf16>)
// CHECK-NEXT:  %[[R:.+]] = graph.index_put sum %[[X]][%[[I]]], %[[V]] dims [0] : (tensor<128x16xbf16>, tensor<3xi64>, tensor<3x16xbf16>) -> tensor<128x16xbf16>
// CHECK-NEXT:  return %[[R]]
func.func @index_put(%x: tensor<128x16xbf16>, %i: tensor<3xi64>, %v: tensor<3x16xbf16>) -> tensor<128x16xbf16> {
  %0 = graph.convert %x : (tensor<128x16xbf16>) -> tensor<128x16xf32>
  %1 = graph.convert %v : (tensor<3x16xbf16>) -> tensor<3x16xf32>
  %2 = graph.index_put sum %0[%i], %1 dims [0] : (tensor<128x16xf32>, tensor<3xi64>, tensor<3x16xf32>) -> tensor<128x16xf32>
  %3 = graph.convert %2 : (tensor<128x16xf32>) -> tensor<128x16xbf16>
  return %3 : tensor<128x16xbf16>
}

// -----

// Values that were computed in f32 are rounded first.
// CHECK-LABEL: @computed_values
// CHECK:       %[[W:.+]] = graph.convert %{{.+}} : (tensor<3x16xf32>) -> tensor<3x16xf16>
// CHECK:       graph.index_put sum %{{.+}}[%{{.+}}], %[[W]] dims [0] : (tensor<128x16xf16>
func.func @computed_values(%x: tensor<128x16xf16>, %i: tensor<3xi64>, %v: tensor<3x16xf32>) -> tensor<128x16xf16> {
  %0 = graph.convert %x : (tensor<128x16xf16>) -> tensor<128x16xf32>
  %2 = graph.index_put sum %0[%i], %v dims [0] : (tensor<128x16xf32>, tensor<3xi64>, tensor<3x16xf32>) -> tensor<128x16xf32>
  %3 = graph.convert %2 : (tensor<128x16xf32>) -> tensor<128x16xf16>
  return %3 : tensor<128x16xf16>
}

// -----

// CHECK-LABEL: @graph_narrow_scatter_c1
// CHECK:       graph.index_put sum {{.*}} : (tensor<128x16xf32>
func.func @graph_narrow_scatter_c1(%x: tensor<128x16xbf16>, %i: tensor<3xi64>, %v: tensor<3x16xf32>) -> (tensor<128x16xbf16>, tensor<128x16xf32>) {
  %0 = graph.convert %x : (tensor<128x16xbf16>) -> tensor<128x16xf32>
  %2 = graph.index_put sum %0[%i], %v dims [0] : (tensor<128x16xf32>, tensor<3xi64>, tensor<3x16xf32>) -> tensor<128x16xf32>
  %3 = graph.convert %2 : (tensor<128x16xf32>) -> tensor<128x16xbf16>
  return %3, %2 : tensor<128x16xbf16>, tensor<128x16xf32>
}

// -----

// The gradient of an embedding: its operand is a zero of f32.
// CHECK-LABEL: @graph_narrow_scatter_c2
// CHECK:       graph.index_put sum {{.*}} : (tensor<128x16xf32>
func.func @graph_narrow_scatter_c2(%i: tensor<3xi64>, %v: tensor<3x16xf32>) -> tensor<128x16xbf16> {
  %z = graph.full 0.0 : f32 -> tensor<128x16xf32>
  %2 = graph.index_put sum %z[%i], %v dims [0] : (tensor<128x16xf32>, tensor<3xi64>, tensor<3x16xf32>) -> tensor<128x16xf32>
  %3 = graph.convert %2 : (tensor<128x16xf32>) -> tensor<128x16xbf16>
  return %3 : tensor<128x16xbf16>
}

// -----

// CHECK-LABEL: @graph_narrow_scatter_c3
// CHECK:       graph.index_put sum {{.*}} : (tensor<128x16xf32>
func.func @graph_narrow_scatter_c3(%x: tensor<128x16xbf16>, %i: tensor<3xi64>, %v: tensor<128x3xf32>) -> tensor<128x16xbf16> {
  %0 = graph.convert %x : (tensor<128x16xbf16>) -> tensor<128x16xf32>
  %2 = graph.index_put sum %0[%i], %v dims [1] : (tensor<128x16xf32>, tensor<3xi64>, tensor<128x3xf32>) -> tensor<128x16xf32>
  %3 = graph.convert %2 : (tensor<128x16xf32>) -> tensor<128x16xbf16>
  return %3 : tensor<128x16xbf16>
}

// -----

// A conversion may broadcast what it widens, and the sum.
// CHECK-LABEL: @broadcast
// CHECK-SAME:  (%[[X:.+]]: tensor<16xbf16>, %[[I:.+]]: tensor<3xi64>, %[[V:.+]]: tensor<bf16>)
// CHECK:       %[[BX:.+]] = graph.broadcast %[[X]] : (tensor<16xbf16>) -> tensor<128x16xbf16>
// CHECK:       %[[BV:.+]] = graph.broadcast %[[V]] : (tensor<bf16>) -> tensor<3x16xbf16>
// CHECK:       %[[S:.+]] = graph.index_put sum %[[BX]][%[[I]]], %[[BV]] dims [0] : (tensor<128x16xbf16>, tensor<3xi64>, tensor<3x16xbf16>) -> tensor<128x16xbf16>
// CHECK:       graph.broadcast %[[S]] : (tensor<128x16xbf16>) -> tensor<2x128x16xbf16>
func.func @broadcast(%x: tensor<16xbf16>, %i: tensor<3xi64>, %v: tensor<bf16>) -> tensor<2x128x16xbf16> {
  %0 = graph.convert %x : (tensor<16xbf16>) -> tensor<128x16xf32>
  %1 = graph.convert %v : (tensor<bf16>) -> tensor<3x16xf32>
  %2 = graph.index_put sum %0[%i], %1 dims [0] : (tensor<128x16xf32>, tensor<3xi64>, tensor<3x16xf32>) -> tensor<128x16xf32>
  %3 = graph.convert %2 : (tensor<128x16xf32>) -> tensor<2x128x16xbf16>
  return %3 : tensor<2x128x16xbf16>
}
