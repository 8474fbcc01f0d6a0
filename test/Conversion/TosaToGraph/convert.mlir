// RUN: coil-opt %s --convert-tosa-to-graph --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @elementwise
// CHECK:         %[[A:.*]] = graph.add %arg0, %arg1 : (tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<4x8xf32>
// CHECK:         %[[M:.*]] = graph.mul %[[A]], %arg0
// CHECK:         %[[G:.*]] = graph.compare gt
// CHECK:         graph.select %[[G]]
func.func @elementwise(%x: tensor<4x8xf32>, %y: tensor<1x8xf32>) -> tensor<4x8xf32> {
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.add %x, %y : (tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<4x8xf32>
  %1 = tosa.mul %0, %x, %s : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<1xi8>) -> tensor<4x8xf32>
  %2 = tosa.greater %1, %y : (tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<4x8xi1>
  %3 = tosa.select %2, %0, %1 : (tensor<4x8xi1>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %3 : tensor<4x8xf32>
}

// -----

// Floats become integers by rounding to even; those out of range are the nearest.
// CHECK-LABEL: func.func @cast
// CHECK:         %[[R:.*]] = graph.round %arg0
// CHECK:         graph.compare ge, %[[R]]
// CHECK:         graph.maximum %[[R]]
// CHECK:         graph.convert {{.*}} -> tensor<4xi8>
func.func @cast(%x: tensor<4xf32>) -> tensor<4xi8> {
  %0 = tosa.cast %x : (tensor<4xf32>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// -----

// CHECK-LABEL: func.func @reductions
// CHECK:         graph.reduce sum, %arg0 dims [1] keepdims : (tensor<4x8xf32>) -> tensor<4x1xf32>
// CHECK:         graph.arg_reduce max, %arg0 dim 1
// CHECK:         graph.convert {{.*}} -> tensor<4xi32>
func.func @reductions(%x: tensor<4x8xf32>) -> (tensor<4x1xf32>, tensor<4xi32>) {
  %0 = tosa.reduce_sum %x {axis = 1 : i32} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %1 = tosa.argmax %x {axis = 1 : i32} : (tensor<4x8xf32>) -> tensor<4xi32>
  return %0, %1 : tensor<4x1xf32>, tensor<4xi32>
}

// -----

// Zero points are subtracted in the type of the result.
// CHECK-LABEL: func.func @matmul_i8
// CHECK:         %[[X:.*]] = graph.convert %arg0 : (tensor<1x4x8xi8>) -> tensor<1x4x8xi32>
// CHECK:         %[[S:.*]] = graph.sub %[[X]]
// CHECK:         %[[Y:.*]] = graph.convert %arg1
// CHECK:         graph.matmul %[[S]], %[[Y]] : {{.*}} -> tensor<1x4x3xi32>
func.func @matmul_i8(%x: tensor<1x4x8xi8>, %y: tensor<1x8x3xi8>) -> tensor<1x4x3xi32> {
  %a = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %b = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.matmul %x, %y, %a, %b : (tensor<1x4x8xi8>, tensor<1x8x3xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x4x3xi32>
  return %0 : tensor<1x4x3xi32>
}

// -----

// Uneven padding is put around the operand.
// CHECK-LABEL: func.func @conv2d
// CHECK:         %[[P:.*]] = graph.pad %arg0 low [0, 0, 0, 0] high [0, 1, 1, 0] value 0.000000e+00
// CHECK:         graph.conv %[[P]], %arg1, %arg2 stride [2, 2] padding [0, 0] dilation [1, 1] groups 1 channels_last
func.func @conv2d(%x: tensor<1x8x8x3xf32>, %w: tensor<4x3x3x3xf32>, %b: tensor<4xf32>) -> tensor<1x4x4x4xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %0 = tosa.conv2d %x, %w, %b, %z, %z {acc_type = f32, pad = array<i64: 0, 1, 0, 1>, stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>} : (tensor<1x8x8x3xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x4x4xf32>
  return %0 : tensor<1x4x4x4xf32>
}

// -----

// CHECK-LABEL: func.func @data
// CHECK:         graph.pad %arg0 low [0, 1] high [0, 2] value 1.000000e+00
// CHECK:         graph.slice {{.*}} steps [1, -1]
// CHECK:         graph.permute {{.*}} [1, 0]
// CHECK:         graph.broadcast {{.*}} -> tensor<2x7x1x4xf32>
func.func @data(%x: tensor<4x4xf32>) -> tensor<14x4xf32> {
  %c = "tosa.const"() <{values = dense<1.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %p = tosa.const_shape {values = dense<[0, 0, 1, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %m = tosa.const_shape {values = dense<[2, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %0 = tosa.pad %x, %p, %c : (tensor<4x4xf32>, !tosa.shape<4>, tensor<1xf32>) -> tensor<4x7xf32>
  %1 = tosa.reverse %0 {axis = 1 : i32} : (tensor<4x7xf32>) -> tensor<4x7xf32>
  %2 = tosa.transpose %1 {perms = array<i32: 1, 0>} : (tensor<4x7xf32>) -> tensor<7x4xf32>
  %3 = tosa.tile %2, %m : (tensor<7x4xf32>, !tosa.shape<2>) -> tensor<14x4xf32>
  return %3 : tensor<14x4xf32>
}

// -----

// What has no operator stays, as does what has sizes without names.
// CHECK-LABEL: func.func @convert_tosa_to_graph_c1
// CHECK:         tosa.exp
// CHECK-LABEL: func.func @left
// CHECK:         tosa.clz
func.func @convert_tosa_to_graph_c1(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = tosa.exp %x : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @left(%x: tensor<4xi32>) -> tensor<4xi32> {
  %0 = tosa.clz %x : (tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
