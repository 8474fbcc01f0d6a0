// RUN: coil-opt %s --graph-legalize-aten | FileCheck %s

// The lower of the two in the middle; the first NaN, if there is one.
// CHECK-LABEL: @median
// CHECK:         %[[V:.+]], %[[P:.+]] = graph.sort %{{.*}} dim 1
// CHECK:         graph.isnan %[[V]]
// CHECK:         graph.gather %[[V]], %{{.*}} dim 1
// CHECK:         graph.gather %[[P]], %{{.*}} dim 1
func.func @median(%x: tensor<3x5xf32>) -> (tensor<3xf32>, tensor<3xi64>) {
  %0:2 = graph.aten "aten.median.dim"(%x) ["self"] {dim = 1 : i64, keepdim = false} : (tensor<3x5xf32>) -> (tensor<3xf32>, tensor<3xi64>)
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
