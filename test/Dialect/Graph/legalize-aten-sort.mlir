// RUN: coil-opt %s --graph-legalize-aten --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @sort
// CHECK-NEXT:    %[[V:.+]], %[[I:.+]] = graph.sort %{{.*}} dim 1 : (tensor<4x8xf32>)
// CHECK-NEXT:    return %[[V]], %[[I]]
func.func @sort(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xi64>) {
  %0:2 = graph.aten "aten.sort.default"(%x) ["self"] {dim = -1 : i64, descending = false} : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xi64>)
  return %0#0, %0#1 : tensor<4x8xf32>, tensor<4x8xi64>
}

// CHECK-LABEL: @sort_stable
// CHECK-NEXT:    graph.sort %{{.*}} dim 0 descending stable
func.func @sort_stable(%x: tensor<4x8xui8>) -> (tensor<4x8xui8>, tensor<4x8xi64>) {
  %0:2 = graph.aten "aten.sort.stable"(%x) ["self"] {stable = true, dim = 0 : i64, descending = true} : (tensor<4x8xui8>) -> (tensor<4x8xui8>, tensor<4x8xi64>)
  return %0#0, %0#1 : tensor<4x8xui8>, tensor<4x8xi64>
}

// One element is sorted, and no library is needed for it.
// CHECK-LABEL: @sort_of_one
// CHECK-NOT:     graph.sort
// CHECK:         return %arg0, %{{.*}} : tensor<4x1xf32>, tensor<4x1xi64>
func.func @sort_of_one(%x: tensor<4x1xf32>) -> (tensor<4x1xf32>, tensor<4x1xi64>) {
  %0:2 = graph.aten "aten.sort.stable"(%x) ["self"] {stable = true, dim = -1 : i64, descending = true} : (tensor<4x1xf32>) -> (tensor<4x1xf32>, tensor<4x1xi64>)
  return %0#0, %0#1 : tensor<4x1xf32>, tensor<4x1xi64>
}

// CHECK-LABEL: @argsort
// CHECK-NEXT:    %[[V:.+]], %[[I:.+]] = graph.sort %{{.*}} dim 1 descending
// CHECK-NEXT:    %[[W:.+]], %[[J:.+]] = graph.sort %{{.*}} dim 0 stable
// CHECK-NEXT:    return %[[I]], %[[J]]
func.func @argsort(%x: tensor<4x8xf32>) -> (tensor<4x8xi64>, tensor<4x8xi64>) {
  %0 = graph.aten "aten.argsort.default"(%x) ["self"] {dim = -1 : i64, descending = true} : (tensor<4x8xf32>) -> tensor<4x8xi64>
  %1 = graph.aten "aten.argsort.stable"(%x) ["self"] {stable = true, dim = 0 : i64, descending = false} : (tensor<4x8xf32>) -> tensor<4x8xi64>
  return %0, %1 : tensor<4x8xi64>, tensor<4x8xi64>
}

// CHECK-LABEL: @msort
// CHECK-NEXT:    %[[V:.+]], %{{.+}} = graph.sort %{{.*}} dim 0
// CHECK-NEXT:    return %[[V]]
func.func @msort(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.aten "aten.msort.default"(%x) ["self"] {} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// A scalar is in order.
// CHECK-LABEL: @scalar
// CHECK-SAME:    %[[X:.+]]: tensor<f32>
// CHECK-NEXT:    %[[I:.+]] = graph.full 0 : i64 -> tensor<i64>
// CHECK-NEXT:    return %[[X]], %[[I]]
func.func @scalar(%x: tensor<f32>) -> (tensor<f32>, tensor<i64>) {
  %0:2 = graph.aten "aten.sort.default"(%x) ["self"] {dim = -1 : i64, descending = false} : (tensor<f32>) -> (tensor<f32>, tensor<i64>)
  return %0#0, %0#1 : tensor<f32>, tensor<i64>
}

// CHECK-LABEL: @topk
// CHECK-NEXT:    graph.topk %{{.*}} k <3> dim 1 largest sorted : (tensor<4x8xf32>) -> (tensor<4x3xf32>, tensor<4x3xi64>)
// CHECK-NEXT:    graph.topk %{{.*}} k <2> dim 0 : (tensor<4x8xf32>)
func.func @topk(%x: tensor<4x8xf32>) -> (tensor<4x3xf32>, tensor<4x3xi64>, tensor<2x8xf32>) {
  %0:2 = graph.aten "aten.topk.default"(%x) ["self"] {k = 3 : i64, dim = -1 : i64, largest = true, sorted = true} : (tensor<4x8xf32>) -> (tensor<4x3xf32>, tensor<4x3xi64>)
  %1:2 = graph.aten "aten.topk.default"(%x) ["self"] {k = 2 : i64, dim = 0 : i64, largest = false, sorted = false} : (tensor<4x8xf32>) -> (tensor<2x8xf32>, tensor<2x8xi64>)
  return %0#0, %0#1, %1#0 : tensor<4x3xf32>, tensor<4x3xi64>, tensor<2x8xf32>
}

// Whether there are as many as are taken is asked where it is not known.
// CHECK-LABEL: @topk_dynamic
// CHECK-NEXT:    sym.assert <3> le <s0>
// CHECK-NEXT:    graph.topk %{{.*}} k <3> dim 0
// CHECK-NEXT:    graph.topk %{{.*}} k <s0 floordiv 2> dim 0
func.func @topk_dynamic(%x: tensor<?xf32, #sym.shape<[s0]>>) -> (tensor<3xf32>, tensor<?xf32, #sym.shape<[s0 floordiv 2]>>)
    attributes {sym.symbols = {s0 = #sym.range<2, 100>}} {
  %0:2 = graph.aten "aten.topk.default"(%x) ["self"] {k = 3 : i64, dim = -1 : i64, largest = true, sorted = true} : (tensor<?xf32, #sym.shape<[s0]>>) -> (tensor<3xf32>, tensor<3xi64>)
  %1:2 = graph.aten "aten.topk.default"(%x) ["self"] {k = #sym.expr<s0 floordiv 2>, dim = 0 : i64, largest = true, sorted = true} : (tensor<?xf32, #sym.shape<[s0]>>) -> (tensor<?xf32, #sym.shape<[s0 floordiv 2]>>, tensor<?xi64, #sym.shape<[s0 floordiv 2]>>)
  return %0#0, %1#0 : tensor<3xf32>, tensor<?xf32, #sym.shape<[s0 floordiv 2]>>
}

// -----

// CHECK-LABEL: @refused
// CHECK: graph.aten "aten.sort.default"{{.*}}graph.reason = "floats of 8 bits have no order"
// CHECK: graph.aten "aten.topk.default"{{.*}}graph.reason = "it takes more elements than there are"
func.func @refused(%x: tensor<4xf8E5M2>, %y: tensor<4xf32>) -> (tensor<4xf8E5M2>, tensor<5xf32>) {
  %0:2 = graph.aten "aten.sort.default"(%x) ["self"] {dim = -1 : i64, descending = false} : (tensor<4xf8E5M2>) -> (tensor<4xf8E5M2>, tensor<4xi64>)
  %1:2 = graph.aten "aten.topk.default"(%y) ["self"] {k = 5 : i64, dim = 0 : i64, largest = true, sorted = true} : (tensor<4xf32>) -> (tensor<5xf32>, tensor<5xi64>)
  return %0#0, %1#0 : tensor<4xf8E5M2>, tensor<5xf32>
}
