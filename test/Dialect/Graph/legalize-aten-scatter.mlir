// RUN: coil-opt %s --graph-legalize-aten | FileCheck %s

// Values broadcast to what the indices select.
// CHECK-LABEL: @index_put
// CHECK:         %[[V:.+]] = graph.broadcast %{{.+}} : (tensor<6xf32>) -> tensor<2x3x6xf32>
// CHECK:         graph.index_put %{{.+}}[%{{.+}}], %[[V]] dims [0] : (tensor<5x6xf32>, tensor<2x3xi64>, tensor<2x3x6xf32>) -> tensor<5x6xf32>
func.func @index_put(%x: tensor<5x6xf32>, %i: tensor<2x3xi64>, %v: tensor<6xf32>) -> tensor<5x6xf32> {
  %0 = graph.aten "aten.index_put.default"(%x, %i, %v) ["self", "indices.0", "values"] {accumulate = false} : (tensor<5x6xf32>, tensor<2x3xi64>, tensor<6xf32>) -> tensor<5x6xf32>
  return %0 : tensor<5x6xf32>
}

// 16 bits add up in 32, absent indices take whole dimensions.
// CHECK-LABEL: @index_put_accumulate
// CHECK:         graph.convert %{{.+}} : (tensor<5x6x7xbf16>) -> tensor<5x6x7xf32>
// CHECK:         graph.index_put sum %{{.+}}[%{{.+}}], %{{.+}} dims [1] : (tensor<5x6x7xf32>, tensor<2xi64>, tensor<5x2x7xf32>) -> tensor<5x6x7xf32>
func.func @index_put_accumulate(%x: tensor<5x6x7xbf16>, %i: tensor<2xi64>, %v: tensor<5x2x7xbf16>) -> tensor<5x6x7xbf16> {
  %0 = graph.aten "aten.index_put.default"(%x, %i, %v) ["self", "indices.1", "values"] {accumulate = true} : (tensor<5x6x7xbf16>, tensor<2xi64>, tensor<5x2x7xbf16>) -> tensor<5x6x7xbf16>
  return %0 : tensor<5x6x7xbf16>
}

// One value for all that a mask selects does not depend on their number; of several,
// an element's number says which one it gets.
// CHECK-LABEL: @index_put_mask
// CHECK:         graph.select
// CHECK-NOT:     graph.index_put
func.func @index_put_mask(%x: tensor<5x6xf32>, %m: tensor<5xi1>, %v: tensor<f32>) -> tensor<5x6xf32> {
  %0 = graph.aten "aten.index_put.default"(%x, %m, %v) ["self", "indices.0", "values"] {accumulate = false} : (tensor<5x6xf32>, tensor<5xi1>, tensor<f32>) -> tensor<5x6xf32>
  return %0 : tensor<5x6xf32>
}

