//--- activations.tosa.mlir
func.func @main(%x: tensor<5x7xf32>, %y: tensor<1x7xf32>) -> (tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xi32>, tensor<5x7xi8>) {
  %0 = tosa.clamp %x {min_val = -0.5 : f32, max_val = 0.75 : f32} : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %1 = tosa.sigmoid %0 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %2 = tosa.tanh %1 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %3 = tosa.erf %2 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %4 = tosa.maximum %3, %y : (tensor<5x7xf32>, tensor<1x7xf32>) -> tensor<5x7xf32>
  %5 = tosa.exp %4 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %6 = tosa.rsqrt %5 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %7 = tosa.reciprocal %6 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %8 = tosa.pow %5, %4 : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
  %k = "tosa.const"() <{values = dense<300.0> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %9 = tosa.mul %x, %k, %s : (tensor<5x7xf32>, tensor<1x1xf32>, tensor<1xi8>) -> tensor<5x7xf32>
  %10 = tosa.cast %9 : (tensor<5x7xf32>) -> tensor<5x7xi32>
  %11 = tosa.cast %9 : (tensor<5x7xf32>) -> tensor<5x7xi8>
  return %7, %8, %10, %11 : tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xi32>, tensor<5x7xi8>
}
//--- integers.tosa.mlir
func.func @main(%x: tensor<5x7xi32>, %y: tensor<5x1xi32>) -> (tensor<5x7xi32>, tensor<5x7xi32>, tensor<5x7xi32>) {
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %five = "tosa.const"() <{values = dense<5> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
  %0 = tosa.add %x, %y : (tensor<5x7xi32>, tensor<5x1xi32>) -> tensor<5x7xi32>
  %1 = tosa.mul %0, %y, %s : (tensor<5x7xi32>, tensor<5x1xi32>, tensor<1xi8>) -> tensor<5x7xi32>
  %2 = tosa.bitwise_xor %1, %x : (tensor<5x7xi32>, tensor<5x7xi32>) -> tensor<5x7xi32>
  %3 = tosa.arithmetic_right_shift %2, %five {round = true} : (tensor<5x7xi32>, tensor<1x1xi32>) -> tensor<5x7xi32>
  %4 = tosa.arithmetic_right_shift %2, %five {round = false} : (tensor<5x7xi32>, tensor<1x1xi32>) -> tensor<5x7xi32>
  %5 = tosa.clz %2 : (tensor<5x7xi32>) -> tensor<5x7xi32>
  %6 = tosa.intdiv %2, %five : (tensor<5x7xi32>, tensor<1x1xi32>) -> tensor<5x7xi32>
  %7 = tosa.maximum %6, %x : (tensor<5x7xi32>, tensor<5x7xi32>) -> tensor<5x7xi32>
  %8 = tosa.add %3, %4 : (tensor<5x7xi32>, tensor<5x7xi32>) -> tensor<5x7xi32>
  return %7, %8, %5 : tensor<5x7xi32>, tensor<5x7xi32>, tensor<5x7xi32>
}
//--- reductions.tosa.mlir
func.func @main(%x: tensor<5x7xf32>) -> (tensor<5x1xf32>, tensor<1x7xf32>, tensor<5x1xf32>, tensor<5xi32>) {
  %0 = tosa.reduce_sum %x {axis = 1 : i32} : (tensor<5x7xf32>) -> tensor<5x1xf32>
  %1 = tosa.reduce_max %x {axis = 0 : i32} : (tensor<5x7xf32>) -> tensor<1x7xf32>
  %2 = tosa.reduce_product %x {axis = 1 : i32} : (tensor<5x7xf32>) -> tensor<5x1xf32>
  %3 = tosa.argmax %x {axis = 1 : i32} : (tensor<5x7xf32>) -> tensor<5xi32>
  return %0, %1, %2, %3 : tensor<5x1xf32>, tensor<1x7xf32>, tensor<5x1xf32>, tensor<5xi32>
}
//--- matmul.tosa.mlir
func.func @main(%x: tensor<2x4x8xf32>, %y: tensor<2x8x3xf32>, %a: tensor<1x4x8xi8>, %b: tensor<1x8x3xi8>) -> (tensor<2x4x3xf32>, tensor<1x4x3xi32>) {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %p = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %q = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.matmul %x, %y, %z, %z : (tensor<2x4x8xf32>, tensor<2x8x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x4x3xf32>
  %1 = tosa.matmul %a, %b, %p, %q : (tensor<1x4x8xi8>, tensor<1x8x3xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x4x3xi32>
  return %0, %1 : tensor<2x4x3xf32>, tensor<1x4x3xi32>
}
//--- conv.tosa.mlir
func.func @main(%x: tensor<1x8x8x3xf32>, %w: tensor<4x3x3x3xf32>, %b: tensor<4xf32>) -> (tensor<1x4x4x4xf32>, tensor<1x8x8x4xf32>) {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %0 = tosa.conv2d %x, %w, %b, %z, %z {acc_type = f32, pad = array<i64: 0, 1, 0, 1>, stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>} : (tensor<1x8x8x3xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x4x4xf32>
  %1 = tosa.conv2d %x, %w, %b, %z, %z {acc_type = f32, pad = array<i64: 2, 2, 2, 2>, stride = array<i64: 1, 1>, dilation = array<i64: 2, 2>} : (tensor<1x8x8x3xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x8x4xf32>
  return %0, %1 : tensor<1x4x4x4xf32>, tensor<1x8x8x4xf32>
}
//--- depthwise.tosa.mlir
func.func @main(%x: tensor<1x8x8x3xf32>, %w: tensor<3x3x3x2xf32>, %b: tensor<6xf32>) -> tensor<1x8x8x6xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %0 = tosa.depthwise_conv2d %x, %w, %b, %z, %z {acc_type = f32, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x8x8x3xf32>, tensor<3x3x3x2xf32>, tensor<6xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x8x6xf32>
  return %0 : tensor<1x8x8x6xf32>
}
//--- pool.tosa.mlir
func.func @main(%x: tensor<1x8x8x3xf32>) -> (tensor<1x4x4x3xf32>, tensor<1x8x8x3xf32>, tensor<1x4x4x3xf32>) {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %0 = tosa.max_pool2d %x {kernel = array<i64: 3, 3>, stride = array<i64: 2, 2>, pad = array<i64: 0, 1, 0, 1>} : (tensor<1x8x8x3xf32>) -> tensor<1x4x4x3xf32>
  %1 = tosa.avg_pool2d %x, %z, %z {acc_type = f32, kernel = array<i64: 3, 3>, stride = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>} : (tensor<1x8x8x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x8x3xf32>
  %2 = tosa.avg_pool2d %x, %z, %z {acc_type = f32, kernel = array<i64: 3, 3>, stride = array<i64: 2, 2>, pad = array<i64: 0, 1, 0, 1>} : (tensor<1x8x8x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x4x3xf32>
  return %0, %1, %2 : tensor<1x4x4x3xf32>, tensor<1x8x8x3xf32>, tensor<1x4x4x3xf32>
}
//--- data.tosa.mlir
func.func @main(%x: tensor<4x4xf32>, %v: tensor<2x4x3xf32>) -> (tensor<14x4xf32>, tensor<2x2xf32>, tensor<8x4xf32>, tensor<2x2x3xf32>) {
  %c = "tosa.const"() <{values = dense<1.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %i = "tosa.const"() <{values = dense<[[1, 3], [0, 2]]> : tensor<2x2xi32>}> : () -> tensor<2x2xi32>
  %p = tosa.const_shape {values = dense<[0, 0, 1, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %m = tosa.const_shape {values = dense<[2, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %a = tosa.const_shape {values = dense<[1, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %b = tosa.const_shape {values = dense<[2, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %0 = tosa.pad %x, %p, %c : (tensor<4x4xf32>, !tosa.shape<4>, tensor<1xf32>) -> tensor<4x7xf32>
  %1 = tosa.reverse %0 {axis = 1 : i32} : (tensor<4x7xf32>) -> tensor<4x7xf32>
  %2 = tosa.transpose %1 {perms = array<i32: 1, 0>} : (tensor<4x7xf32>) -> tensor<7x4xf32>
  %3 = tosa.tile %2, %m : (tensor<7x4xf32>, !tosa.shape<2>) -> tensor<14x4xf32>
  %4 = tosa.slice %x, %a, %b : (tensor<4x4xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<2x2xf32>
  %5 = tosa.concat %x, %x {axis = 0 : i32} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %6 = tosa.gather %v, %i : (tensor<2x4x3xf32>, tensor<2x2xi32>) -> tensor<2x2x3xf32>
  return %3, %4, %5, %6 : tensor<14x4xf32>, tensor<2x2xf32>, tensor<8x4xf32>, tensor<2x2x3xf32>
}
//--- quantized.tosa.mlir
func.func @main(%x: tensor<1x6x6x3xi8>, %w: tensor<4x3x3x3xi8>, %b: tensor<4xi32>) -> (tensor<1x4x4x4xi8>, tensor<1x4x4x4xi8>, tensor<1x3x3x3xi8>) {
  %zx = "tosa.const"() <{values = dense<-3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zw = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z32 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %zo = "tosa.const"() <{values = dense<5> : tensor<1xi8>}> : () -> tensor<1xi8>
  %m = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<37> : tensor<1xi8>}> : () -> tensor<1xi8>
  %t = "tosa.const"() <{values = dense<7> : tensor<256xi8>}> : () -> tensor<256xi8>
  %0 = tosa.conv2d %x, %w, %b, %zx, %zw {acc_type = i32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x6x6x3xi8>, tensor<4x3x3x3xi8>, tensor<4xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x4x4x4xi32>
  %1 = tosa.rescale %0, %m, %s, %z32, %zo {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x4x4x4xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x4x4x4xi8>
  %2 = tosa.table %1, %t : (tensor<1x4x4x4xi8>, tensor<256xi8>) -> tensor<1x4x4x4xi8>
  %3 = tosa.avg_pool2d %x, %zx, %zx {acc_type = i32, kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>} : (tensor<1x6x6x3xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x3x3x3xi8>
  return %1, %2, %3 : tensor<1x4x4x4xi8>, tensor<1x4x4x4xi8>, tensor<1x3x3x3xi8>
}
//--- resize.tosa.mlir
func.func @main(%x: tensor<1x4x4x2xf32>) -> tensor<1x7x7x2xf32> {
  %s = tosa.const_shape {values = dense<[2, 1, 2, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o = tosa.const_shape {values = dense<[0, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %b = tosa.const_shape {values = dense<[0, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %0 = tosa.resize %x, %s, %o, %b {mode = BILINEAR} : (tensor<1x4x4x2xf32>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x7x7x2xf32>
  return %0 : tensor<1x7x7x2xf32>
}
//--- dynamic.tosa.mlir
func.func @main(%x: tensor<?x8xf32>, %y: tensor<1x8xf32>) -> tensor<?x8xf32> {
  %0 = tosa.add %x, %y : (tensor<?x8xf32>, tensor<1x8xf32>) -> tensor<?x8xf32>
  %1 = tosa.sigmoid %0 : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %2 = tosa.sub %1, %x : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  return %2 : tensor<?x8xf32>
}
