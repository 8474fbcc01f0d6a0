// RUN: coil-opt %s --graph-legalize-aten | FileCheck %s

// CHECK-LABEL: @gelu
// CHECK:         graph.erf
// CHECK-NOT:     graph.tanh
func.func @gelu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.aten "aten.gelu.default"(%x) ["self"] {approximate = "none"} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @gelu_tanh
// CHECK:         graph.tanh
func.func @gelu_tanh(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.aten "aten.gelu.default"(%x) ["self"] {approximate = "tanh"} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// 16-bit floats are converted at the ends only.
// CHECK-LABEL: @silu_in_half_precision
// CHECK:         graph.convert %{{.*}} : (tensor<4xf16>) -> tensor<4xf32>
// CHECK:         graph.exp {{.*}} -> tensor<4xf32>
// CHECK:         graph.div {{.*}} -> tensor<4xf32>
// CHECK:         graph.convert %{{.*}} : (tensor<4xf32>) -> tensor<4xf16>
// CHECK-NEXT:    return
func.func @silu_in_half_precision(%x: tensor<4xf16>) -> tensor<4xf16> {
  %0 = graph.aten "aten.silu.default"(%x) ["self"] {} : (tensor<4xf16>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// CHECK-LABEL: @elu
// CHECK:         graph.expm1
// CHECK:         graph.compare le
// CHECK:         graph.select
func.func @elu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.aten "aten.elu.default"(%x) ["self"] {alpha = 2 : i64, scale = 1 : i64, input_scale = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// One weight for each channel.
// CHECK-LABEL: @prelu
// CHECK:         graph.reshape %{{.*}} : (tensor<3xf32>) -> tensor<3x1xf32>
// CHECK:         graph.select
func.func @prelu(%x: tensor<2x3x4xf32>, %w: tensor<3xf32>) -> tensor<2x3x4xf32> {
  %0 = graph.aten "aten.prelu.default"(%x, %w) ["self", "weight"] {} : (tensor<2x3x4xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// CHECK-LABEL: @glu
// CHECK:         %[[A:.+]] = graph.slice %{{.*}} starts <[0, 0]>
// CHECK:         %[[B:.+]] = graph.slice %{{.*}} starts <[0, 3]>
// CHECK:         %[[G:.+]] = graph.sigmoid %[[B]]
// CHECK:         graph.mul %[[A]], %[[G]]
func.func @glu(%x: tensor<2x6xf32>) -> tensor<2x3xf32> {
  %0 = graph.aten "aten.glu.default"(%x) ["self"] {dim = -1 : i64} : (tensor<2x6xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @hardtanh
// CHECK:         graph.full -2.000000e+00 : f32
// CHECK:         graph.maximum
// CHECK:         graph.full 2.000000e+00 : f32
// CHECK:         graph.minimum
func.func @hardtanh(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.aten "aten.hardtanh.default"(%x) ["self"] {min_val = -2 : i64, max_val = 2 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
