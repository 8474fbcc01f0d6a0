// RUN: coil-opt %s --graph-legalize-aten | FileCheck %s

// One scale and one shift for each channel.
// CHECK-LABEL: @batch_norm
// CHECK:         graph.rsqrt %{{.*}} : (tensor<3xf32>) -> tensor<3xf32>
// CHECK:         %[[SCALE:.+]] = graph.reshape %{{.*}} : (tensor<3xf32>) -> tensor<3x1xf32>
// CHECK:         %[[X:.+]] = graph.mul %{{.*}}, %[[SCALE]]
// CHECK:         %[[SHIFT:.+]] = graph.reshape %{{.*}} : (tensor<3xf32>) -> tensor<3x1xf32>
// CHECK:         graph.add %[[X]], %[[SHIFT]]
func.func @batch_norm(%x: tensor<2x3x4xf32>, %w: tensor<3xf32>) -> tensor<2x3x4xf32> {
  %0 = graph.aten "aten.batch_norm.default"(%x, %w, %w, %w, %w) ["input", "weight", "bias", "running_mean", "running_var"] {training = false, momentum = 0.1 : f64, eps = 1.0e-5 : f64, cudnn_enabled = false} : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// 16-bit floats are converted at the ends only.
// CHECK-LABEL: @layer_norm_in_half_precision
// CHECK:         graph.convert %{{.*}} : (tensor<4x8xbf16>) -> tensor<4x8xf32>
// CHECK:         graph.welford %{{.*}} dims [1] keepdims : (tensor<4x8xf32>)
// CHECK:         graph.rsqrt
// CHECK:         %[[R:.+]] = graph.add {{.*}} -> tensor<4x8xf32>
// CHECK-NEXT:    graph.convert %[[R]] : (tensor<4x8xf32>) -> tensor<4x8xbf16>
// CHECK-NEXT:    return
func.func @layer_norm_in_half_precision(%x: tensor<4x8xbf16>, %w: tensor<8xbf16>) -> tensor<4x8xbf16> {
  %0 = graph.aten "aten.layer_norm.default"(%x, %w, %w) ["input", "weight", "bias"] {normalized_shape = array<i64: 8>, eps = 1.0e-5 : f64, cudnn_enable = false} : (tensor<4x8xbf16>, tensor<8xbf16>, tensor<8xbf16>) -> tensor<4x8xbf16>
  return %0 : tensor<4x8xbf16>
}

// CHECK-LABEL: @native_layer_norm
// CHECK:         return %{{.*}}, %{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<4x1xf32>, tensor<4x1xf32>
func.func @native_layer_norm(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x1xf32>, tensor<4x1xf32>) {
  %0:3 = graph.aten "aten.native_layer_norm.default"(%x) ["input"] {normalized_shape = array<i64: 8>, eps = 1.0e-5 : f64} : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x1xf32>, tensor<4x1xf32>)
  return %0#0, %0#1, %0#2 : tensor<4x8xf32>, tensor<4x1xf32>, tensor<4x1xf32>
}

// CHECK-LABEL: @group_norm
// CHECK:         graph.reshape %{{.*}} : (tensor<2x6x4x4xf32>) -> tensor<2x3x2x16xf32>
// CHECK:         graph.welford %{{.*}} dims [2, 3] keepdims
// CHECK:         graph.reshape %{{.*}} : (tensor<2x3x2x16xf32>) -> tensor<2x6x4x4xf32>
func.func @group_norm(%x: tensor<2x6x4x4xf32>) -> tensor<2x6x4x4xf32> {
  %0 = graph.aten "aten.group_norm.default"(%x) ["input"] {num_groups = 3 : i64, eps = 1.0e-5 : f64, cudnn_enabled = false} : (tensor<2x6x4x4xf32>) -> tensor<2x6x4x4xf32>
  return %0 : tensor<2x6x4x4xf32>
}

