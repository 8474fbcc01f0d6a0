// RUN: coil-opt %s --split-input-file --verify-diagnostics

func.func @add_c1(%x: tensor<3xf32>, %y: tensor<4xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.add %x, %y : (tensor<3xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// A symbol is not known to equal another one.
func.func @add_c1_symbols(%x: tensor<?xf32, #sym.shape<[s0]>>, %y: tensor<?xf32, #sym.shape<[s1]>>) {
  // expected-error@+1 {{sizes [s1] do not broadcast to the result's [s0]}}
  %0 = graph.add %x, %y : (tensor<?xf32, #sym.shape<[s0]>>, tensor<?xf32, #sym.shape<[s1]>>) -> tensor<?xf32, #sym.shape<[s0]>>
  return
}

// -----

func.func @add_c2(%x: tensor<4xf32>, %y: tensor<4xi32>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.add %x, %y : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
  return
}

// -----

func.func @no_size_expression(%x: tensor<?xf32>) {
  // expected-error@+1 {{must be tensor of number values with an expression for each dynamic size, but got 'tensor<?xf32>'}}
  %0 = graph.neg %x : (tensor<?xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @exp_of_integer(%x: tensor<4xi32>) {
  // expected-error@+1 {{must be tensor of float values}}
  %0 = graph.exp %x : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @isnan_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4]}}
  %0 = graph.isnan %x : (tensor<3xf32>) -> tensor<4xi1>
  return
}

// -----

func.func @compare_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [1, 2]}}
  %0 = graph.compare lt, %x, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<1x2xi1>
  return
}

// -----

func.func @compare_c2(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error@+1 {{expected an operand with elements of type 'f32' but got 'f64'}}
  %0 = graph.compare lt, %x, %y : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xi1>
  return
}

// -----

func.func @select_c1(%p: tensor<2xi1>, %x: tensor<4xf32>) {
  // expected-error@+1 {{sizes [2] do not broadcast to the result's [4]}}
  %0 = graph.select %p, %x, %x : (tensor<2xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @select_c2(%p: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf16>) {
  // expected-error@+1 {{expected an operand with elements of type 'f32' but got 'f16'}}
  %0 = graph.select %p, %x, %y : (tensor<4xi1>, tensor<4xf32>, tensor<4xf16>) -> tensor<4xf32>
  return
}

// -----

func.func @convert_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{sizes [4] do not broadcast to the result's [2]}}
  %0 = graph.convert %x : (tensor<4xf32>) -> tensor<2xf16>
  return
}

// -----

func.func @bitcast_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{sizes [4] do not broadcast to the result's [2]}}
  %0 = graph.bitcast %x : (tensor<4xf32>) -> tensor<2xi32>
  return
}

// -----

func.func @bitcast_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{cannot read the bits of 'f32' as 'i64'}}
  %0 = graph.bitcast %x : (tensor<4xf32>) -> tensor<4xi64>
  return
}

// -----

func.func @special_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{sizes [4] do not broadcast to the result's [2]}}
  %0 = graph.special lgamma, %x : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @special_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected an operand with elements of type 'f64' but got 'f32'}}
  %0 = graph.special lgamma, %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

func.func @special_c3(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected 2 operands for 'zeta' but got 1}}
  %0 = graph.special zeta, %x : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @reduce_c1_unsorted(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{expected sorted, distinct dimensions below 2 but got 0 after 1}}
  %0 = graph.reduce sum, %x dims [1, 0] : (tensor<4x8xf32>) -> tensor<f32>
  return
}

// -----

func.func @reduce_c1_outside(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{expected sorted, distinct dimensions below 2 but got 2}}
  %0 = graph.reduce sum, %x dims [2] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @reduce_c2(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{expected result sizes [4, 1] but got [4]}}
  %0 = graph.reduce sum, %x dims [1] keepdims : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @reduce_c3_type(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{expected a result with elements of type 'f32' but got 'f64'}}
  %0 = graph.reduce sum, %x dims [1] : (tensor<4x8xf32>) -> tensor<4xf64>
  return
}

// -----

func.func @reduce_c3_kind(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{has no reduction 'any' of elements of type 'f32'}}
  %0 = graph.reduce any, %x dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @arg_reduce_c1_kind(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{expected 'max' or 'min' but got 'sum'}}
  %0:2 = graph.arg_reduce sum, %x dim 1 : (tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xi64>)
  return
}

// -----

func.func @arg_reduce_c1_dim(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{expected sorted, distinct dimensions below 2 but got -1}}
  %0:2 = graph.arg_reduce max, %x dim -1 : (tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xi64>)
  return
}

// -----

func.func @arg_reduce_c2(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{expected result sizes [4] but got [8]}}
  %0:2 = graph.arg_reduce max, %x dim 1 : (tensor<4x8xf32>) -> (tensor<4xf32>, tensor<8xi64>)
  return
}

// -----

func.func @arg_reduce_c3(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{expected values with elements of type 'f32' but got 'f64'}}
  %0:2 = graph.arg_reduce max, %x dim 1 : (tensor<4x8xf32>) -> (tensor<4xf64>, tensor<4xi64>)
  return
}

