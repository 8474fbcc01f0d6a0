// RUN: coil-opt %s --graph-legalize-aten | FileCheck %s

// The lower of the two in the middle, which a selection finds; the first NaN, if there is one,
// which is the maximum.
// CHECK-LABEL: @median
// CHECK:         %[[V:.+]], %[[P:.+]] = graph.topk %{{.*}} k <3> dim 1 largest :
// CHECK:         %[[M:.+]], %[[AT:.+]] = graph.arg_reduce max, %{{.*}} dim 1
// CHECK:         graph.isnan %[[M]]
// CHECK:         graph.select
func.func @median(%x: tensor<3x5xf32>) -> (tensor<3xf32>, tensor<3xi64>) {
  %0:2 = graph.aten "aten.median.dim"(%x) ["self"] {dim = 1 : i64, keepdim = false} : (tensor<3x5xf32>) -> (tensor<3xf32>, tensor<3xi64>)
  return %0#0, %0#1 : tensor<3xf32>, tensor<3xi64>
}

// From the nearer end.
// CHECK-LABEL: @kth
// CHECK:         graph.topk %{{.*}} k <2> dim 1 :
// CHECK:         graph.topk %{{.*}} k <1> dim 1 largest :
func.func @kth(%x: tensor<3x5xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %0:2 = graph.aten "aten.kthvalue.default"(%x) ["self"] {k = 2 : i64, dim = 1 : i64, keepdim = false} : (tensor<3x5xf32>) -> (tensor<3xf32>, tensor<3xi64>)
  %1:2 = graph.aten "aten.kthvalue.default"(%x) ["self"] {k = 5 : i64, dim = 1 : i64, keepdim = false} : (tensor<3x5xf32>) -> (tensor<3xf32>, tensor<3xi64>)
  return %0#0, %1#0 : tensor<3xf32>, tensor<3xf32>
}

// Which of many the data decides, so that all of them are sorted.
// CHECK-LABEL: @nanmedian
// CHECK:         graph.sort
func.func @nanmedian(%x: tensor<3x5xf32>) -> (tensor<3xf32>, tensor<3xi64>) {
  %0:2 = graph.aten "aten.nanmedian.dim"(%x) ["self"] {dim = 1 : i64, keepdim = false} : (tensor<3x5xf32>) -> (tensor<3xf32>, tensor<3xi64>)
  return %0#0, %0#1 : tensor<3xf32>, tensor<3xi64>
}

// CHECK-LABEL: @kth_is_outside
// CHECK:         graph.aten {{.*}}graph.reason = "its number is outside the dimension"
func.func @kth_is_outside(%x: tensor<3x5xf32>) -> (tensor<3xf32>, tensor<3xi64>) {
  %0:2 = graph.aten "aten.kthvalue.default"(%x) ["self"] {k = 6 : i64, dim = 1 : i64, keepdim = false} : (tensor<3x5xf32>) -> (tensor<3xf32>, tensor<3xi64>)
  return %0#0, %0#1 : tensor<3xf32>, tensor<3xi64>
}

// CHECK-LABEL: @mode
// CHECK:         graph.sort
// CHECK:         graph.scan max
// CHECK:         graph.arg_reduce max
func.func @mode(%x: tensor<3x5xi32>) -> (tensor<3x1xi32>, tensor<3x1xi64>) {
  %0:2 = graph.aten "aten.mode.default"(%x) ["self"] {dim = -1 : i64, keepdim = true} : (tensor<3x5xi32>) -> (tensor<3x1xi32>, tensor<3x1xi64>)
  return %0#0, %0#1 : tensor<3x1xi32>, tensor<3x1xi64>
}
