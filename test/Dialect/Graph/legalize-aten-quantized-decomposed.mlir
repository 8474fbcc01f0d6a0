// RUN: coil-opt %s --graph-legalize-aten | FileCheck %s

// The inverse of the scale is rounded to single precision before it is multiplied with.
// CHECK-LABEL: @quantize
// CHECK:         %[[INVERSE:.+]] = graph.div %{{.*}} : (tensor<f64>, tensor<f64>) -> tensor<f64>
// CHECK:         %[[FACTOR:.+]] = graph.convert %[[INVERSE]] : (tensor<f64>) -> tensor<f32>
// CHECK:         %[[STEPS:.+]] = graph.mul %arg0, %[[FACTOR]]
// CHECK:         graph.round %[[STEPS]]
// CHECK:         graph.maximum
// CHECK:         graph.minimum
// CHECK:         graph.convert %{{.*}} : (tensor<4xf32>) -> tensor<4xi8>
func.func @quantize(%x: tensor<4xf32>) -> tensor<4xi8> {
  %0 = graph.aten "quantized_decomposed.quantize_per_tensor.default"(%x) ["input"] {scale = 3.000000e-02 : f64, zero_point = 7 : i64, quant_min = -128 : i64, quant_max = 127 : i64, dtype = i8} : (tensor<4xf32>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// Integers are subtracted as such.
// CHECK-LABEL: @dequantize_channels
// CHECK:         %[[DISTANCE:.+]] = graph.sub %{{.*}} : (tensor<2x4xi64>, tensor<2x1xi64>) -> tensor<2x4xi64>
// CHECK:         %[[NUMBER:.+]] = graph.convert %[[DISTANCE]] : (tensor<2x4xi64>) -> tensor<2x4xf32>
// CHECK:         graph.mul %[[NUMBER]], %{{.*}} : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
func.func @dequantize_channels(%q: tensor<2x4xi8>, %scales: tensor<2xf32>, %zeros: tensor<2xi64>) -> tensor<2x4xf32> {
  %0 = graph.aten "quantized_decomposed.dequantize_per_channel.default"(%q, %scales, %zeros) ["input", "scales", "zero_points"] {axis = 0 : i64, quant_min = -128 : i64, quant_max = 127 : i64, dtype = i8} : (tensor<2x4xi8>, tensor<2xf32>, tensor<2xi64>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// Groups are rows.
// CHECK-LABEL: @groups
// CHECK:         graph.reshape %arg0 : (tensor<2x8xf32>) -> tensor<4x4xf32>
// CHECK:         graph.reshape %{{.*}} : (tensor<4x4x{{.*}}>) -> tensor<2x8x
func.func @groups(%x: tensor<2x8xf32>, %scales: tensor<2x2xf32>, %zeros: tensor<2x2xi64>) -> tensor<2x8xi8> {
  %0 = graph.aten "quantized_decomposed.quantize_per_channel_group.default"(%x, %scales, %zeros) ["input", "scales", "zero_points"] {quant_min = -8 : i64, quant_max = 7 : i64, dtype = i8, group_size = 4 : i64} : (tensor<2x8xf32>, tensor<2x2xf32>, tensor<2x2xi64>) -> tensor<2x8xi8>
  return %0 : tensor<2x8xi8>
}

// A dimension that there is not stays an operator.
// CHECK-LABEL: @no_axis
// CHECK:         graph.aten "quantized_decomposed.quantize_per_channel.default"
func.func @no_axis(%x: tensor<4xf32>, %scales: tensor<4xf32>, %zeros: tensor<4xi64>) -> tensor<4xi8> {
  %0 = graph.aten "quantized_decomposed.quantize_per_channel.default"(%x, %scales, %zeros) ["input", "scales", "zero_points"] {axis = 3 : i64, quant_min = -128 : i64, quant_max = 127 : i64, dtype = i8} : (tensor<4xf32>, tensor<4xf32>, tensor<4xi64>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}
