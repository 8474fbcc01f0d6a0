// RUN: coil-opt %s --split-input-file --verify-diagnostics

// Each elementwise op that is not in invalid.mlir: (C1) shapes that do not
// broadcast to the result's, (C2) unequal element types.

func.func @abs_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.abs %x : (tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @abs_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.abs %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

func.func @acos_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.acos %x : (tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @acos_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.acos %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

func.func @acosh_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.acosh %x : (tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @acosh_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.acosh %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

func.func @asin_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.asin %x : (tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @asin_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.asin %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

func.func @asinh_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.asinh %x : (tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @asinh_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.asinh %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

func.func @atan2_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.atan2 %x, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @atan2_c2(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.atan2 %x, %y : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

func.func @atan_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.atan %x : (tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @atan_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.atan %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

func.func @atanh_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.atanh %x : (tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @atanh_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.atanh %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

func.func @bitwise_and_c1(%x: tensor<3xi32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.bitwise_and %x, %x : (tensor<3xi32>, tensor<3xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @bitwise_and_c2(%x: tensor<4xi32>, %y: tensor<4xi64>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.bitwise_and %x, %y : (tensor<4xi32>, tensor<4xi64>) -> tensor<4xi32>
  return
}

// -----

func.func @bitwise_not_c1(%x: tensor<3xi32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.bitwise_not %x : (tensor<3xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @bitwise_not_c2(%x: tensor<4xi32>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.bitwise_not %x : (tensor<4xi32>) -> tensor<4xi64>
  return
}

// -----

func.func @bitwise_or_c1(%x: tensor<3xi32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.bitwise_or %x, %x : (tensor<3xi32>, tensor<3xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @bitwise_or_c2(%x: tensor<4xi32>, %y: tensor<4xi64>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.bitwise_or %x, %y : (tensor<4xi32>, tensor<4xi64>) -> tensor<4xi32>
  return
}

// -----

func.func @bitwise_xor_c1(%x: tensor<3xi32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.bitwise_xor %x, %x : (tensor<3xi32>, tensor<3xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @bitwise_xor_c2(%x: tensor<4xi32>, %y: tensor<4xi64>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.bitwise_xor %x, %y : (tensor<4xi32>, tensor<4xi64>) -> tensor<4xi32>
  return
}

// -----

func.func @ceil_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.ceil %x : (tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @ceil_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.ceil %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

func.func @copysign_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.copysign %x, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @copysign_c2(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.copysign %x, %y : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

func.func @cos_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.cos %x : (tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @cos_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.cos %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

func.func @cosh_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.cosh %x : (tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @cosh_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.cosh %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

func.func @div_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.div %x, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @div_c2(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.div %x, %y : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

func.func @erf_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.erf %x : (tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @erf_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.erf %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

func.func @erfc_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.erfc %x : (tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @erfc_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.erfc %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

func.func @exp2_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.exp2 %x : (tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @exp2_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.exp2 %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

func.func @exp_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.exp %x : (tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @exp_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.exp %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

func.func @expm1_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.expm1 %x : (tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @expm1_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.expm1 %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

func.func @floor_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.floor %x : (tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @floor_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.floor %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

func.func @floor_div_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.floor_div %x, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @floor_div_c2(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.floor_div %x, %y : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

func.func @fmax_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.fmax %x, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @fmax_c2(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.fmax %x, %y : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

func.func @fmin_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.fmin %x, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @fmin_c2(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.fmin %x, %y : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

func.func @fmod_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.fmod %x, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @fmod_c2(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.fmod %x, %y : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

func.func @hypot_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.hypot %x, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @hypot_c2(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.hypot %x, %y : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

func.func @isinf_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.isinf %x : (tensor<3xf32>) -> tensor<4xi1>
  return
}

// -----

func.func @log10_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.log10 %x : (tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @log10_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.log10 %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

func.func @log1p_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.log1p %x : (tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @log1p_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.log1p %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

func.func @log2_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.log2 %x : (tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @log2_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.log2 %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

func.func @log_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.log %x : (tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @log_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.log %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

func.func @maximum_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.maximum %x, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @maximum_c2(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.maximum %x, %y : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

func.func @minimum_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.minimum %x, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @minimum_c2(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.minimum %x, %y : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

func.func @mul_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.mul %x, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @mul_c2(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.mul %x, %y : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

func.func @neg_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.neg %x : (tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @neg_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.neg %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

func.func @pow_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.pow %x, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @pow_c2(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.pow %x, %y : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

func.func @reciprocal_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.reciprocal %x : (tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @reciprocal_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.reciprocal %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

func.func @relu_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.relu %x : (tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @relu_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.relu %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

func.func @remainder_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.remainder %x, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @remainder_c2(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.remainder %x, %y : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

func.func @round_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.round %x : (tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @round_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.round %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

func.func @rsqrt_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.rsqrt %x : (tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @rsqrt_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.rsqrt %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

func.func @shift_left_c1(%x: tensor<3xi32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.shift_left %x, %x : (tensor<3xi32>, tensor<3xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @shift_left_c2(%x: tensor<4xi32>, %y: tensor<4xi64>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.shift_left %x, %y : (tensor<4xi32>, tensor<4xi64>) -> tensor<4xi32>
  return
}

// -----

func.func @shift_right_c1(%x: tensor<3xi32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.shift_right %x, %x : (tensor<3xi32>, tensor<3xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @shift_right_c2(%x: tensor<4xi32>, %y: tensor<4xi64>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.shift_right %x, %y : (tensor<4xi32>, tensor<4xi64>) -> tensor<4xi32>
  return
}

// -----

func.func @sigmoid_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.sigmoid %x : (tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @sigmoid_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.sigmoid %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

func.func @sign_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.sign %x : (tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @sign_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.sign %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

func.func @signbit_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.signbit %x : (tensor<3xf32>) -> tensor<4xi1>
  return
}

// -----

func.func @sin_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.sin %x : (tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @sin_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.sin %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

func.func @sinh_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.sinh %x : (tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @sinh_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.sinh %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

func.func @sqrt_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.sqrt %x : (tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @sqrt_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.sqrt %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

func.func @sub_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.sub %x, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @sub_c2(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.sub %x, %y : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

func.func @tan_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.tan %x : (tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @tan_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.tan %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

func.func @tanh_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.tanh %x : (tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @tanh_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.tanh %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

func.func @trunc_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.trunc %x : (tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @trunc_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.trunc %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

func.func @trunc_div_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.trunc_div %x, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @trunc_div_c2(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.trunc_div %x, %y : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}
