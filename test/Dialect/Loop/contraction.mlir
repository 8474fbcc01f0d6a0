// RUN: coil-opt %s --test-coil-contraction --split-input-file --verify-diagnostics

!x = tensor<?x64x128xf32, #sym.shape<[s0, 64, 128]>>
!y = tensor<?x64x32xf32, #sym.shape<[s0, 64, 32]>>

// Batch and rows are one run in both operands that have them.
func.func @linear_with_bias(%x: !x, %w: tensor<32x128xf32>, %b: tensor<32xf32>) -> !y
    attributes {sym.symbols = {s0 = #sym.range<1, 64>}} {
  // expected-remark@+1 {{contraction [s0 * 64, 32, 128]; a = 0 [128, 0, 1]; b = 1 [0, 128, 1]; c [32, 1, 0]; bias = 2 [0, 1, 0]; post none}}
  %y = loop.kernel "linear" [s0, 64, 32, 128] (%p = %x, %q = %w, %r = %b) : (!x, tensor<32x128xf32>, tensor<32xf32>) -> !y {
    %0 = loop.load %p[d0, d1, d3] : !x -> f32
    %1 = loop.load %q[d2, d3] : tensor<32x128xf32> -> f32
    %2 = arith.mulf %0, %1 : f32
    %3 = loop.reduce sum %2 over [3] : f32
    %4 = loop.load %r[d2] : tensor<32xf32> -> f32
    %5 = arith.addf %4, %3 : f32
    loop.store %5, 0 [d0, d1, d2] : f32
  }
  return %y : !y
}

// -----

!q = tensor<2x?x384xf32, #sym.shape<[2, s0, 384]>>
!s = tensor<2x4x?x?xf32, #sym.shape<[2, 4, s0, s0]>>

// Scores of attention heads that are slices of one projection.
func.func @attention_scores(%x: !q) -> !s attributes {sym.symbols = {s0 = #sym.range<1, 64>}} {
  // expected-remark@+1 {{contraction [2, 4, s0, s0, 32]; a = 0 [s0 * 384, 32, 384, 0, 1]; b = 0 [s0 * 384, 32, 0, 384, 1] at 128; c [s0 * s0 * 4, s0 * s0, s0, 1, 0]; post none}}
  %y = loop.kernel "scores" [2, 4, s0, s0, 32] (%p = %x) : (!q) -> !s {
    %0 = loop.load %p[d0, d2, d1 * 32 + d4] : !q -> f32
    %1 = loop.load %p[d0, d3, d1 * 32 + d4 + 128] : !q -> f32
    %2 = arith.mulf %0, %1 : f32
    %3 = loop.reduce sum %2 over [4] : f32
    loop.store %3, 0 [d0, d1, d2, d3] : f32
  }
  return %y : !s
}

// -----

// The argument's strides count; the dense dimension of the result becomes n.
func.func @strided_and_swapped(%x: tensor<8x4xf32> {coil.strides = #sym.shape<[1, 8]>}, %w: tensor<4x16xf32>) -> tensor<16x8xf32> {
  // expected-remark@+1 {{contraction [16, 8, 4]; a = 1 [1, 0, 16]; b = 0 [0, 1, 8]; c [8, 1, 0]; post relu}}
  %y = loop.kernel "mm" [8, 16, 4] (%p = %x, %q = %w) : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<16x8xf32> {
    %z = arith.constant 0.0 : f32
    %0 = loop.load %p[d0, d2] : tensor<8x4xf32> -> f32
    %1 = loop.load %q[d2, d1] : tensor<4x16xf32> -> f32
    %2 = arith.mulf %0, %1 : f32
    %3 = loop.reduce sum %2 over [2] : f32
    %4 = arith.maximumf %3, %z : f32
    loop.store %4, 0 [d1, d0] : f32
  }
  return %y : tensor<16x8xf32>
}

// -----

func.func @bf16_with_gelu(%x: tensor<8x4xbf16>, %w: tensor<4x16xbf16>) -> tensor<8x16xbf16> {
  // expected-remark@+1 {{contraction [8, 16, 4]; a = 0 [4, 0, 1]; b = 1 [0, 1, 16]; c [16, 1, 0]; post gelu_erf}}
  %y = loop.kernel "mm" [8, 16, 4] (%p = %x, %q = %w) : (tensor<8x4xbf16>, tensor<4x16xbf16>) -> tensor<8x16xbf16> {
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %c = arith.constant 0.707106769 : f32
    %0 = loop.load %p[d0, d2] : tensor<8x4xbf16> -> bf16
    %1 = loop.load %q[d2, d1] : tensor<4x16xbf16> -> bf16
    %e0 = arith.extf %0 : bf16 to f32
    %e1 = arith.extf %1 : bf16 to f32
    %2 = arith.mulf %e0, %e1 : f32
    %3 = loop.reduce sum %2 over [2] : f32
    %4 = arith.mulf %3, %half : f32
    %5 = arith.mulf %3, %c : f32
    %6 = math.erf %5 : f32
    %7 = arith.addf %6, %one : f32
    %8 = arith.mulf %4, %7 : f32
    %9 = arith.truncf %8 : f32 to bf16
    loop.store %9, 0 [d0, d1] : bf16
  }
  return %y : tensor<8x16xbf16>
}

// -----

func.func @residual_is_no_bias(%x: tensor<8x4xf32>, %w: tensor<4x16xf32>, %b: tensor<8x16xf32>) -> tensor<8x16xf32> {
  // expected-remark@+1 {{no contraction: the bias varies over more than one dimension}}
  %y = loop.kernel "mm" [8, 16, 4] (%p = %x, %q = %w, %r = %b) : (tensor<8x4xf32>, tensor<4x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32> {
    %0 = loop.load %p[d0, d2] : tensor<8x4xf32> -> f32
    %1 = loop.load %q[d2, d1] : tensor<4x16xf32> -> f32
    %2 = arith.mulf %0, %1 : f32
    %3 = loop.reduce sum %2 over [2] : f32
    %4 = loop.load %r[d0, d1] : tensor<8x16xf32> -> f32
    %5 = arith.addf %3, %4 : f32
    loop.store %5, 0 [d0, d1] : f32
  }
  return %y : tensor<8x16xf32>
}

// -----

func.func @other_epilogue(%x: tensor<8x4xf32>, %w: tensor<4x16xf32>) -> tensor<8x16xf32> {
  // expected-remark@+1 {{no contraction: its epilogue is not a bias and a known function}}
  %y = loop.kernel "mm" [8, 16, 4] (%p = %x, %q = %w) : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32> {
    %0 = loop.load %p[d0, d2] : tensor<8x4xf32> -> f32
    %1 = loop.load %q[d2, d1] : tensor<4x16xf32> -> f32
    %2 = arith.mulf %0, %1 : f32
    %3 = loop.reduce sum %2 over [2] : f32
    %4 = math.tanh %3 : f32
    loop.store %4, 0 [d0, d1] : f32
  }
  return %y : tensor<8x16xf32>
}

// -----

func.func @uneven_elements(%x: tensor<8x4xf32>, %w: tensor<4x16xf32>) -> tensor<8x16xf32> {
  // expected-remark@+1 {{no contraction: the elements of an operand are not evenly spaced}}
  %y = loop.kernel "mm" [8, 16, 4] (%p = %x, %q = %w) : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32> {
    %0 = loop.load %p[d0 floordiv 3, d2] : tensor<8x4xf32> -> f32
    %1 = loop.load %q[d2, d1] : tensor<4x16xf32> -> f32
    %2 = arith.mulf %0, %1 : f32
    %3 = loop.reduce sum %2 over [2] : f32
    loop.store %3, 0 [d0, d1] : f32
  }
  return %y : tensor<8x16xf32>
}

// -----

func.func @integers(%x: tensor<8x4xi32>, %w: tensor<4x16xi32>) -> tensor<8x16xi32> {
  // expected-remark@+1 {{no contraction: its only reduction is not a sum in f32}}
  %y = loop.kernel "mm" [8, 16, 4] (%p = %x, %q = %w) : (tensor<8x4xi32>, tensor<4x16xi32>) -> tensor<8x16xi32> {
    %0 = loop.load %p[d0, d2] : tensor<8x4xi32> -> i32
    %1 = loop.load %q[d2, d1] : tensor<4x16xi32> -> i32
    %2 = arith.muli %0, %1 : i32
    %3 = loop.reduce sum %2 over [2] : i32
    loop.store %3, 0 [d0, d1] : i32
  }
  return %y : tensor<8x16xi32>
}

// -----

!x = tensor<?x3x8x8xf32, #sym.shape<[s0, 3, 8, 8]>>
!y = tensor<?x16x8x8xf32, #sym.shape<[s0, 16, 8, 8]>>

func.func @conv_with_bias_and_relu(%x: !x, %w: tensor<16x3x3x3xf32>, %b: tensor<16xf32>) -> !y
    attributes {sym.symbols = {s0 = #sym.range<1, 64>}} {
  // expected-remark@+1 {{convolution of 0 with 1, bias 2, post relu}}
  %y = loop.kernel "conv" [s0, 16, 8, 8, 3, 3, 3] (%p = %x, %q = %w, %r = %b) : (!x, tensor<16x3x3x3xf32>, tensor<16xf32>) -> !y
      conv<stride = [1, 1], padding = [1, 1], dilation = [1, 1], groups = 1> {
    %z = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : i64
    %c8 = arith.constant 8 : i64
    %i = loop.index <d2 + d5 - 1>
    %j = loop.index <d3 + d6 - 1>
    %m0 = arith.cmpi ult, %i, %c8 : i64
    %m1 = arith.cmpi ult, %j, %c8 : i64
    %m = arith.andi %m0, %m1 : i1
    %0 = loop.load %p[d0, d4, d2 + d5 - 1, d3 + d6 - 1] mask %m else %z : f32 : !x -> f32
    %1 = loop.load %q[d1, d4, d5, d6] : tensor<16x3x3x3xf32> -> f32
    %2 = arith.mulf %0, %1 : f32
    %3 = loop.reduce sum %2 over [4, 5, 6] : f32
    %4 = loop.load %r[d1] : tensor<16xf32> -> f32
    %5 = arith.addf %3, %4 : f32
    %6 = arith.maximumf %5, %z : f32
    loop.store %6, 0 [d0, d1, d2, d3] : f32
  }
  return %y : !y
}

// -----

// A flipped weight has the same sizes.
func.func @conv_turned_around(%x: tensor<1x1x8xf32>, %w: tensor<1x1x3xf32>) -> tensor<1x1x6xf32> {
  // expected-remark@+1 {{no convolution: its dimensions are not in the order of a convolution}}
  %y = loop.kernel "conv" [6, 3] (%p = %x, %q = %w) : (tensor<1x1x8xf32>, tensor<1x1x3xf32>) -> tensor<1x1x6xf32>
      conv<stride = [1], padding = [0], dilation = [1], groups = 1> {
    %0 = loop.load %p[0, 0, d0 + d1] : tensor<1x1x8xf32> -> f32
    %1 = loop.load %q[0, 0, -d1 + 2] : tensor<1x1x3xf32> -> f32
    %2 = arith.mulf %0, %1 : f32
    %3 = loop.reduce sum %2 over [1] : f32
    loop.store %3, 0 [0, 0, d0] : f32
  }
  return %y : tensor<1x1x6xf32>
}

// -----

func.func @conv_of_other_shapes(%x: tensor<1x1x8xf32>, %w: tensor<1x1x3xf32>) -> tensor<1x1x6xf32> {
  // expected-remark@+1 {{no convolution: its operands do not have the shapes of a convolution}}
  %y = loop.kernel "conv" [6, 3] (%p = %x, %q = %w) : (tensor<1x1x8xf32>, tensor<1x1x3xf32>) -> tensor<1x1x6xf32>
      conv<stride = [1], padding = [1], dilation = [1], groups = 1> {
    %0 = loop.load %p[0, 0, d0 + d1] : tensor<1x1x8xf32> -> f32
    %1 = loop.load %q[0, 0, d1] : tensor<1x1x3xf32> -> f32
    %2 = arith.mulf %0, %1 : f32
    %3 = loop.reduce sum %2 over [1] : f32
    loop.store %3, 0 [0, 0, d0] : f32
  }
  return %y : tensor<1x1x6xf32>
}
