// RUN: coil-opt %s --graph-privatize-scatter --split-input-file | FileCheck %s
// RUN: coil-opt %s --split-input-file --coil-graph-pipeline='target=cuda:sm_90a' | FileCheck %s --check-prefix=GPU
// RUN: coil-opt %s --split-input-file --coil-graph-pipeline='target=cuda:sm_90a deterministic' | FileCheck %s --check-prefix=NONE
// RUN: coil-opt %s --split-input-file --coil-graph-pipeline='target=cpu' | FileCheck %s --check-prefix=NONE
// RUN: coil-opt %s --graph-privatize-scatter=max-bytes=65536 --split-input-file | FileCheck %s --check-prefix=SMALL

// NONE-NOT: tensor<100x1024xi64>
// GPU: graph.index_put sum {{.*}} -> tensor<100x1024xi64>
// SMALL: -> tensor<100x64xi64>

// CHECK-LABEL: @histogram
// CHECK-SAME:  (%[[X:.+]]: tensor<100xi64>, %[[I:.+]]: tensor<1048576xi64>, %[[V:.+]]: tensor<1048576xi64>)
// CHECK-DAG:   %[[ZERO:.+]] = graph.full 0 : i64 -> tensor<100x1024xi64>
// CHECK-DAG:   %[[AT:.+]] = graph.iota 0 : i64 step 1 : i64 dim 0 -> tensor<1048576xi64>
// CHECK:       %[[C:.+]] = graph.remainder %[[AT]],
// CHECK:       %[[PUT:.+]] = graph.index_put sum %[[ZERO]][%[[I]], %[[C]]], %[[V]] dims [0, 1]
// CHECK:       %[[SUM:.+]] = graph.reduce sum, %[[PUT]] dims [1] : (tensor<100x1024xi64>) -> tensor<100xi64>
// CHECK:       graph.add %[[X]], %[[SUM]]
func.func @histogram(%x: tensor<100xi64>, %i: tensor<1048576xi64>, %v: tensor<1048576xi64>) -> tensor<100xi64> {
  %0 = graph.index_put sum %x[%i], %v dims [0] : (tensor<100xi64>, tensor<1048576xi64>, tensor<1048576xi64>) -> tensor<100xi64>
  return %0 : tensor<100xi64>
}

// -----

// Several dimensions, and as many elements as a symbol says.
// CHECK-LABEL: @symbolic
// CHECK:       graph.index_put sum %{{.+}}[%{{.+}}, %{{.+}}, %{{.+}}], %{{.+}} dims [0, 1, 2] : (tensor<3x4x1024xf32>
func.func @symbolic(%x: tensor<3x4xf32>, %i: tensor<?xi64, #sym.shape<[s0]>>, %j: tensor<?xi64, #sym.shape<[s0]>>, %v: tensor<?xf32, #sym.shape<[s0]>>) -> tensor<3x4xf32>
    attributes {sym.symbols = {s0 = #sym.range<0, 1048576>}} {
  %0 = graph.index_put sum %x[%i, %j], %v dims [0, 1] : (tensor<3x4xf32>, tensor<?xi64, #sym.shape<[s0]>>, tensor<?xi64, #sym.shape<[s0]>>, tensor<?xf32, #sym.shape<[s0]>>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// -----

// CHECK-LABEL: @graph_privatize_scatter_c1_kind
// CHECK:       graph.index_put max %{{.+}}[%{{[^,]+}}], %{{.+}} dims [0]
func.func @graph_privatize_scatter_c1_kind(%x: tensor<10xf32>, %i: tensor<1048576xi64>, %v: tensor<1048576xf32>) -> tensor<10xf32> {
  %0 = graph.index_put max %x[%i], %v dims [0] : (tensor<10xf32>, tensor<1048576xi64>, tensor<1048576xf32>) -> tensor<10xf32>
  return %0 : tensor<10xf32>
}

// -----

// CHECK-LABEL: @graph_privatize_scatter_c1_type
// CHECK:       graph.index_put sum %{{.+}}[%{{[^,]+}}], %{{.+}} dims [0]
func.func @graph_privatize_scatter_c1_type(%x: tensor<10xf16>, %i: tensor<1048576xi64>, %v: tensor<1048576xf16>) -> tensor<10xf16> {
  %0 = graph.index_put sum %x[%i], %v dims [0] : (tensor<10xf16>, tensor<1048576xi64>, tensor<1048576xf16>) -> tensor<10xf16>
  return %0 : tensor<10xf16>
}

// -----

// CHECK-LABEL: @graph_privatize_scatter_c2
// CHECK:       graph.index_put sum %{{.+}}[%{{[^,]+}}], %{{.+}} dims [0]
func.func @graph_privatize_scatter_c2(%x: tensor<10x2xf32>, %i: tensor<1048576xi64>, %v: tensor<1048576x2xf32>) -> tensor<10x2xf32> {
  %0 = graph.index_put sum %x[%i], %v dims [0] : (tensor<10x2xf32>, tensor<1048576xi64>, tensor<1048576x2xf32>) -> tensor<10x2xf32>
  return %0 : tensor<10x2xf32>
}

// -----

// CHECK-LABEL: @graph_privatize_scatter_c3
// CHECK:       graph.index_put sum %{{.+}}[%{{[^,]+}}], %{{.+}} dims [0]
func.func @graph_privatize_scatter_c3(%x: tensor<8193xf32>, %i: tensor<16777216xi64>, %v: tensor<16777216xf32>) -> tensor<8193xf32> {
  %0 = graph.index_put sum %x[%i], %v dims [0] : (tensor<8193xf32>, tensor<16777216xi64>, tensor<16777216xf32>) -> tensor<8193xf32>
  return %0 : tensor<8193xf32>
}

// -----

// CHECK-LABEL: @graph_privatize_scatter_c4
// CHECK:       graph.index_put sum %{{.+}}[%{{[^,]+}}], %{{.+}} dims [0]
func.func @graph_privatize_scatter_c4(%x: tensor<100xf32>, %i: tensor<25000xi64>, %v: tensor<25000xf32>) -> tensor<100xf32> {
  %0 = graph.index_put sum %x[%i], %v dims [0] : (tensor<100xf32>, tensor<25000xi64>, tensor<25000xf32>) -> tensor<100xf32>
  return %0 : tensor<100xf32>
}
