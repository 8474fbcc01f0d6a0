// RUN: coil-opt %s | coil-opt | FileCheck %s
// RUN: coil-opt %s --mlir-print-op-generic | coil-opt | FileCheck %s

// The example of every operator's documentation parses and survives a round
// trip.

// CHECK-LABEL: @compare
func.func @compare(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  // CHECK: graph.compare lt, %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %0 = graph.compare lt, %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return
}

// CHECK-LABEL: @select
func.func @select(%p: tensor<4xi1>, %a: tensor<4xf32>, %b: tensor<4xf32>) {
  // CHECK: graph.select %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.select %p, %a, %b : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @convert
func.func @convert(%a: tensor<4xf32>) {
  // CHECK: graph.convert %{{.*}} : (tensor<4xf32>) -> tensor<4xbf16>
  %0 = graph.convert %a : (tensor<4xf32>) -> tensor<4xbf16>
  return
}

// CHECK-LABEL: @bitcast
func.func @bitcast(%a: tensor<4xf32>) {
  // CHECK: graph.bitcast %{{.*}} : (tensor<4xf32>) -> tensor<4xi32>
  %0 = graph.bitcast %a : (tensor<4xf32>) -> tensor<4xi32>
  return
}

// CHECK-LABEL: @special
func.func @special(%a: tensor<4xf32>) {
  // CHECK: graph.special lgamma, %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.special lgamma, %a : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @abs
func.func @abs(%a: tensor<4xf32>) {
  // CHECK: graph.abs %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.abs %a : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @neg
func.func @neg(%a: tensor<4xf32>) {
  // CHECK: graph.neg %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.neg %a : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @sign
func.func @sign(%a: tensor<4xf32>) {
  // CHECK: graph.sign %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.sign %a : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @ceil
func.func @ceil(%a: tensor<4xf32>) {
  // CHECK: graph.ceil %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.ceil %a : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @floor
func.func @floor(%a: tensor<4xf32>) {
  // CHECK: graph.floor %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.floor %a : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @trunc
func.func @trunc(%a: tensor<4xf32>) {
  // CHECK: graph.trunc %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.trunc %a : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @round
func.func @round(%a: tensor<4xf32>) {
  // CHECK: graph.round %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.round %a : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @sqrt
func.func @sqrt(%a: tensor<4xf32>) {
  // CHECK: graph.sqrt %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.sqrt %a : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @exp
func.func @exp(%a: tensor<4xf32>) {
  // CHECK: graph.exp %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.exp %a : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @exp2
func.func @exp2(%a: tensor<4xf32>) {
  // CHECK: graph.exp2 %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.exp2 %a : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @expm1
func.func @expm1(%a: tensor<4xf32>) {
  // CHECK: graph.expm1 %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.expm1 %a : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @log
func.func @log(%a: tensor<4xf32>) {
  // CHECK: graph.log %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.log %a : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @log2
func.func @log2(%a: tensor<4xf32>) {
  // CHECK: graph.log2 %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.log2 %a : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @log10
func.func @log10(%a: tensor<4xf32>) {
  // CHECK: graph.log10 %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.log10 %a : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @log1p
func.func @log1p(%a: tensor<4xf32>) {
  // CHECK: graph.log1p %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.log1p %a : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @sin
func.func @sin(%a: tensor<4xf32>) {
  // CHECK: graph.sin %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.sin %a : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @cos
func.func @cos(%a: tensor<4xf32>) {
  // CHECK: graph.cos %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.cos %a : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @tan
func.func @tan(%a: tensor<4xf32>) {
  // CHECK: graph.tan %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.tan %a : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @asin
func.func @asin(%a: tensor<4xf32>) {
  // CHECK: graph.asin %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.asin %a : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @acos
func.func @acos(%a: tensor<4xf32>) {
  // CHECK: graph.acos %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.acos %a : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @atan
func.func @atan(%a: tensor<4xf32>) {
  // CHECK: graph.atan %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.atan %a : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @sinh
func.func @sinh(%a: tensor<4xf32>) {
  // CHECK: graph.sinh %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.sinh %a : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @cosh
func.func @cosh(%a: tensor<4xf32>) {
  // CHECK: graph.cosh %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.cosh %a : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @tanh
func.func @tanh(%a: tensor<4xf32>) {
  // CHECK: graph.tanh %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.tanh %a : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @asinh
func.func @asinh(%a: tensor<4xf32>) {
  // CHECK: graph.asinh %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.asinh %a : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @acosh
func.func @acosh(%a: tensor<4xf32>) {
  // CHECK: graph.acosh %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.acosh %a : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @atanh
func.func @atanh(%a: tensor<4xf32>) {
  // CHECK: graph.atanh %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.atanh %a : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @erf
func.func @erf(%a: tensor<4xf32>) {
  // CHECK: graph.erf %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.erf %a : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @erfc
func.func @erfc(%a: tensor<4xf32>) {
  // CHECK: graph.erfc %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.erfc %a : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @rsqrt
func.func @rsqrt(%a: tensor<4xf32>) {
  // CHECK: graph.rsqrt %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.rsqrt %a : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @reciprocal
func.func @reciprocal(%a: tensor<4xf32>) {
  // CHECK: graph.reciprocal %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.reciprocal %a : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @sigmoid
func.func @sigmoid(%a: tensor<4xf32>) {
  // CHECK: graph.sigmoid %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.sigmoid %a : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @relu
func.func @relu(%a: tensor<4xf32>) {
  // CHECK: graph.relu %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.relu %a : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @bitwise_not
func.func @bitwise_not(%a: tensor<4xi32>) {
  // CHECK: graph.bitwise_not %{{.*}} : (tensor<4xi32>) -> tensor<4xi32>
  %0 = graph.bitwise_not %a : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// CHECK-LABEL: @isnan
func.func @isnan(%a: tensor<4xf32>) {
  // CHECK: graph.isnan %{{.*}} : (tensor<4xf32>) -> tensor<4xi1>
  %0 = graph.isnan %a : (tensor<4xf32>) -> tensor<4xi1>
  return
}

// CHECK-LABEL: @isinf
func.func @isinf(%a: tensor<4xf32>) {
  // CHECK: graph.isinf %{{.*}} : (tensor<4xf32>) -> tensor<4xi1>
  %0 = graph.isinf %a : (tensor<4xf32>) -> tensor<4xi1>
  return
}

// CHECK-LABEL: @signbit
func.func @signbit(%a: tensor<4xf32>) {
  // CHECK: graph.signbit %{{.*}} : (tensor<4xf32>) -> tensor<4xi1>
  %0 = graph.signbit %a : (tensor<4xf32>) -> tensor<4xi1>
  return
}

// CHECK-LABEL: @add
func.func @add(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  // CHECK: graph.add %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.add %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @sub
func.func @sub(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  // CHECK: graph.sub %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.sub %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @mul
func.func @mul(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  // CHECK: graph.mul %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.mul %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @div
func.func @div(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  // CHECK: graph.div %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.div %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @trunc_div
func.func @trunc_div(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  // CHECK: graph.trunc_div %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.trunc_div %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @floor_div
func.func @floor_div(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  // CHECK: graph.floor_div %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.floor_div %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @fmod
func.func @fmod(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  // CHECK: graph.fmod %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.fmod %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @remainder
func.func @remainder(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  // CHECK: graph.remainder %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.remainder %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @pow
func.func @pow(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  // CHECK: graph.pow %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.pow %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @maximum
func.func @maximum(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  // CHECK: graph.maximum %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.maximum %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @minimum
func.func @minimum(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  // CHECK: graph.minimum %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.minimum %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @fmax
func.func @fmax(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  // CHECK: graph.fmax %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.fmax %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @fmin
func.func @fmin(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  // CHECK: graph.fmin %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.fmin %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @atan2
func.func @atan2(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  // CHECK: graph.atan2 %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.atan2 %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @copysign
func.func @copysign(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  // CHECK: graph.copysign %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.copysign %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @hypot
func.func @hypot(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  // CHECK: graph.hypot %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.hypot %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @bitwise_and
func.func @bitwise_and(%a: tensor<4xi32>, %b: tensor<4xi32>) {
  // CHECK: graph.bitwise_and %{{.*}}, %{{.*}} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %0 = graph.bitwise_and %a, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return
}

// CHECK-LABEL: @bitwise_or
func.func @bitwise_or(%a: tensor<4xi32>, %b: tensor<4xi32>) {
  // CHECK: graph.bitwise_or %{{.*}}, %{{.*}} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %0 = graph.bitwise_or %a, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return
}

// CHECK-LABEL: @bitwise_xor
func.func @bitwise_xor(%a: tensor<4xi32>, %b: tensor<4xi32>) {
  // CHECK: graph.bitwise_xor %{{.*}}, %{{.*}} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %0 = graph.bitwise_xor %a, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return
}

// CHECK-LABEL: @shift_left
func.func @shift_left(%a: tensor<4xi32>, %b: tensor<4xi32>) {
  // CHECK: graph.shift_left %{{.*}}, %{{.*}} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %0 = graph.shift_left %a, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return
}

// CHECK-LABEL: @shift_right
func.func @shift_right(%a: tensor<4xi32>, %b: tensor<4xi32>) {
  // CHECK: graph.shift_right %{{.*}}, %{{.*}} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %0 = graph.shift_right %a, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return
}

// CHECK-LABEL: @reduce
func.func @reduce(%x: tensor<4x8xf32>) {
  // CHECK: graph.reduce sum, %{{.*}} dims [1] keepdims : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %0 = graph.reduce sum, %x dims [1] keepdims : (tensor<4x8xf32>) -> tensor<4x1xf32>
  return
}

// CHECK-LABEL: @arg_reduce
func.func @arg_reduce(%x: tensor<4x8xf32>) {
  // CHECK: graph.arg_reduce max, %{{.*}} dim 1 : (tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xi64>)
  %v, %i = graph.arg_reduce max, %x dim 1 : (tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xi64>)
  return
}

// CHECK-LABEL: @moments
func.func @moments(%x: tensor<4x8xf32>, %y: tensor<4x8xf64>) {
  // CHECK: graph.welford %{{.*}} dims [1] : (tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %m, %s = graph.welford %x dims [1] : (tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  // CHECK: graph.welford %{{.*}} dims [0, 1] keepdims : (tensor<4x8xf64>) -> (tensor<1x1xf64>, tensor<1x1xf64>)
  %n, %t = graph.welford %y dims [0, 1] keepdims : (tensor<4x8xf64>) -> (tensor<1x1xf64>, tensor<1x1xf64>)
  return
}

// CHECK-LABEL: @random
func.func @random(%s: tensor<2xi64>) {
  // CHECK: graph.random normal, %{{.*}} skip <0> blocks 1056 : tensor<2xi64> -> tensor<4x8xf32>
  %0 = graph.random normal, %s skip <0> blocks 1056 : tensor<2xi64> -> tensor<4x8xf32>
  // CHECK: graph.random bits, %{{.*}} skip <3> blocks 7 : tensor<2xi64> -> tensor<5xui64>
  %1 = graph.random bits, %s skip <3> blocks 7 : tensor<2xi64> -> tensor<5xui64>
  // CHECK: graph.random uniform, %{{.*}} skip <s0 * 4>
  %2 = graph.random uniform, %s skip <s0 * 4> blocks 1056 : tensor<2xi64> -> tensor<f64>
  return
}

// CHECK-LABEL: @random_bits
func.func @random_bits(%s: tensor<2xi64>) {
  // CHECK: graph.random_bits %{{.*}} skip <4> vector <1> blocks 1056 : tensor<2xi64> -> tensor<4x8xui32>
  %0 = graph.random_bits %s skip <4> vector <1> blocks 1056 : tensor<2xi64> -> tensor<4x8xui32>
  return
}

// CHECK-LABEL: @matmul
func.func @matmul(%a: tensor<2x4x8xf32>, %b: tensor<1x8x3xf32>) {
  // CHECK: graph.matmul %{{.*}}, %{{.*}} : (tensor<2x4x8xf32>, tensor<1x8x3xf32>) -> tensor<2x4x3xf32>
  %0 = graph.matmul %a, %b : (tensor<2x4x8xf32>, tensor<1x8x3xf32>) -> tensor<2x4x3xf32>
  return
}

// CHECK-LABEL: @matmul_bias
func.func @matmul_bias(%x: tensor<4x8xbf16>, %w: tensor<8x3xbf16>, %c: tensor<3xbf16>) {
  // CHECK: graph.matmul %{{.*}}, %{{.*}} bias %{{.*}} : (tensor<4x8xbf16>, tensor<8x3xbf16>, tensor<3xbf16>) -> tensor<4x3xbf16>
  %0 = graph.matmul %x, %w bias %c : (tensor<4x8xbf16>, tensor<8x3xbf16>, tensor<3xbf16>) -> tensor<4x3xbf16>
  return
}

// CHECK-LABEL: @conv
func.func @conv(%x: tensor<2x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) {
  // CHECK: graph.conv %{{.*}}, %{{.*}} stride [1, 1] padding [1, 1] dilation [1, 1] groups 1 : (tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x8x8xf32>
  %0 = graph.conv %x, %w stride [1, 1] padding [1, 1] dilation [1, 1] groups 1 : (tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x8x8xf32>
  return
}

// CHECK-LABEL: @conv_bias
func.func @conv_bias(%x: tensor<2x3x8xbf16>, %w: tensor<4x3x3xbf16>, %b: tensor<4xbf16>) {
  // CHECK: graph.conv %{{.*}}, %{{.*}}, %{{.*}} stride [1] padding [1] dilation [1] groups 1 : (tensor<2x3x8xbf16>, tensor<4x3x3xbf16>, tensor<4xbf16>) -> tensor<2x4x8xbf16>
  %0 = graph.conv %x, %w, %b stride [1] padding [1] dilation [1] groups 1 : (tensor<2x3x8xbf16>, tensor<4x3x3xbf16>, tensor<4xbf16>) -> tensor<2x4x8xbf16>
  return
}

// CHECK-LABEL: @matmul_wide
func.func @matmul_wide(%x: tensor<3x4xbf16>, %y: tensor<4x2xbf16>) {
  // CHECK: graph.matmul %{{.*}}, %{{.*}} : (tensor<3x4xbf16>, tensor<4x2xbf16>) -> tensor<3x2xf32>
  %0 = graph.matmul %x, %y : (tensor<3x4xbf16>, tensor<4x2xbf16>) -> tensor<3x2xf32>
  return
}

// CHECK-LABEL: @pool
func.func @pool(%x: tensor<2x3x8x8xf32>) {
  // CHECK: graph.pool max, %{{.*}} kernel [2, 2] stride [2, 2] padding [0, 0] dilation [1, 1] : (tensor<2x3x8x8xf32>) -> tensor<2x3x4x4xf32>
  %0 = graph.pool max, %x kernel [2, 2] stride [2, 2] padding [0, 0] dilation [1, 1] : (tensor<2x3x8x8xf32>) -> tensor<2x3x4x4xf32>
  return
}

// CHECK-LABEL: @attention_masked
func.func @attention_masked(%q: tensor<2x4x8x64xbf16>, %m: tensor<8x8xi1>, %a: tensor<8x8xf32>) {
  // CHECK: graph.attention %{{.*}} mask %{{.*}} fill -1.000000e+09 scale 1.250000e-01 softcap 5.000000e+00 :
  %0 = graph.attention %q, %q, %q mask %m fill -1.0e9 scale 1.250000e-01 softcap 5.0 : (tensor<2x4x8x64xbf16>, tensor<2x4x8x64xbf16>, tensor<2x4x8x64xbf16>, tensor<8x8xi1>) -> tensor<2x4x8x64xbf16>
  // CHECK: graph.attention %{{.*}} mask %{{.*}} nan_rows scale 1.250000e-01 : {{.*}}tensor<8x8xf32>)
  %1 = graph.attention %q, %q, %q mask %a nan_rows scale 1.250000e-01 : (tensor<2x4x8x64xbf16>, tensor<2x4x8x64xbf16>, tensor<2x4x8x64xbf16>, tensor<8x8xf32>) -> tensor<2x4x8x64xbf16>
  return
}

// CHECK-LABEL: @attention
func.func @attention(%q: tensor<2x4x8x64xf32>, %k: tensor<2x4x8x64xf32>, %v: tensor<2x4x8x64xf32>) {
  // CHECK: graph.attention %{{.*}}, %{{.*}}, %{{.*}} causal scale 1.250000e-01 : (tensor<2x4x8x64xf32>, tensor<2x4x8x64xf32>, tensor<2x4x8x64xf32>) -> tensor<2x4x8x64xf32>
  %0 = graph.attention %q, %k, %v causal scale 1.250000e-01 : (tensor<2x4x8x64xf32>, tensor<2x4x8x64xf32>, tensor<2x4x8x64xf32>) -> tensor<2x4x8x64xf32>
  return
}

// CHECK-LABEL: @reshape
func.func @reshape(%x: tensor<4x6xf32>) {
  // CHECK: graph.reshape %{{.*}} : (tensor<4x6xf32>) -> tensor<2x12xf32>
  %0 = graph.reshape %x : (tensor<4x6xf32>) -> tensor<2x12xf32>
  return
}

// CHECK-LABEL: @permute
func.func @permute(%x: tensor<4x6xf32>) {
  // CHECK: graph.permute %{{.*}} [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %0 = graph.permute %x [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
  return
}

// CHECK-LABEL: @broadcast
func.func @broadcast(%x: tensor<1x6xf32>) {
  // CHECK: graph.broadcast %{{.*}} : (tensor<1x6xf32>) -> tensor<2x4x6xf32>
  %0 = graph.broadcast %x : (tensor<1x6xf32>) -> tensor<2x4x6xf32>
  return
}

// CHECK-LABEL: @slice
func.func @slice(%x: tensor<4x6xf32>) {
  // CHECK: graph.slice %{{.*}} starts <[0, 2]> steps [1, 2] : (tensor<4x6xf32>) -> tensor<4x2xf32>
  %0 = graph.slice %x starts <[0, 2]> steps [1, 2] : (tensor<4x6xf32>) -> tensor<4x2xf32>
  return
}

// CHECK-LABEL: @cat
func.func @cat(%a: tensor<2x4xf32>, %b: tensor<3x4xf32>) {
  // CHECK: graph.cat %{{.*}}, %{{.*}} dim 0 : (tensor<2x4xf32>, tensor<3x4xf32>) -> tensor<5x4xf32>
  %0 = graph.cat %a, %b dim 0 : (tensor<2x4xf32>, tensor<3x4xf32>) -> tensor<5x4xf32>
  return
}

// CHECK-LABEL: @pad
func.func @pad(%x: tensor<4x6xf32>) {
  // CHECK: graph.pad %{{.*}} low [0, 1] high [0, 2] value 0.000000e+00 : f32 : (tensor<4x6xf32>) -> tensor<4x9xf32>
  %0 = graph.pad %x low [0, 1] high [0, 2] value 0.000000e+00 : f32 : (tensor<4x6xf32>) -> tensor<4x9xf32>
  return
}

// CHECK-LABEL: @gather
func.func @gather(%x: tensor<4x6xf32>, %i: tensor<4x2xi64>) {
  // CHECK: graph.gather %{{.*}}, %{{.*}} dim 1 : (tensor<4x6xf32>, tensor<4x2xi64>) -> tensor<4x2xf32>
  %0 = graph.gather %x, %i dim 1 : (tensor<4x6xf32>, tensor<4x2xi64>) -> tensor<4x2xf32>
  return
}

// CHECK-LABEL: @index
func.func @index(%x: tensor<128x16xf32>, %i: tensor<2x3xi64>) {
  // CHECK: graph.index %{{.*}}[%{{.*}}] dims [0] : (tensor<128x16xf32>, tensor<2x3xi64>) -> tensor<2x3x16xf32>
  %0 = graph.index %x[%i] dims [0] : (tensor<128x16xf32>, tensor<2x3xi64>) -> tensor<2x3x16xf32>
  return
}

// CHECK-LABEL: @constant
func.func @constant() {
  // CHECK: graph.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
  %0 = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  return
}

// CHECK-LABEL: @full
func.func @full() {
  // CHECK: graph.full 0.000000e+00 : f32 -> tensor<4x6xf32>
  %0 = graph.full 0.000000e+00 : f32 -> tensor<4x6xf32>
  return
}

// CHECK-LABEL: @iota
func.func @iota() {
  // CHECK: graph.iota 0 : i64 step 1 : i64 dim 0 -> tensor<8xi64>
  %0 = graph.iota 0 : i64 step 1 : i64 dim 0 -> tensor<8xi64>
  return
}

// CHECK-LABEL: @expr
func.func @expr() attributes {sym.symbols = {s0 = #sym.range<2, 64>}} {
  // CHECK: graph.expr <s0 * 2> -> tensor<i64>
  %0 = graph.expr <s0 * 2> -> tensor<i64>
  return
}

// CHECK-LABEL: @aten
func.func @aten(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  // CHECK: graph.aten "aten.add.Tensor"(%{{.*}}, %{{.*}}) ["self", "other"] {alpha = 1 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.aten "aten.add.Tensor"(%a, %b) ["self", "other"] {alpha = 1 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: graph.aten "aten.nonzero.default"(%{{.*}}) ["self"] {} defines ["u0"] : (tensor<4xf32>) -> tensor<?x1xi64, #sym.shape<[u0, 1]>>
  %1 = graph.aten "aten.nonzero.default"(%a) ["self"] {} defines ["u0"] : (tensor<4xf32>) -> tensor<?x1xi64, #sym.shape<[u0, 1]>>
  return
}

// Symbolic sizes broadcast against static ones.
// CHECK-LABEL: @symbolic
func.func @symbolic(%x: tensor<?x4xf32, #sym.shape<[s0, 4]>>, %y: tensor<4xf32>)
    attributes {sym.symbols = {s0 = #sym.range<2, 64>}} {
  // CHECK: graph.add %{{.*}}, %{{.*}} : (tensor<?x4xf32, #sym.shape<[s0, 4]>>, tensor<4xf32>) -> tensor<?x4xf32, #sym.shape<[s0, 4]>>
  %0 = graph.add %x, %y : (tensor<?x4xf32, #sym.shape<[s0, 4]>>, tensor<4xf32>) -> tensor<?x4xf32, #sym.shape<[s0, 4]>>
  return
}

// CHECK-LABEL: @unsigned_and_bool
func.func @unsigned_and_bool(%x: tensor<4xui8>, %p: tensor<4xi1>) {
  // CHECK: graph.full 255 : ui8 -> tensor<ui8>
  %0 = graph.full 255 : ui8 -> tensor<ui8>
  // CHECK: graph.full true -> tensor<4xi1>
  %1 = graph.full true -> tensor<4xi1>
  // CHECK: graph.select
  %2 = graph.select %p, %x, %0 : (tensor<4xi1>, tensor<4xui8>, tensor<ui8>) -> tensor<4xui8>
  return
}

// CHECK-LABEL: @scatter
func.func @scatter(%x: tensor<4x6xf32>, %i: tensor<4x2xi64>, %v: tensor<4x2xf32>) {
  // CHECK: graph.scatter sum %{{.*}}, %{{.*}}, %{{.*}} dim 1 : (tensor<4x6xf32>, tensor<4x2xi64>, tensor<4x2xf32>) -> tensor<4x6xf32>
  %0 = graph.scatter sum %x, %i, %v dim 1 : (tensor<4x6xf32>, tensor<4x2xi64>, tensor<4x2xf32>) -> tensor<4x6xf32>
  // CHECK: graph.scatter %{{.*}}, %{{.*}}, %{{.*}} dim 1
  %1 = graph.scatter %x, %i, %v dim 1 : (tensor<4x6xf32>, tensor<4x2xi64>, tensor<4x2xf32>) -> tensor<4x6xf32>
  return
}

// CHECK-LABEL: @index_put
func.func @index_put(%x: tensor<128x16xf32>, %i: tensor<3xi64>, %v: tensor<3x16xf32>) {
  // CHECK: graph.index_put sum %{{.*}}[%{{.*}}], %{{.*}} dims [0] : (tensor<128x16xf32>, tensor<3xi64>, tensor<3x16xf32>) -> tensor<128x16xf32>
  %0 = graph.index_put sum %x[%i], %v dims [0] : (tensor<128x16xf32>, tensor<3xi64>, tensor<3x16xf32>) -> tensor<128x16xf32>
  // CHECK: graph.index_put %{{.*}}[%{{.*}}], %{{.*}} dims [0]
  %1 = graph.index_put %x[%i], %v dims [0] : (tensor<128x16xf32>, tensor<3xi64>, tensor<3x16xf32>) -> tensor<128x16xf32>
  return
}

// CHECK-LABEL: @scan
func.func @scan(%x: tensor<4x8xf32>) {
  // CHECK: graph.scan sum, %{{.*}} dim 1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %0 = graph.scan sum, %x dim 1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// CHECK-LABEL: @arg_scan
func.func @arg_scan(%x: tensor<4x8xf32>) {
  // CHECK: graph.arg_scan max, %{{.*}} dim 1 : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xi64>)
  %v, %i = graph.arg_scan max, %x dim 1 : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xi64>)
  return
}

// CHECK-LABEL: @sort
func.func @sort(%x: tensor<4x8xf32>) {
  // CHECK: graph.sort %{{.*}} dim 1 descending stable : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xi64>)
  %v, %i = graph.sort %x dim 1 descending stable : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xi64>)
  // CHECK: graph.sort %{{.*}} dim 0 library "runtime" :
  %w, %j = graph.sort %x dim 0 library "runtime" : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xi64>)
  return
}

// CHECK-LABEL: @topk
func.func @topk(%x: tensor<4x8xf32>, %y: tensor<?xi8, #sym.shape<[s0]>>) {
  // CHECK: graph.topk %{{.*}} k <3> dim 1 largest sorted : (tensor<4x8xf32>) -> (tensor<4x3xf32>, tensor<4x3xi64>)
  %v, %i = graph.topk %x k <3> dim 1 largest sorted : (tensor<4x8xf32>) -> (tensor<4x3xf32>, tensor<4x3xi64>)
  // CHECK: graph.topk %{{.*}} k <s0 floordiv 2> dim 0 library "cub" :
  %w, %j = graph.topk %y k <s0 floordiv 2> dim 0 library "cub" : (tensor<?xi8, #sym.shape<[s0]>>) -> (tensor<?xi8, #sym.shape<[s0 floordiv 2]>>, tensor<?xi64, #sym.shape<[s0 floordiv 2]>>)
  return
}