// CHECK-LABEL: @rms_norm
// CHECK-NOT:     graph.sub
// CHECK:         graph.full 1.1920929E-7 : f32
// CHECK:         graph.rsqrt
func.func @rms_norm(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.aten "aten.rms_norm.default"(%x) ["input"] {normalized_shape = array<i64: 8>} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @softmax
// CHECK:         %[[M:.+]] = graph.reduce max, %{{.*}} dims [1] keepdims
// CHECK:         %[[D:.+]] = graph.sub %{{.*}}, %[[M]]
// CHECK:         %[[E:.+]] = graph.exp %[[D]]
// CHECK:         %[[S:.+]] = graph.reduce sum, %[[E]] dims [1] keepdims
// CHECK:         graph.div %[[E]], %[[S]]
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.aten "aten.softmax.int"(%x) ["self"] {dim = -1 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @log_softmax_with_dtype
// CHECK:         graph.convert %{{.*}} : (tensor<4x8xf16>) -> tensor<4x8xf64>
// CHECK:         graph.log
func.func @log_softmax_with_dtype(%x: tensor<4x8xf16>) -> tensor<4x8xf64> {
  %0 = graph.aten "aten.log_softmax.int"(%x) ["self"] {dim = 0 : i64, dtype = f64} : (tensor<4x8xf16>) -> tensor<4x8xf64>
  return %0 : tensor<4x8xf64>
}

// CHECK-LABEL: @attention
// CHECK-NEXT:    graph.attention %{{.*}}, %{{.*}}, %{{.*}} causal scale 2.500000e-01
func.func @attention(%q: tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32> {
  %0 = graph.aten "aten.scaled_dot_product_attention.default"(%q, %q, %q) ["query", "key", "value"] {dropout_p = 0.0 : f64, is_causal = true, enable_gqa = false} : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %0 : tensor<2x4x8x16xf32>
}

// Two heads of the query share one of key and value.
// CHECK-LABEL: @grouped_query_attention
// CHECK:         graph.broadcast %{{.*}} -> tensor<2x2x2x8x16xf32>
// CHECK:         graph.reshape %{{.*}} -> tensor<2x4x8x16xf32>
// CHECK:         graph.attention
func.func @grouped_query_attention(%q: tensor<2x4x8x16xf32>, %k: tensor<2x2x8x16xf32>) -> tensor<2x4x8x16xf32> {
  %0 = graph.aten "aten.scaled_dot_product_attention.default"(%q, %k, %k) ["query", "key", "value"] {dropout_p = 0.0 : f64, is_causal = false, enable_gqa = true} : (tensor<2x4x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x2x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %0 : tensor<2x4x8x16xf32>
}

// Statistics of the batch: over all dimensions but the channels'.
// CHECK-LABEL: @batch_norm_in_training
// CHECK:         graph.welford %{{.*}} dims [0, 2] keepdims : (tensor<2x3x4xf32>)
// CHECK:         graph.rsqrt
func.func @batch_norm_in_training(%x: tensor<2x3x4xf32>, %w: tensor<3xf32>) -> tensor<2x3x4xf32> {
  %0 = graph.aten "aten.batch_norm.default"(%x, %w, %w) ["input", "weight", "bias"] {training = true, momentum = 0.1 : f64, eps = 1.0e-5 : f64, cudnn_enabled = false} : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// The running statistics are further results: averages of what they were and
// those of the batch, the variance that of a sample.
// In evaluation mode statistics stay; what cuDNN reserves is empty.
// CHECK-LABEL: @batch_norm_evaluation
// CHECK-SAME:    %[[X:.+]]: tensor<2x3x4xf32>, %[[M:.+]]: tensor<3xf32>, %[[V:.+]]: tensor<3xf32>
// CHECK:         return %{{.*}}, %[[M]], %[[V]]
func.func @batch_norm_evaluation(%x: tensor<2x3x4xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) {
  %0:5 = graph.aten "aten._native_batch_norm_legit_functional.default"(%x, %m, %v) ["input", "running_mean", "running_var"] {training = false, momentum = 1.000000e-01 : f64, eps = 1.000000e-05 : f64} : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<0xf32>, tensor<0xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0#0, %0#3, %0#4 : tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>
}

// CHECK-LABEL: @batch_norm_with_update
// CHECK:         graph.welford
// CHECK-NOT:     graph.aten
// CHECK:         return %{{.*}} : tensor<2x3x4xf32>, tensor<0xui8>, tensor<3xf32>
func.func @batch_norm_with_update(%x: tensor<2x3x4xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<0xui8>, tensor<3xf32>) {
  %0:6 = graph.aten "aten._batch_norm_with_update_functional.default"(%x, %m, %v) ["input", "running_mean", "running_var"] {momentum = 1.000000e-01 : f64, eps = 1.000000e-05 : f64} : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<0xui8>, tensor<3xf32>, tensor<3xf32>)
  return %0#0, %0#3, %0#5 : tensor<2x3x4xf32>, tensor<0xui8>, tensor<3xf32>
}

// CHECK-LABEL: @batch_norm_update
// CHECK-SAME:    %[[X:.+]]: tensor<2x3x4xf32>, %[[M:.+]]: tensor<3xf32>, %[[V:.+]]: tensor<3xf32>
// CHECK:         graph.full 8.000000e+00
// CHECK:         graph.full 7.000000e+00
// CHECK:         graph.mul %[[M]]
// CHECK:         graph.mul %[[V]]
// CHECK-NOT:     graph.aten
func.func @batch_norm_update(%x: tensor<2x3x4xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) {
  %0:5 = graph.aten "aten._native_batch_norm_legit_functional.default"(%x, %m, %v) ["input", "running_mean", "running_var"] {training = true, momentum = 1.000000e-01 : f64, eps = 1.000000e-05 : f64} : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0#0, %0#3, %0#4 : tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>
}
