// RUN: coil-opt %s --split-input-file --verify-diagnostics

func.func @segment_reduce_c1_kind(%x: tensor<64x16xbf16>, %lo: tensor<8xi64>, %p: tensor<64xi64>) {
  // expected-error@+1 {{kind 'max' is not supported, expected 'sum'}}
  %0 = graph.segment_reduce max %x from %lo to %lo : (tensor<64x16xbf16>, tensor<8xi64>, tensor<8xi64>) -> tensor<8x16xf32>
  return
}

// -----

func.func @segment_reduce_c2_bounds(%x: tensor<64x16xbf16>, %lo: tensor<8xi64>, %p: tensor<64xi64>) {
  // expected-error@+1 {{expected one bound for each of 9 rows but got 'tensor<8xi64>'}}
  %0 = graph.segment_reduce sum %x from %lo to %lo : (tensor<64x16xbf16>, tensor<8xi64>, tensor<8xi64>) -> tensor<9x16xf32>
  return
}

// -----

func.func @segment_reduce_c2_last_bounds(%x: tensor<64x16xbf16>, %lo: tensor<8xi64>, %p: tensor<64xi64>) {
  // expected-error@+1 {{expected one bound for each of 8 rows but got 'tensor<64xi64>'}}
  %0 = graph.segment_reduce sum %x from %lo to %p : (tensor<64x16xbf16>, tensor<8xi64>, tensor<64xi64>) -> tensor<8x16xf32>
  return
}

// -----

func.func @segment_reduce_c3_rows(%x: tensor<64x16xbf16>, %lo: tensor<8xi64>, %p: tensor<64xi64>) {
  // expected-error@+1 {{the rows of its operand 'tensor<64x16xbf16>' are not those of its result 'tensor<8x17xf32>'}}
  %0 = graph.segment_reduce sum %x from %lo to %lo : (tensor<64x16xbf16>, tensor<8xi64>, tensor<8xi64>) -> tensor<8x17xf32>
  return
}

// -----

func.func @segment_reduce_c3_rank(%x: tensor<64x16xbf16>, %lo: tensor<8xi64>, %p: tensor<64xi64>) {
  // expected-error@+1 {{the rows of its operand 'tensor<64x16xbf16>' are not those of its result 'tensor<8xf32>'}}
  %0 = graph.segment_reduce sum %x from %lo to %lo : (tensor<64x16xbf16>, tensor<8xi64>, tensor<8xi64>) -> tensor<8xf32>
  return
}

// -----

func.func @segment_reduce_c4_type(%x: tensor<64x16xbf16>, %lo: tensor<8xi64>, %p: tensor<64xi64>) {
  // expected-error@+1 {{cannot sum elements of type 'bf16' to 'bf16'}}
  %0 = graph.segment_reduce sum %x from %lo to %lo : (tensor<64x16xbf16>, tensor<8xi64>, tensor<8xi64>) -> tensor<8x16xbf16>
  return
}

// -----

func.func @segment_reduce_c5_positions(%x: tensor<64x16xbf16>, %lo: tensor<8xi64>, %p: tensor<64xi64>) {
  // expected-error@+1 {{expected positions of rank one with elements of 'i32' or 'i64' but got 'tensor<64x16xbf16>'}}
  %0 = graph.segment_reduce sum %x at %x from %lo to %lo : (tensor<64x16xbf16>, tensor<8xi64>, tensor<8xi64>, tensor<64x16xbf16>) -> tensor<8x16xf32>
  return
}

// -----

func.func @segment_reduce_c6_init(%x: tensor<64x16xbf16>, %lo: tensor<8xi64>, %y: tensor<8x16xbf16>) {
  // expected-error@+1 {{begins with 'tensor<8x16xbf16>' but gives 'tensor<8x16xf32>'}}
  %0 = graph.segment_reduce sum %x from %lo to %lo plus %y : (tensor<64x16xbf16>, tensor<8xi64>, tensor<8xi64>, tensor<8x16xbf16>) -> tensor<8x16xf32>
  return
}