// CHECK-LABEL: @index_put_mask_many
// CHECK:         %[[SUMS:.+]] = graph.scan sum
// The last row is for another number of elements than of values, which is an
// error.
// CHECK:         graph.cat %arg2, %{{.+}} dim 0 : (tensor<3xf32>, tensor<1xf32>) -> tensor<4xf32>
// CHECK:         graph.slice %[[SUMS]] starts <[4]>
// CHECK:         %[[ROWS:.+]] = graph.index %{{.+}}[%{{.+}}] dims [0] : (tensor<4xf32>, tensor<5xi64>) -> tensor<5xf32>
// CHECK:         graph.select %arg1, %[[ROWS]], %arg0
func.func @index_put_mask_many(%x: tensor<5xf32>, %m: tensor<5xi1>, %v: tensor<3xf32>) -> tensor<5xf32> {
  %0 = graph.aten "aten.index_put.default"(%x, %m, %v) ["self", "indices.0", "values"] {accumulate = false} : (tensor<5xf32>, tensor<5xi1>, tensor<3xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// CHECK-LABEL: @scatter_add
// CHECK-NEXT:    graph.scatter sum %{{.+}}, %{{.+}}, %{{.+}} dim 1
func.func @scatter_add(%x: tensor<4x6xf32>, %i: tensor<4x2xi64>, %v: tensor<4x3xf32>) -> tensor<4x6xf32> {
  %0 = graph.aten "aten.scatter_add.default"(%x, %i, %v) ["self", "index", "src"] {dim = -1 : i64} : (tensor<4x6xf32>, tensor<4x2xi64>, tensor<4x3xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// Truth values are added by "or".
// CHECK-LABEL: @scatter_add_bool
// CHECK:         graph.scatter any
func.func @scatter_add_bool(%x: tensor<4xi1>, %i: tensor<2xi64>, %v: tensor<2xi1>) -> tensor<4xi1> {
  %0 = graph.aten "aten.scatter_add.default"(%x, %i, %v) ["self", "index", "src"] {dim = 0 : i64} : (tensor<4xi1>, tensor<2xi64>, tensor<2xi1>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

// Where only the run time knows that the index fits, it is asked.
// CHECK-LABEL: @scatter_symbolic
// CHECK:         sym.assert <s0> le <s1>
// CHECK:         graph.scatter
func.func @scatter_symbolic(%x: tensor<4xf32>, %i: tensor<?xi64, #sym.shape<[s0]>>, %v: tensor<?xf32, #sym.shape<[s1]>>) -> tensor<4xf32> {
  %0 = graph.aten "aten.scatter.src"(%x, %i, %v) ["self", "index", "src"] {dim = 0 : i64} : (tensor<4xf32>, tensor<?xi64, #sym.shape<[s0]>>, tensor<?xf32, #sym.shape<[s1]>>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @scatter_too_large
// CHECK:         graph.reason = "its index is larger than an operand"
func.func @scatter_too_large(%x: tensor<4xf32>, %i: tensor<3xi64>, %v: tensor<2xf32>) -> tensor<4xf32> {
  %0 = graph.aten "aten.scatter.src"(%x, %i, %v) ["self", "index", "src"] {dim = 0 : i64} : (tensor<4xf32>, tensor<3xi64>, tensor<2xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// A mean without what was there: elements that are written start at zero, and
// those that are not divide by one.
// CHECK-LABEL: @scatter_reduce_mean
// CHECK:         %[[START:.+]] = graph.scatter %{{.+}} dim 0
// CHECK:         %[[SUM:.+]] = graph.scatter sum %[[START]]
// CHECK:         %[[COUNT:.+]] = graph.scatter sum
// CHECK:         %[[ONE:.+]] = graph.maximum %[[COUNT]]
// CHECK:         graph.div %[[SUM]], %[[ONE]]
func.func @scatter_reduce_mean(%x: tensor<4xf32>, %i: tensor<3xi64>, %v: tensor<3xf32>) -> tensor<4xf32> {
  %0 = graph.aten "aten.scatter_reduce.two"(%x, %i, %v) ["self", "index", "src"] {dim = 0 : i64, reduce = "mean", include_self = false} : (tensor<4xf32>, tensor<3xi64>, tensor<3xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @scatter_reduce_unknown
// CHECK:         graph.reason = "its reduction 'median' is not known"
func.func @scatter_reduce_unknown(%x: tensor<4xf32>, %i: tensor<3xi64>, %v: tensor<3xf32>) -> tensor<4xf32> {
  %0 = graph.aten "aten.scatter_reduce.two"(%x, %i, %v) ["self", "index", "src"] {dim = 0 : i64, reduce = "median"} : (tensor<4xf32>, tensor<3xi64>, tensor<3xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @index_add
// CHECK:         %[[V:.+]] = graph.mul
// CHECK:         graph.index_put sum %{{.+}}[%{{.+}}], %[[V]] dims [1]
func.func @index_add(%x: tensor<4x6xf32>, %i: tensor<2xi64>, %v: tensor<4x2xf32>) -> tensor<4x6xf32> {
  %0 = graph.aten "aten.index_add.default"(%x, %i, %v) ["self", "index", "source"] {dim = 1 : i64, alpha = 2 : i64} : (tensor<4x6xf32>, tensor<2xi64>, tensor<4x2xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: @index_fill
// CHECK:         graph.index_put %{{.+}}[%{{.+}}], %{{.+}} dims [0] : (tensor<4x6xf32>, tensor<2xi64>, tensor<2x6xf32>)
func.func @index_fill(%x: tensor<4x6xf32>, %i: tensor<2xi64>) -> tensor<4x6xf32> {
  %0 = graph.aten "aten.index_fill.int_Scalar"(%x, %i) ["self", "index"] {dim = 0 : i64, value = 2.0 : f64} : (tensor<4x6xf32>, tensor<2xi64>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// The row of the padding receives zeros.
// CHECK-LABEL: @embedding_dense_backward
// CHECK:         graph.compare eq
// CHECK:         %[[G:.+]] = graph.select
// CHECK:         graph.index_put sum %{{.+}}[%{{.+}}], %[[G]] dims [0] : (tensor<9x5xf32>, tensor<6xi64>, tensor<6x5xf32>) -> tensor<9x5xf32>
func.func @embedding_dense_backward(%g: tensor<2x3x5xf32>, %i: tensor<2x3xi64>) -> tensor<9x5xf32> {
  %0 = graph.aten "aten.embedding_dense_backward.default"(%g, %i) ["grad_output", "indices"] {num_weights = 9 : i64, padding_idx = 2 : i64, scale_grad_by_freq = false} : (tensor<2x3x5xf32>, tensor<2x3xi64>) -> tensor<9x5xf32>
  return %0 : tensor<9x5xf32>
}

// CHECK-LABEL: @slice_scatter
// CHECK:         graph.slice %{{.+}} -> tensor<4x1xf32>
// CHECK:         graph.slice %{{.+}} -> tensor<4x2xf32>
// CHECK:         graph.cat %{{.+}}, %{{.+}}, %{{.+}} dim 1
func.func @slice_scatter(%x: tensor<4x6xf32>, %v: tensor<4x3xf32>) -> tensor<4x6xf32> {
  %0 = graph.aten "aten.slice_scatter.default"(%x, %v) ["self", "src"] {dim = 1 : i64, start = 1 : i64, end = -2 : i64, step = 1 : i64} : (tensor<4x6xf32>, tensor<4x3xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: @cumsum
// CHECK:         graph.scan sum, %{{.+}} dim 1 : (tensor<4x6xi64>) -> tensor<4x6xi64>
func.func @cumsum(%x: tensor<4x6xi32>) -> tensor<4x6xi64> {
  %0 = graph.aten "aten.cumsum.default"(%x) ["self"] {dim = -1 : i64} : (tensor<4x6xi32>) -> tensor<4x6xi64>
  return %0 : tensor<4x6xi64>
}

// CHECK-LABEL: @cummax
// CHECK-NEXT:    graph.arg_scan max, %{{.+}} dim 0
func.func @cummax(%x: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xi64>) {
  %0:2 = graph.aten "aten.cummax.default"(%x) ["self"] {dim = 0 : i64} : (tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xi64>)
  return %0#0, %0#1 : tensor<4x6xf32>, tensor<4x6xi64>
}
