// RUN: coil-opt %s --graph-legalize-aten | FileCheck %s

// The segment of each row is found by a search in the sums of the lengths.
// CHECK-LABEL: @lengths
// CHECK:         %[[E:.+]] = graph.scan sum, %{{.*}} dim 0
// CHECK:         graph.gather %[[E]]
// CHECK:         graph.scatter max
func.func @lengths(%x: tensor<7x3xf32>, %l: tensor<2xi64>) -> tensor<2x3xf32> {
  %0 = graph.aten "aten.segment_reduce.default"(%x, %l) ["data", "lengths"] {reduce = "max", axis = 0 : i64, unsafe = false} : (tensor<7x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @bags
// CHECK:         graph.index %{{.*}} dims [0] : (tensor<11x3xf32>, tensor<7xi64>)
// CHECK:         graph.index_put sum
// CHECK:         graph.div
func.func @bags(%w: tensor<11x3xf32>, %i: tensor<7xi64>, %o: tensor<2xi64>) -> tensor<2x3xf32> {
  %0:4 = graph.aten "aten.embedding_bag.padding_idx"(%w, %i, %o) ["weight", "indices", "offsets"] {scale_grad_by_freq = false, mode = 1 : i64, sparse = false, include_last_offset = false} : (tensor<11x3xf32>, tensor<7xi64>, tensor<2xi64>) -> (tensor<2x3xf32>, tensor<7xi64>, tensor<2xi64>, tensor<2xi64>)
  return %0#0 : tensor<2x3xf32>
}