// -----

func.func @arg_reduce_c4(%x: tensor<4x0xf32>) {
  // expected-error@+1 {{cannot choose from dimension 1 of size zero}}
  %0:2 = graph.arg_reduce max, %x dim 1 : (tensor<4x0xf32>) -> (tensor<4xf32>, tensor<4xi64>)
  return
}

// -----

func.func @welford_c1(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{expected sorted, distinct dimensions below 2 but got 2}}
  %0:2 = graph.welford %x dims [2] : (tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @welford_c2(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{expected result sizes [4] but got [8]}}
  %0:2 = graph.welford %x dims [1] : (tensor<4x8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @welford_c3(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{expected elements of type 'f32' but got 'f64'}}
  %0:2 = graph.welford %x dims [1] : (tensor<4x8xf32>) -> (tensor<4xf64>, tensor<4xf64>)
  return
}

// -----

func.func @welford_c3_half(%x: tensor<4x8xbf16>) {
  // expected-error@+1 {{operand #0 must be}}
  %0:2 = graph.welford %x dims [1] : (tensor<4x8xbf16>) -> (tensor<4xbf16>, tensor<4xbf16>)
  return
}

// -----

func.func @matmul_c1(%x: tensor<4xf32>, %y: tensor<4x2xf32>) {
  // expected-error@+1 {{expected operands of one rank of at least 2 but got ranks 1 and 2}}
  %0 = graph.matmul %x, %y : (tensor<4xf32>, tensor<4x2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @matmul_c2(%x: tensor<3x4xf32>, %y: tensor<5x2xf32>) {
  // expected-error@+1 {{contracted sizes '4' and '5' differ}}
  %0 = graph.matmul %x, %y : (tensor<3x4xf32>, tensor<5x2xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @matmul_c3_batch(%x: tensor<2x3x4xf32>, %y: tensor<3x4x2xf32>) {
  // expected-error@+1 {{batch sizes '2' and '3' differ}}
  %0 = graph.matmul %x, %y : (tensor<2x3x4xf32>, tensor<3x4x2xf32>) -> tensor<2x3x2xf32>
  return
}

// -----

func.func @matmul_c3_result(%x: tensor<2x3x4xf32>, %y: tensor<1x4x2xf32>) {
  // expected-error@+1 {{expected result sizes [2, 3, 2] but got [1, 3, 2]}}
  %0 = graph.matmul %x, %y : (tensor<2x3x4xf32>, tensor<1x4x2xf32>) -> tensor<1x3x2xf32>
  return
}

// -----

func.func @matmul_c4(%x: tensor<3x4xf32>, %y: tensor<4x2xf16>) {
  // expected-error@+1 {{expected elements of type 'f32' but got 'f16'}}
  %0 = graph.matmul %x, %y : (tensor<3x4xf32>, tensor<4x2xf16>) -> tensor<3x2xf32>
  return
}

// -----

func.func @matmul_c4_wide(%x: tensor<3x4xbf16>, %y: tensor<4x2xf16>) {
  // expected-error@+1 {{expected elements of type 'bf16' but got 'f16'}}
  %0 = graph.matmul %x, %y : (tensor<3x4xbf16>, tensor<4x2xf16>) -> tensor<3x2xf32>
  return
}

// -----

func.func @matmul_c4_wide_bias(%x: tensor<3x4xbf16>, %y: tensor<4x2xbf16>, %b: tensor<2xbf16>) {
  // expected-error@+1 {{expected elements of type 'f32' but got 'bf16'}}
  %0 = graph.matmul %x, %y bias %b : (tensor<3x4xbf16>, tensor<4x2xbf16>, tensor<2xbf16>) -> tensor<3x2xf32>
  return
}

// -----

func.func @matmul_c4_wide_f64(%x: tensor<3x4xbf16>, %y: tensor<4x2xbf16>) {
  // expected-error@+1 {{expected elements of type 'f64' but got 'bf16'}}
  %0 = graph.matmul %x, %y : (tensor<3x4xbf16>, tensor<4x2xbf16>) -> tensor<3x2xf64>
  return
}

// -----

func.func @matmul_c5_size(%x: tensor<3x4xf32>, %y: tensor<4x2xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{expected a bias of 2 elements but got 'tensor<3xf32>'}}
  %0 = graph.matmul %x, %y bias %b : (tensor<3x4xf32>, tensor<4x2xf32>, tensor<3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @matmul_c5_rank(%x: tensor<3x4xf32>, %y: tensor<4x2xf32>, %b: tensor<1x2xf32>) {
  // expected-error@+1 {{expected a bias of 2 elements but got 'tensor<1x2xf32>'}}
  %0 = graph.matmul %x, %y bias %b : (tensor<3x4xf32>, tensor<4x2xf32>, tensor<1x2xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @conv_c1(%x: tensor<3x8xf32>, %w: tensor<4x3xf32>) {
  // expected-error@+1 {{expected input and weight of one rank from 3 to 5 but got ranks 2 and 2}}
  %0 = graph.conv %x, %w stride [] padding [] dilation [] groups 1 : (tensor<3x8xf32>, tensor<4x3xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @conv_c2(%x: tensor<2x3x8xf32>, %w: tensor<4x3x3xf32>) {
  // expected-error@+1 {{expected 1 positive strides and dilations and paddings that are not negative, all below 2^31}}
  %0 = graph.conv %x, %w stride [0] padding [0] dilation [1] groups 1 : (tensor<2x3x8xf32>, tensor<4x3x3xf32>) -> tensor<2x4x6xf32>
  return
}

// -----

func.func @conv_c3(%x: tensor<2x3x8xf32>, %w: tensor<4x3x3xf32>) {
  // expected-error@+1 {{weight [4, 3, 3] does not fit 3 channels in 2 groups}}
  %0 = graph.conv %x, %w stride [1] padding [0] dilation [1] groups 2 : (tensor<2x3x8xf32>, tensor<4x3x3xf32>) -> tensor<2x4x6xf32>
  return
}

// -----

func.func @conv_c4(%x: tensor<2x3x8xf32>, %w: tensor<4x3x3xf32>) {
  // expected-error@+1 {{expected result sizes [2, 4, 6] but got [2, 4, 8]}}
  %0 = graph.conv %x, %w stride [1] padding [0] dilation [1] groups 1 : (tensor<2x3x8xf32>, tensor<4x3x3xf32>) -> tensor<2x4x8xf32>
  return
}

// -----

func.func @conv_c5(%x: tensor<2x3x8xf32>, %w: tensor<4x3x3xf16>) {
  // expected-error@+1 {{expected elements of type 'f32' but got 'f16'}}
  %0 = graph.conv %x, %w stride [1] padding [0] dilation [1] groups 1 : (tensor<2x3x8xf32>, tensor<4x3x3xf16>) -> tensor<2x4x6xf32>
  return
}

// -----

func.func @pool_c1(%x: tensor<2x3x8xf32>) {
  // expected-error@+1 {{expected operand and result to agree in a rank from 3 to 5, the batch size, the channels and the element type}}
  %0 = graph.pool max, %x kernel [2] stride [2] padding [0] dilation [1] : (tensor<2x3x8xf32>) -> tensor<2x4x4xf32>
  return
}

// -----

func.func @pool_c2(%x: tensor<2x3x8xf32>) {
  // expected-error@+1 {{expected 1 positive kernel sizes, strides and dilations and paddings of at most half a kernel, all below 2^31}}
  %0 = graph.pool max, %x kernel [2] stride [2] padding [2] dilation [1] : (tensor<2x3x8xf32>) -> tensor<2x3x6xf32>
  return
}

// -----

func.func @pool_c3(%x: tensor<2x3x8xf32>) {
  // expected-error@+1 {{the last window of dimension 2 starts after the end of the input}}
  %0 = graph.pool max, %x kernel [2] stride [2] padding [0] dilation [1] : (tensor<2x3x8xf32>) -> tensor<2x3x5xf32>
  return
}

// -----

func.func @pool_c4_zero(%x: tensor<2x3x8xf32>) {
  // expected-error@+1 {{expected a divisor that is not zero and that the element type can hold, but got 0}}
  %0 = graph.pool avg, %x kernel [2] stride [2] padding [0] dilation [1] divisor 0 : (tensor<2x3x8xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @pool_c4_unsigned(%x: tensor<2x3x8xui8>) {
  // expected-error@+1 {{expected a divisor that is not zero and that the element type can hold, but got -1}}
  %0 = graph.pool avg, %x kernel [2] stride [2] padding [0] dilation [1] divisor -1 : (tensor<2x3x8xui8>) -> tensor<2x3x4xui8>
  return
}

// -----

func.func @attention_c1(%q: tensor<2x4x8xf32>, %k: tensor<3x4x8xf32>) {
  // expected-error@+1 {{expected query, key and value of one rank with equal batch sizes but got [2, 4, 8], [3, 4, 8] and [3, 4, 8]}}
  %0 = graph.attention %q, %k, %k scale 1.0 : (tensor<2x4x8xf32>, tensor<3x4x8xf32>, tensor<3x4x8xf32>) -> tensor<2x4x8xf32>
  return
}

// -----

func.func @attention_c2(%q: tensor<4x8xf32>, %k: tensor<4x6xf32>) {
  // expected-error@+1 {{query [4, 8], key [4, 6] and value [4, 6] do not fit}}
  %0 = graph.attention %q, %k, %k scale 1.0 : (tensor<4x8xf32>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @attention_c3_type(%q: tensor<4x8xf32>, %v: tensor<4x8xf16>) {
  // expected-error@+1 {{expected elements of type 'f32' but got 'f16'}}
  %0 = graph.attention %q, %q, %v scale 1.0 : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf16>) -> tensor<4x8xf32>
  return
}

// -----

func.func @attention_c3_mask(%q: tensor<4x8xf32>, %m: tensor<3xi1>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [4, 4]}}
  %0 = graph.attention %q, %q, %q mask %m scale 1.0 : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<3xi1>) -> tensor<4x8xf32>
  return
}

// -----

func.func @attention_c4(%q: tensor<4x8xf32>, %m: tensor<4xi1>) {
  // expected-error@+1 {{cannot have a mask and be causal}}
  %0 = graph.attention %q, %q, %q mask %m causal scale 1.0 : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xi1>) -> tensor<4x8xf32>
  return
}

// -----

func.func @reshape_c1(%x: tensor<?x4xf32, #sym.shape<[s0, 4]>>) {
  // expected-error@+1 {{cannot read 's0 * 4' elements as 's0 * 4 + 1'}}
  %0 = graph.reshape %x : (tensor<?x4xf32, #sym.shape<[s0, 4]>>) -> tensor<?xf32, #sym.shape<[s0 * 4 + 1]>>
  return
}

// -----

func.func @reshape_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.reshape %x : (tensor<4xf32>) -> tensor<2x2xf64>
  return
}

// -----

func.func @permute_c1(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{expected a permutation of 2 dimensions}}
  %0 = graph.permute %x [1, 1] : (tensor<4x6xf32>) -> tensor<6x6xf32>
  return
}

// -----

func.func @permute_c2(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{expected result sizes [6, 4] but got [4, 6]}}
  %0 = graph.permute %x [1, 0] : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @permute_c3(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.permute %x [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf64>
  return
}

// -----

func.func @broadcast_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{sizes [3] do not broadcast to the result's [3, 4]}}
  %0 = graph.broadcast %x : (tensor<3xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @broadcast_c2(%x: tensor<3xf32>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.broadcast %x : (tensor<3xf32>) -> tensor<2x3xf64>
  return
}

// -----

func.func @slice_c1(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{expected 2 starts, steps and result sizes, no step zero}}
  %0 = graph.slice %x starts <[0, 0]> steps [1, 0] : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @slice_c2(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{reads outside the 6 elements of dimension 1}}
  %0 = graph.slice %x starts <[0, 3]> steps [1, 2] : (tensor<4x6xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @slice_c3(%x: tensor<4xf32>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.slice %x starts <[0]> steps [1] : (tensor<4xf32>) -> tensor<2xf64>
  return
}

// -----

func.func @cat_c1_dim(%x: tensor<4xf32>) {
  // expected-error@+1 {{dimension 1 is outside rank 1}}
  %0 = graph.cat %x, %x dim 1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @cat_c1_rank(%x: tensor<4xf32>, %y: tensor<2x4xf32>) {
  // expected-error@+1 {{operands have ranks 1 and 2}}
  %0 = graph.cat %x, %y dim 0 : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @cat_c2_size(%x: tensor<2x4xf32>, %y: tensor<2x3xf32>) {
  // expected-error@+1 {{sizes '4' and '3' of dimension 1 differ}}
  %0 = graph.cat %x, %y dim 0 : (tensor<2x4xf32>, tensor<2x3xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @cat_c2_result(%x: tensor<2x4xf32>) {
  // expected-error@+1 {{expected result sizes [4, 4] but got [3, 4]}}
  %0 = graph.cat %x, %x dim 0 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @cat_c3(%x: tensor<2xf32>, %y: tensor<2xf64>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.cat %x, %y dim 0 : (tensor<2xf32>, tensor<2xf64>) -> tensor<4xf32>
  return
}

// -----

func.func @pad_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected 1 amounts of padding but got 2 and 1}}
  %0 = graph.pad %x low [1, 1] high [1] value 0.0 : f32 : (tensor<4xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @pad_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected result sizes [7] but got [6]}}
  %0 = graph.pad %x low [1] high [2] value 0.0 : f32 : (tensor<4xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @pad_c3(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected operand and value of element type 'f32'}}
  %0 = graph.pad %x low [1] high [1] value 0.0 : f64 : (tensor<4xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @gather_c1(%x: tensor<4x6xf32>, %i: tensor<4xi64>) {
  // expected-error@+1 {{expected operand and index of one rank above 1}}
  %0 = graph.gather %x, %i dim 1 : (tensor<4x6xf32>, tensor<4xi64>) -> tensor<4xf32>
  return
}

// -----

func.func @gather_c2_sizes(%x: tensor<4x6xf32>, %i: tensor<4x2xi64>) {
  // expected-error@+1 {{expected result sizes [4, 2] but got [4, 6]}}
  %0 = graph.gather %x, %i dim 1 : (tensor<4x6xf32>, tensor<4x2xi64>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gather_c2_type(%x: tensor<4x6xf32>, %i: tensor<4x2xi64>) {
  // expected-error@+1 {{expected a result with elements of type 'f32'}}
  %0 = graph.gather %x, %i dim 1 : (tensor<4x6xf32>, tensor<4x2xi64>) -> tensor<4x2xf64>
  return
}

// -----

func.func @index_c1(%x: tensor<4x6xf32>, %i: tensor<2xi64>) {
  // expected-error@+1 {{expected one index for each of 2 dimensions but got 1}}
  %0 = graph.index %x[%i] dims [0, 1] : (tensor<4x6xf32>, tensor<2xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @index_c2(%x: tensor<4x6xf32>, %i: tensor<2xi64>, %j: tensor<3xi64>) {
  // expected-error@+1 {{sizes '2' and '3' do not broadcast}}
  %0 = graph.index %x[%i, %j] dims [0, 1] : (tensor<4x6xf32>, tensor<2xi64>, tensor<3xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @index_c3(%x: tensor<4x6xf32>, %i: tensor<2xi64>) {
  // expected-error@+1 {{expected result sizes [2, 6] but got [2]}}
  %0 = graph.index %x[%i] dims [0] : (tensor<4x6xf32>, tensor<2xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @constant_c1() {
  // expected-error@+1 {{failed to verify that all of {value, result} have same type}}
  %0 = "graph.constant"() {value = dense<1.0> : tensor<2xf32>} : () -> tensor<3xf32>
  return
}

// -----

func.func @full_c1() {
  // expected-error@+1 {{value has type 'f64' but the elements have 'f32'}}
  %0 = graph.full 0.0 : f64 -> tensor<4xf32>
  return
}

// -----

func.func @iota_c1() {
  // expected-error@+1 {{dimension 1 is outside rank 1}}
  %0 = graph.iota 0 : i64 step 1 : i64 dim 1 -> tensor<8xi64>
  return
}

// -----

func.func @iota_c2() {
  // expected-error@+1 {{expected start and step of type 'f64' but got 'i64' and 'i64'}}
  %0 = graph.iota 0 : i64 step 1 : i64 dim 0 -> tensor<8xf32>
  return
}

// -----

func.func @random_c1_dimension(%s: tensor<2xi64>) {
  // expected-error@+1 {{expected a number of groups over symbols, but got 'd0'}}
  %0 = graph.random normal, %s skip <d0> blocks 1056 : tensor<2xi64> -> tensor<8xf32>
  return
}

// -----

func.func @random_c1_negative(%s: tensor<2xi64>) {
  // expected-error@+1 {{expected a number of groups over symbols, but got '-1'}}
  %0 = graph.random normal, %s skip <-1> blocks 1056 : tensor<2xi64> -> tensor<8xf32>
  return
}

// -----

func.func @random_c2(%s: tensor<2xi64>) {
  // expected-error@+1 {{expected a positive number of blocks}}
  %0 = graph.random normal, %s skip <0> blocks 0 : tensor<2xi64> -> tensor<8xf32>
  return
}

// -----

func.func @random_c3(%s: tensor<3xi64>) {
  // expected-error@+1 {{expected a state of seed and offset but got 'tensor<3xi64>'}}
  %0 = graph.random normal, %s skip <0> blocks 1 : tensor<3xi64> -> tensor<8xf32>
  return
}

// -----

func.func @random_c4_bits(%s: tensor<2xi64>) {
  // expected-error@+1 {{does not draw 'bits' as elements of type 'f64'}}
  %0 = graph.random bits, %s skip <0> blocks 1 : tensor<2xi64> -> tensor<8xf64>
  return
}

// -----

func.func @random_c4_normal(%s: tensor<2xi64>) {
  // expected-error@+1 {{does not draw 'normal' as elements of type 'ui64'}}
  %0 = graph.random normal, %s skip <0> blocks 1 : tensor<2xi64> -> tensor<8xui64>
  return
}

// -----

func.func @random_bits_state(%s: tensor<3xi64>) {
  // expected-error@+1 {{expected a state of seed and offset but got 'tensor<3xi64>'}}
  %0 = graph.random_bits %s skip <0> vector <4> blocks 1056 : tensor<3xi64> -> tensor<8xui32>
  return
}

// -----

func.func @random_bits_c1(%s: tensor<2xi64>) {
  // expected-error@+1 {{expression 'd0' mentions a dimension or an indirect index}}
  %0 = graph.random_bits %s skip <d0> vector <4> blocks 1056 : tensor<2xi64> -> tensor<8xui32>
  return
}

// -----

func.func @random_bits_c2_vector(%s: tensor<2xi64>) {
  // expected-error@+1 {{expected a vector of at least one element and a positive number of blocks}}
  %0 = graph.random_bits %s skip <0> vector <0> blocks 1056 : tensor<2xi64> -> tensor<8xui32>
  return
}

// -----

func.func @random_bits_c2_blocks(%s: tensor<2xi64>) {
  // expected-error@+1 {{expected a vector of at least one element and a positive number of blocks}}
  %0 = graph.random_bits %s skip <0> vector <4> blocks 0 : tensor<2xi64> -> tensor<8xui32>
  return
}

// -----

func.func @random_bits_c3(%s: tensor<2xi64>) {
  // expected-error@+1 {{cannot skip -1 groups}}
  %0 = graph.random_bits %s skip <-1> vector <4> blocks 1056 : tensor<2xi64> -> tensor<8xui32>
  return
}

// -----

func.func @expr_c1() {
  // expected-error@+1 {{expression 'd0' mentions a dimension or an indirect index}}
  %0 = graph.expr <d0> -> tensor<i64>
  return
}

// -----

func.func @expr_c2() {
  // expected-error@+1 {{expected a result of rank zero but got rank 1}}
  %0 = graph.expr <s0> -> tensor<1xi64>
  return
}

// -----

func.func @aten_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{has 1 operands but 0 names for them}}
  %0 = graph.aten "aten.relu.default"(%x) [] {} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @aten_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{argument 'self' is both an operand and an attribute}}
  %0 = graph.aten "aten.relu.default"(%x) ["self"] {self = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @aten_c3(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected a name of the form 'namespace.operator.overload' but got 'relu'}}
  %0 = graph.aten "relu"(%x) ["self"] {} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// graph.aten (C4)
func.func @aten_c4(%x: tensor<4xf32>) {
  // expected-error@+1 {{'graph.aten' op defines the symbol 'u0', which is in the size of no result}}
  %0 = graph.aten "aten.relu.default"(%x) ["self"] {} defines ["u0"] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// graph.aten (C5)
func.func @aten_c5(%x: tensor<4xf32>) {
  // expected-error@+1 {{'graph.aten' op has no operands of rank zero for the number 'self'}}
  %0 = graph.aten "aten.relu.default"(%x) ["self"] {} numbers ["self"] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @attention_c3_mask_type(%q: tensor<4x8xf32>, %m: tensor<4x4xi32>) {
  // expected-error@+1 {{expected a mask with elements of type 'f32' or 'i1' but got 'i32'}}
  %0 = graph.attention %q, %q, %q mask %m scale 1.0 : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x4xi32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @conv_c3_kernel(%x: tensor<2x3x8xf32>, %w: tensor<4x3x?xf32, #sym.shape<[4, 3, s0]>>) {
  // expected-error@+1 {{kernel size 's0' is not constant}}
  %0 = graph.conv %x, %w stride [1] padding [0] dilation [1] groups 1 : (tensor<2x3x8xf32>, tensor<4x3x?xf32, #sym.shape<[4, 3, s0]>>) -> tensor<2x4x6xf32>
  return
}

// -----

func.func @gather_c3(%x: tensor<2x6xf32>, %i: tensor<4x6xi64>) {
  // expected-error@+1 {{reads 4 elements of dimension 0 of size 2}}
  %0 = graph.gather %x, %i dim 1 : (tensor<2x6xf32>, tensor<4x6xi64>) -> tensor<4x6xf32>
  return
}

// -----

func.func @scatter_c1(%x: tensor<4x6xf32>, %i: tensor<4xi64>, %v: tensor<4x2xf32>) {
  // expected-error@+1 {{expected operand, index and source of one rank above 1}}
  %0 = graph.scatter %x, %i, %v dim 1 : (tensor<4x6xf32>, tensor<4xi64>, tensor<4x2xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @scatter_c2(%x: tensor<4x6xf32>, %i: tensor<4x2xi64>, %v: tensor<4x2xf64>) {
  // expected-error@+1 {{expected a result of type 'tensor<4x6xf32>' and a source with its elements}}
  %0 = graph.scatter %x, %i, %v dim 1 : (tensor<4x6xf32>, tensor<4x2xi64>, tensor<4x2xf64>) -> tensor<4x6xf32>
  return
}

// -----

func.func @scatter_c3_source(%x: tensor<4x6xf32>, %i: tensor<4x2xi64>, %v: tensor<3x2xf32>) {
  // expected-error@+1 {{writes 4 elements along dimension 0, where the source has 3 and the operand 4}}
  %0 = graph.scatter %x, %i, %v dim 1 : (tensor<4x6xf32>, tensor<4x2xi64>, tensor<3x2xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @scatter_c3_operand(%x: tensor<4x6xf32>, %i: tensor<5x2xi64>, %v: tensor<5x2xf32>) {
  // expected-error@+1 {{writes 5 elements along dimension 0, where the source has 5 and the operand 4}}
  %0 = graph.scatter %x, %i, %v dim 1 : (tensor<4x6xf32>, tensor<5x2xi64>, tensor<5x2xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @scatter_c4(%x: tensor<4x6xf32>, %i: tensor<4x2xi64>, %v: tensor<4x2xf32>) {
  // expected-error@+1 {{cannot combine elements of type 'f32' by 'any'}}
  %0 = graph.scatter any %x, %i, %v dim 1 : (tensor<4x6xf32>, tensor<4x2xi64>, tensor<4x2xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @index_put_c1(%x: tensor<4x6xf32>, %i: tensor<2xi64>, %v: tensor<2xf32>) {
  // expected-error@+1 {{expected one index for each of 2 dimensions but got 1}}
  %0 = graph.index_put %x[%i], %v dims [0, 1] : (tensor<4x6xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @index_put_c2(%x: tensor<4x6xf32>, %i: tensor<2xi64>, %j: tensor<3xi64>, %v: tensor<3xf32>) {
  // expected-error@+1 {{do not broadcast}}
  %0 = graph.index_put %x[%i, %j], %v dims [0, 1] : (tensor<4x6xf32>, tensor<2xi64>, tensor<3xi64>, tensor<3xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @index_put_c3(%x: tensor<4x6xf32>, %i: tensor<2xi64>, %v: tensor<3x6xf32>) {
  // expected-error@+1 {{expected result sizes [2, 6] but got [3, 6]}}
  %0 = graph.index_put %x[%i], %v dims [0] : (tensor<4x6xf32>, tensor<2xi64>, tensor<3x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @index_put_c3_type(%x: tensor<4x6xf32>, %i: tensor<2xi64>, %v: tensor<2x6xf32>) {
  // expected-error@+1 {{expected a result of type 'tensor<4x6xf32>' and values with its elements}}
  %0 = graph.index_put %x[%i], %v dims [0] : (tensor<4x6xf32>, tensor<2xi64>, tensor<2x6xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @index_put_c4(%x: tensor<4x6xf32>, %i: tensor<2xi64>, %v: tensor<2x6xf32>) {
  // expected-error@+1 {{cannot combine elements of type 'f32' by 'xor'}}
  %0 = graph.index_put xor %x[%i], %v dims [0] : (tensor<4x6xf32>, tensor<2xi64>, tensor<2x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @scan_c1(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{dimension 2 is outside rank 2}}
  %0 = graph.scan sum, %x dim 2 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @scan_c2(%x: tensor<4xi1>) {
  // expected-error@+1 {{has no scan 'sum' of elements of type 'i1'}}
  %0 = graph.scan sum, %x dim 0 : (tensor<4xi1>) -> tensor<4xi1>
  return
}

// -----

func.func @scan_c2_logaddexp(%x: tensor<4xi64>) {
  // expected-error@+1 {{has no scan 'logaddexp' of elements of type 'i64'}}
  %0 = graph.scan logaddexp, %x dim 0 : (tensor<4xi64>) -> tensor<4xi64>
  return
}

// -----

func.func @arg_scan_c1(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{expected 'max' or 'min' but got 'sum'}}
  %v, %i = graph.arg_scan sum, %x dim 0 : (tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xi64>)
  return
}

// -----

func.func @arg_scan_c1_dim(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{dimension 2 is outside rank 2}}
  %v, %i = graph.arg_scan max, %x dim 2 : (tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xi64>)
  return
}

// -----

func.func @arg_scan_c2(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{expected result sizes [4, 6] but got [4, 5]}}
  %v, %i = graph.arg_scan max, %x dim 0 : (tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x5xi64>)
  return
}

// -----

func.func @arg_scan_c3(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{must be}}
  %v, %i = graph.arg_scan max, %x dim 0 : (tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xi32>)
  return
}

// -----

func.func @reduce_c3_float8(%x: tensor<4xf8E4M3FN>) {
  // expected-error@+1 {{has no reduction 'max' of elements of type 'f8E4M3FN'}}
  %0 = graph.reduce max, %x dims [0] : (tensor<4xf8E4M3FN>) -> tensor<f8E4M3FN>
  return
}

// -----

func.func @scan_c2_float8(%x: tensor<4xf8E4M3FN>) {
  // expected-error@+1 {{has no scan 'max' of elements of type 'f8E4M3FN'}}
  %0 = graph.scan max, %x dim 0 : (tensor<4xf8E4M3FN>) -> tensor<4xf8E4M3FN>
  return
}

// -----

func.func @sort_c1(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{has dimension 2 but its operand has rank 2}}
  %v, %i = graph.sort %x dim 2 : (tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xi64>)
  return
}

// -----

func.func @sort_c2(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{[4, 6]}}
  %v, %i = graph.sort %x dim 1 : (tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x5xi64>)
  return
}

// -----

func.func @sort_c3(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{expected values with elements of type 'f32' but got 'f64'}}
  %v, %i = graph.sort %x dim 1 : (tensor<4x6xf32>) -> (tensor<4x6xf64>, tensor<4x6xi64>)
  return
}

// -----

func.func @sort_c3_float8(%x: tensor<4xf8E4M3FN>) {
  // expected-error@+1 {{must be}}
  %v, %i = graph.sort %x dim 0 : (tensor<4xf8E4M3FN>) -> (tensor<4xf8E4M3FN>, tensor<4xi64>)
  return
}

// -----

func.func @topk_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{has dimension 1 but its operand has rank 1}}
  %v, %i = graph.topk %x k <2> dim 1 : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi64>)
  return
}

// -----

func.func @topk_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{cannot take 5 elements along dimension 0 of size 4}}
  %v, %i = graph.topk %x k <5> dim 0 : (tensor<4xf32>) -> (tensor<5xf32>, tensor<5xi64>)
  return
}

// -----

func.func @topk_c2_negative(%x: tensor<?xf32, #sym.shape<[s0]>>) {
  // expected-error@+1 {{cannot take -1 elements along dimension 0 of size s0}}
  %v, %i = graph.topk %x k <-1> dim 0 : (tensor<?xf32, #sym.shape<[s0]>>) -> (tensor<0xf32>, tensor<0xi64>)
  return
}

// -----

func.func @topk_c2_dimension(%x: tensor<4xf32>) {
  // expected-error@+1 {{'d0' is not an expression over symbols}}
  %v, %i = graph.topk %x k <d0> dim 0 : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi64>)
  return
}

// -----

func.func @topk_c3(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{[4, 2]}}
  %v, %i = graph.topk %x k <2> dim 1 : (tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xi64>)
  return
}

// -----

func.func @topk_c4(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected values with elements of type 'f32' but got 'i32'}}
  %v, %i = graph.topk %x k <2> dim 0 : (tensor<4xf32>) -> (tensor<2xi32>, tensor<2xi64>)
  return
}

// -----

func.func @reduce_c4_kind(%x: tensor<3x4xf32>) {
  // expected-error@+1 {{'tf32' goes with a sum of f32 but got a 'max' of 'f32'}}
  %0 = graph.reduce max, %x dims [1] tf32 : (tensor<3x4xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @reduce_c4_type(%x: tensor<3x4xf64>) {
  // expected-error@+1 {{'tf32' goes with a sum of f32 but got a 'sum' of 'f64'}}
  %0 = graph.reduce sum, %x dims [1] tf32 : (tensor<3x4xf64>) -> tensor<3xf64>
  return
}

// -----

func.func @matmul_c6(%x: tensor<3x4xbf16>, %y: tensor<4x2xbf16>) {
  // expected-error@+1 {{'tf32' goes with elements of f32 but got 'bf16'}}
  %0 = graph.matmul %x, %y tf32 : (tensor<3x4xbf16>, tensor<4x2xbf16>) -> tensor<3x2xbf16>
  return
}

// -----

func.func @conv_c7_size(%x: tensor<2x3x8xf32>, %w: tensor<4x3x3xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{expected a bias of 4 elements but got 'tensor<3xf32>'}}
  %0 = graph.conv %x, %w, %b stride [1] padding [1] dilation [1] groups 1 : (tensor<2x3x8xf32>, tensor<4x3x3xf32>, tensor<3xf32>) -> tensor<2x4x8xf32>
  return
}

// -----

func.func @conv_c7_last(%x: tensor<2x8x3xf32>, %w: tensor<4x3x3xf32>, %b: tensor<8xf32>) {
  // expected-error@+1 {{expected a bias of 4 elements but got 'tensor<8xf32>'}}
  %0 = graph.conv %x, %w, %b stride [1] padding [1] dilation [1] groups 1 channels_last : (tensor<2x8x3xf32>, tensor<4x3x3xf32>, tensor<8xf32>) -> tensor<2x8x4xf32>
  return
}

// -----

func.func @conv_c6(%x: tensor<2x3x8xf64>, %w: tensor<4x3x3xf64>) {
  // expected-error@+1 {{'tf32' goes with elements of f32 but got 'f64'}}
  %0 = graph.conv %x, %w stride [1] padding [1] dilation [1] groups 1 tf32 : (tensor<2x3x8xf64>, tensor<4x3x3xf64>) -> tensor<2x4x8xf64>
  return
}

// -----

func.func @attention_c6_without_mask(%q: tensor<4x8xf32>) {
  // expected-error@+1 {{expected 'fill' to be a number and to go with a mask of bools}}
  %0 = "graph.attention"(%q, %q, %q) <{fill = -1.0 : f64, scale = 1.0 : f64}> : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @attention_c6_nan(%q: tensor<4x8xf32>, %m: tensor<4xi1>) {
  // expected-error@+1 {{expected 'fill' to be a number and to go with a mask of bools}}
  %0 = graph.attention %q, %q, %q mask %m fill 0x7FF8000000000000 scale 1.0 : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xi1>) -> tensor<4x8xf32>
  return
}

// -----

func.func @attention_c7(%q: tensor<4x8xf32>, %m: tensor<4xi1>) {
  // expected-error@+1 {{'nan_rows' goes with a mask that can hide all of a row}}
  %0 = graph.attention %q, %q, %q mask %m fill -1.0 nan_rows scale 1.0 : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xi1>) -> tensor<4x8xf32>
  return
}

// -----

func.func @attention_c8(%q: tensor<4x8xf32>) {
  // expected-error@+1 {{expected 'softcap' to be positive and finite}}
  %0 = graph.attention %q, %q, %q scale 1.0 softcap 0.0 : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @attention_c5(%q: tensor<2x4x8xf16>, %k: tensor<2x4x8xf16>) {
  // expected-error@+1 {{'tf32' goes with elements of f32 but got 'f16'}}
  %0 = graph.attention %q, %k, %k scale 1.0 tf32 : (tensor<2x4x8xf16>, tensor<2x4x8xf16>, tensor<2x4x8xf16>) -> tensor<2x4x8xf16>
  return
}

// -----

func.func @arg_scan_without_sizes(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{result #1 must be tensor of 64-bit signless integer values with an expression for each dynamic size}}
  %v, %i = graph.arg_scan max, %x dim 0 : (tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x?xi64>)
  return
}
