// RUN: coil-opt %s --graph-legalize-aten --graph-verify-contract --split-input-file | FileCheck %s

// Equal elements are next to each other after the sort; the first of each run is
// selected.
// CHECK-LABEL: func.func @unique(
// CHECK:         %[[V:.+]], %[[I:.+]] = graph.sort %{{.+}} dim 0 stable
// CHECK:         %[[BEFORE:.+]] = graph.index %[[V]]
// CHECK:         %[[DIFFERS:.+]] = graph.compare ne, %[[V]], %[[BEFORE]]
// CHECK:         graph.item "u0"
// CHECK-NOT:     graph.scan
// A run is as long as the next one begins later.
// CHECK:         graph.cat %{{.+}} dim 0
// CHECK:         graph.index_put %{{.+}}[%[[I]]], %{{.+}} dims [0]
func.func @unique(%x: tensor<2x4xi64>) -> (tensor<?xi64, #sym.shape<[u0]>>, tensor<2x4xi64>, tensor<?xi64, #sym.shape<[u0]>>)
    attributes {sym.symbols = {u0 = #sym.range<0, 8>}} {
  %0:3 = graph.aten "aten._unique2.default"(%x) ["self"] {sorted = true, return_inverse = true, return_counts = true} defines ["u0"] : (tensor<2x4xi64>) -> (tensor<?xi64, #sym.shape<[u0]>>, tensor<2x4xi64>, tensor<?xi64, #sym.shape<[u0]>>)
  return %0#0, %0#1, %0#2 : tensor<?xi64, #sym.shape<[u0]>>, tensor<2x4xi64>, tensor<?xi64, #sym.shape<[u0]>>
}

// -----

// What nobody asks for is empty.
// CHECK-LABEL: func.func @values_only(
// CHECK:         graph.full 0 : i64 -> tensor<0xi64>
func.func @values_only(%x: tensor<8xi64>) -> (tensor<?xi64, #sym.shape<[u0]>>, tensor<0xi64>)
    attributes {sym.symbols = {u0 = #sym.range<0, 8>}} {
  %0:3 = graph.aten "aten.unique_consecutive.default"(%x) ["self"] {return_inverse = false, return_counts = false} defines ["u0"] : (tensor<8xi64>) -> (tensor<?xi64, #sym.shape<[u0]>>, tensor<0xi64>, tensor<0xi64>)
  return %0#0, %0#1 : tensor<?xi64, #sym.shape<[u0]>>, tensor<0xi64>
}

// -----

// Rows are sorted by their columns, the last one first.
// CHECK-LABEL: func.func @few_columns(
// CHECK-COUNT-2: graph.sort
// CHECK-NOT:     graph.sort
// CHECK:         graph.reduce any
// CHECK:         graph.item "u0"
func.func @few_columns(%x: tensor<8x2xf32>) -> tensor<?x2xf32, #sym.shape<[u0, 2]>>
    attributes {sym.symbols = {u0 = #sym.range<0, 8>}} {
  %0:3 = graph.aten "aten.unique_dim.default"(%x) ["self"] {dim = 0 : i64, sorted = true, return_inverse = false, return_counts = false} defines ["u0"] : (tensor<8x2xf32>) -> (tensor<?x2xf32, #sym.shape<[u0, 2]>>, tensor<8xi64>, tensor<?xi64, #sym.shape<[u0]>>)
  return %0#0 : tensor<?x2xf32, #sym.shape<[u0, 2]>>
}

// -----

// Many of them in a loop.
// CHECK-LABEL: func.func @many_columns(
// CHECK:         %[[ORDER:.+]]:2 = graph.while
// CHECK:           graph.condition
// CHECK:         } do {
// CHECK:           graph.sort
// CHECK:           graph.yield
// CHECK:         graph.item "u0"
func.func @many_columns(%x: tensor<?x?xf32, #sym.shape<[s0, s1]>>) -> tensor<?x?xf32, #sym.shape<[u0, s1]>>
    attributes {sym.symbols = {s0 = #sym.range<2, *>, s1 = #sym.range<2, *>, u0 = #sym.range<0, *>}} {
  %0:3 = graph.aten "aten.unique_dim.default"(%x) ["self"] {dim = 0 : i64, sorted = true, return_inverse = false, return_counts = false} defines ["u0"] : (tensor<?x?xf32, #sym.shape<[s0, s1]>>) -> (tensor<?x?xf32, #sym.shape<[u0, s1]>>, tensor<?xi64, #sym.shape<[s0]>>, tensor<?xi64, #sym.shape<[u0]>>)
  return %0#0 : tensor<?x?xf32, #sym.shape<[u0, s1]>>
}
