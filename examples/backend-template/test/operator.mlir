// A framework operator that only the plugin has a legalization of.

// RUN: coil-compile %s --to=graph | FileCheck %s
// CHECK-NOT: graph.aten
// CHECK:     graph.div %arg0
// CHECK:     graph.maximum
// CHECK:     graph.minimum

// RUN: coil-run %s --random-inputs --reference=interp

// RUN: not env COIL_PLUGINS= coil-compile %s 2>&1 | FileCheck %s --check-prefix=WITHOUT
// WITHOUT: operator 'aten.accel_fake_quantize.default' is not supported: there is no lowering for it

func.func @main(%x: tensor<8x4xf32>, %scale: tensor<1xf32>, %zero: tensor<1xf32>) -> tensor<8x4xf32> {
  %0 = graph.aten "aten.accel_fake_quantize.default"(%x, %scale, %zero) ["self", "scale", "zero_point"] {quant_min = -128 : i64, quant_max = 127 : i64} : (tensor<8x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
