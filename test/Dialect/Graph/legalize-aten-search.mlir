// RUN: coil-opt %s --graph-legalize-aten | FileCheck %s

// Seven elements take three steps.
// CHECK-LABEL: @searchsorted
// CHECK-COUNT-3: graph.index %{{.*}} dims [0]
// CHECK-NOT:     graph.index
// CHECK:         return
func.func @searchsorted(%s: tensor<7xf32>, %x: tensor<4x5xf32>) -> tensor<4x5xi64> {
  %0 = graph.aten "aten.searchsorted.Tensor"(%s, %x) ["sorted_sequence", "self"] {out_int32 = false, right = false} : (tensor<7xf32>, tensor<4x5xf32>) -> tensor<4x5xi64>
  return %0 : tensor<4x5xi64>
}

// A symbol has as many steps as its largest value needs.
// CHECK-LABEL: @bounded
// CHECK-COUNT-5: graph.index %{{.*}} dims [0]
// CHECK-NOT:     graph.index
// CHECK:         return
func.func @bounded(%s: tensor<?xf32, #sym.shape<[s0]>>, %x: tensor<5xf32>) -> tensor<5xi64>
    attributes {sym.symbols = {s0 = #sym.range<2, 31>}} {
  %0 = graph.aten "aten.bucketize.Tensor"(%x, %s) ["self", "boundaries"] {out_int32 = false, right = true} : (tensor<5xf32>, tensor<?xf32, #sym.shape<[s0]>>) -> tensor<5xi64>
  return %0 : tensor<5xi64>
}

// What is outside adds nothing.
// CHECK-LABEL: @histc
// CHECK:         %[[Z:.+]] = graph.full 0 : i64 -> tensor<4xi64>
// CHECK:         graph.index_put sum %[[Z]]
func.func @histc(%x: tensor<5x7xf32>) -> tensor<4xf32> {
  %0 = graph.aten "aten.histc.default"(%x) ["self"] {bins = 4 : i64, min = 0.0 : f64, max = 1.0 : f64} : (tensor<5x7xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Many are sorted and searched, few are compared.
// CHECK-LABEL: @in_few
// CHECK-NOT:     graph.sort
// CHECK:         graph.reduce any
// CHECK-LABEL: @in_many
// CHECK:         graph.sort
// CHECK-NOT:     graph.reduce any
// CHECK:         return
func.func @in_few(%x: tensor<5xi64>, %t: tensor<9xi64>) -> tensor<5xi1> {
  %0 = graph.aten "aten.isin.Tensor_Tensor"(%x, %t) ["elements", "test_elements"] {assume_unique = false, invert = false} : (tensor<5xi64>, tensor<9xi64>) -> tensor<5xi1>
  return %0 : tensor<5xi1>
}
func.func @in_many(%x: tensor<5xi64>, %t: tensor<999xi64>) -> tensor<5xi1> {
  %0 = graph.aten "aten.isin.Tensor_Tensor"(%x, %t) ["elements", "test_elements"] {assume_unique = false, invert = true} : (tensor<5xi64>, tensor<999xi64>) -> tensor<5xi1>
  return %0 : tensor<5xi1>
}

// Few edges are compared with each element: the inner two of four, and the
// inner one of three.
// CHECK-LABEL: @histogramdd(
// CHECK-COUNT-3: graph.compare le, %{{.+}} : (tensor<f32>, tensor<9xf32>) -> tensor<9xi1>
// CHECK-NOT:   graph.index %
// CHECK:       graph.index_put sum %{{.+}}[%{{.+}}, %{{.+}}], %{{.+}} dims [0, 1]
func.func @histogramdd(%x: tensor<9x2xf32>, %e: tensor<4xf32>, %f: tensor<3xf32>) -> (tensor<3x2xf32>, tensor<4xf32>, tensor<3xf32>) {
  %0:3 = graph.aten "aten.histogramdd.TensorList_bins"(%x, %e, %f) ["self", "bins", "bins"] {density = false} : (tensor<9x2xf32>, tensor<4xf32>, tensor<3xf32>) -> (tensor<3x2xf32>, tensor<4xf32>, tensor<3xf32>)
  return %0#0, %0#1, %0#2 : tensor<3x2xf32>, tensor<4xf32>, tensor<3xf32>
}
