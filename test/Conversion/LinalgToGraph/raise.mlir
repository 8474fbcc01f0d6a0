// RUN: coil-opt %s --raise-linalg-to-graph --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @matmul
// CHECK:         %[[R:.*]] = graph.matmul %arg0, %arg1 : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
// CHECK:         return %[[R]]
func.func @matmul(%x: tensor<4x8xf32>, %y: tensor<8x3xf32>) -> tensor<4x3xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x3xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4x3xf32>) -> tensor<4x3xf32>
  %0 = linalg.matmul ins(%x, %y : tensor<4x8xf32>, tensor<8x3xf32>) outs(%f : tensor<4x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

// An initial value is added behind the product.
// CHECK-LABEL: func.func @accumulate
// CHECK:         %[[P:.*]] = graph.matmul
// CHECK:         graph.add %arg2, %[[P]]
func.func @accumulate(%x: tensor<4x8xf32>, %y: tensor<8x3xf32>, %i: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %0 = linalg.matmul ins(%x, %y : tensor<4x8xf32>, tensor<8x3xf32>) outs(%i : tensor<4x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

// A transposed factor by its indexing map, batches, and a result whose columns
// are the rows of the first factor.
// CHECK-LABEL: func.func @generic
// CHECK-DAG:     %[[L:.*]] = graph.permute %arg1 [2, 0, 1] : (tensor<5x8x2xf32>) -> tensor<2x5x8xf32>
// CHECK-DAG:     %[[R:.*]] = graph.permute %arg0 [1, 2, 0] : (tensor<4x2x8xf32>) -> tensor<2x8x4xf32>
// CHECK:         graph.matmul %[[L]], %[[R]] : (tensor<2x5x8xf32>, tensor<2x8x4xf32>) -> tensor<2x5x4xf32>
#x = affine_map<(b, m, n, k) -> (m, b, k)>
#y = affine_map<(b, m, n, k) -> (n, k, b)>
#o = affine_map<(b, m, n, k) -> (b, n, m)>
func.func @generic(%x: tensor<4x2x8xf32>, %y: tensor<5x8x2xf32>) -> tensor<2x5x4xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x5x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x5x4xf32>) -> tensor<2x5x4xf32>
  %0 = linalg.generic {indexing_maps = [#x, #y, #o], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<4x2x8xf32>, tensor<5x8x2xf32>) outs(%f : tensor<2x5x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x5x4xf32>
  return %0 : tensor<2x5x4xf32>
}

// -----

// Vectors are matrices of one row or column; several inner loops are one.
// CHECK-LABEL: func.func @matvec
// CHECK:         graph.reshape %arg1 : (tensor<8xf32>) -> tensor<8x1xf32>
// CHECK:         graph.matmul {{.*}} -> tensor<4x1xf32>
// CHECK:         graph.reshape {{.*}} -> tensor<4xf32>
// CHECK-LABEL: func.func @mmt4d
// CHECK:         graph.matmul {{.*}} : (tensor<8x6xf32>, tensor<6x20xf32>) -> tensor<8x20xf32>
func.func @matvec(%x: tensor<4x8xf32>, %y: tensor<8xf32>) -> tensor<4xf32> {
  %z = arith.constant dense<0.0> : tensor<4xf32>
  %0 = linalg.matvec ins(%x, %y : tensor<4x8xf32>, tensor<8xf32>) outs(%z : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @mmt4d(%x: tensor<2x3x4x2xf32>, %y: tensor<5x3x4x2xf32>) -> tensor<2x5x4x4xf32> {
  %z = arith.constant dense<0.0> : tensor<2x5x4x4xf32>
  %0 = linalg.mmt4d ins(%x, %y : tensor<2x3x4x2xf32>, tensor<5x3x4x2xf32>) outs(%z : tensor<2x5x4x4xf32>) -> tensor<2x5x4x4xf32>
  return %0 : tensor<2x5x4x4xf32>
}

// -----

// Types: bf16 summed to f32, i8 extended to i32.
// CHECK-LABEL: func.func @mixed_bf16
// CHECK:         graph.matmul %arg0, %arg1 : (tensor<4x8xbf16>, tensor<8x3xbf16>) -> tensor<4x3xf32>
// CHECK-LABEL: func.func @mixed_i8
// CHECK:         graph.convert %arg0 : (tensor<4x8xi8>) -> tensor<4x8xi32>
// CHECK:         graph.matmul {{.*}} -> tensor<4x3xi32>
func.func @mixed_bf16(%x: tensor<4x8xbf16>, %y: tensor<8x3xbf16>) -> tensor<4x3xf32> {
  %z = arith.constant dense<0.0> : tensor<4x3xf32>
  %0 = linalg.matmul ins(%x, %y : tensor<4x8xbf16>, tensor<8x3xbf16>) outs(%z : tensor<4x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}
func.func @mixed_i8(%x: tensor<4x8xi8>, %y: tensor<8x3xi8>) -> tensor<4x3xi32> {
  %z = arith.constant dense<0> : tensor<4x3xi32>
  %0 = linalg.matmul ins(%x, %y : tensor<4x8xi8>, tensor<8x3xi8>) outs(%z : tensor<4x3xi32>) -> tensor<4x3xi32>
  return %0 : tensor<4x3xi32>
}

// -----

// Zeros on both sides are the convolution's padding; channels stay last.
// CHECK-LABEL: func.func @conv_nhwc
// CHECK:         %[[W:.*]] = graph.permute %arg1 [3, 0, 1, 2] : (tensor<3x3x4x8xf32>) -> tensor<8x3x3x4xf32>
// CHECK:         graph.conv %arg0, %[[W]] stride [1, 1] padding [1, 1] dilation [1, 1] groups 1 channels_last
// CHECK-SAME:      (tensor<1x6x6x4xf32>, tensor<8x3x3x4xf32>) -> tensor<1x6x6x8xf32>
func.func @conv_nhwc(%x: tensor<1x6x6x4xf32>, %w: tensor<3x3x4x8xf32>) -> tensor<1x6x6x8xf32> {
  %z = arith.constant 0.0 : f32
  %init = arith.constant dense<0.0> : tensor<1x6x6x8xf32>
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %z : f32
  } : tensor<1x6x6x4xf32> to tensor<1x8x8x4xf32>
  %0 = linalg.conv_2d_nhwc_hwcf ins(%p, %w : tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) outs(%init : tensor<1x6x6x8xf32>) -> tensor<1x6x6x8xf32>
  return %0 : tensor<1x6x6x8xf32>
}

// -----

// Depthwise with a multiplier, and grouped.
// CHECK-LABEL: func.func @depthwise
// CHECK:         graph.conv {{.*}} groups 4 channels_last : (tensor<1x6x6x4xf32>, tensor<8x3x3x1xf32>) -> tensor<1x4x4x8xf32>
// CHECK:         graph.reshape {{.*}} -> tensor<1x4x4x4x2xf32>
// CHECK-LABEL: func.func @grouped
// CHECK:         graph.conv {{.*}} stride [2, 2] padding [0, 0] dilation [1, 1] groups 2 : (tensor<1x6x7x7xf32>, tensor<8x3x3x3xf32>) -> tensor<1x8x3x3xf32>
func.func @depthwise(%x: tensor<1x6x6x4xf32>, %w: tensor<3x3x4x2xf32>) -> tensor<1x4x4x4x2xf32> {
  %init = arith.constant dense<0.0> : tensor<1x4x4x4x2xf32>
  %0 = linalg.depthwise_conv_2d_nhwc_hwcm ins(%x, %w : tensor<1x6x6x4xf32>, tensor<3x3x4x2xf32>) outs(%init : tensor<1x4x4x4x2xf32>) -> tensor<1x4x4x4x2xf32>
  return %0 : tensor<1x4x4x4x2xf32>
}
func.func @grouped(%x: tensor<1x2x3x7x7xf32>, %w: tensor<2x4x3x3x3xf32>) -> tensor<1x2x4x3x3xf32> {
  %init = arith.constant dense<0.0> : tensor<1x2x4x3x3xf32>
  %0 = linalg.conv_2d_ngchw_gfchw {strides = dense<2> : tensor<2xi64>} ins(%x, %w : tensor<1x2x3x7x7xf32>, tensor<2x4x3x3x3xf32>) outs(%init : tensor<1x2x4x3x3xf32>) -> tensor<1x2x4x3x3xf32>
  return %0 : tensor<1x2x4x3x3xf32>
}

// -----

// CHECK-LABEL: func.func @softmax
// CHECK:         graph.reduce max, %arg0 dims [1] keepdims
// CHECK:         graph.exp
// CHECK:         graph.reduce sum
// CHECK:         graph.div
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %0 = linalg.softmax dimension(1) ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// Sizes that have no names yet: the operation stays.
// CHECK-LABEL: func.func @raise_linalg_to_graph_c1
// CHECK:         linalg.matmul
func.func @raise_linalg_to_graph_c1(%x: tensor<?x8xf32>, %y: tensor<8x3xf32>, %i: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %0 = linalg.matmul ins(%x, %y : tensor<?x8xf32>, tensor<8x3xf32>) outs(%i : tensor<?x3xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

// -----

// What is no sum of products of both operands stays.
// CHECK-LABEL: func.func @other_sums
// CHECK:         linalg.pooling_nhwc_sum
// CHECK:         linalg.quantized_matmul
func.func @other_sums(%x: tensor<1x4x4x1xf32>, %w: tensor<2x2xf32>, %a: tensor<2x3xi8>, %b: tensor<3x4xi8>, %p: i32) -> (tensor<1x3x3x1xf32>, tensor<2x4xi32>) {
  %init = arith.constant dense<0.0> : tensor<1x3x3x1xf32>
  %zero = arith.constant dense<0> : tensor<2x4xi32>
  %0 = linalg.pooling_nhwc_sum ins(%x, %w : tensor<1x4x4x1xf32>, tensor<2x2xf32>) outs(%init : tensor<1x3x3x1xf32>) -> tensor<1x3x3x1xf32>
  %1 = linalg.quantized_matmul ins(%a, %b, %p, %p : tensor<2x3xi8>, tensor<3x4xi8>, i32, i32) outs(%zero : tensor<2x4xi32>) -> tensor<2x4xi32>
  return %0, %1 : tensor<1x3x3x1xf32>, tensor<2x4xi32>
}
