// RUN: coil-opt %s --split-input-file --verify-diagnostics

func.func @segment_sum_c1_rank(%x: tensor<4x6xf32>, %q: tensor<9xi64>) -> tensor<3x6xf32> {
  %0 = loop.kernel "k" [3, 6] (%a = %x, %p = %q) : (tensor<4x6xf32>, tensor<9xi64>) -> tensor<3x6xf32> {
    %i = loop.index <d0>
    // expected-error@+1 {{has 1 indices for a tensor of rank 2}}
    %s = loop.segment_sum %a[t0] from %i to %i : tensor<4x6xf32> -> f32
    loop.store %s, 0[d0, d1] : f32
  }
  return %0 : tensor<3x6xf32>
}

// -----

func.func @segment_sum_c1_no_place(%x: tensor<4x6xf32>, %q: tensor<9xi64>) -> tensor<3x6xf32> {
  %0 = loop.kernel "k" [3, 6] (%a = %x, %p = %q) : (tensor<4x6xf32>, tensor<9xi64>) -> tensor<3x6xf32> {
    %i = loop.index <d0>
    // expected-error@+1 {{expected one index that is 't0'}}
    %s = loop.segment_sum %a[d0, d1] from %i to %i : tensor<4x6xf32> -> f32
    loop.store %s, 0[d0, d1] : f32
  }
  return %0 : tensor<3x6xf32>
}

// -----

func.func @segment_sum_c1_part_of_place(%x: tensor<4x6xf32>, %q: tensor<9xi64>) -> tensor<3x6xf32> {
  %0 = loop.kernel "k" [3, 6] (%a = %x, %p = %q) : (tensor<4x6xf32>, tensor<9xi64>) -> tensor<3x6xf32> {
    %i = loop.index <d0>
    // expected-error@+1 {{expected one index that is 't0'}}
    %s = loop.segment_sum %a[t0 + 1, d1] from %i to %i : tensor<4x6xf32> -> f32
    loop.store %s, 0[d0, d1] : f32
  }
  return %0 : tensor<3x6xf32>
}

// -----

func.func @segment_sum_c1_two_places(%x: tensor<4x6xf32>, %q: tensor<9xi64>) -> tensor<3x6xf32> {
  %0 = loop.kernel "k" [3, 6] (%a = %x, %p = %q) : (tensor<4x6xf32>, tensor<9xi64>) -> tensor<3x6xf32> {
    %i = loop.index <d0>
    // expected-error@+1 {{expected one index that is 't0'}}
    %s = loop.segment_sum %a[t0, t0] from %i to %i : tensor<4x6xf32> -> f32
    loop.store %s, 0[d0, d1] : f32
  }
  return %0 : tensor<3x6xf32>
}

// -----

func.func @segment_sum_c1_dimension(%x: tensor<4x6xf32>, %q: tensor<9xi64>) -> tensor<3x6xf32> {
  %0 = loop.kernel "k" [3, 6] (%a = %x, %p = %q) : (tensor<4x6xf32>, tensor<9xi64>) -> tensor<3x6xf32> {
    %i = loop.index <d0>
    // expected-error@+1 {{index 'd2' mentions 'd2', which does not exist}}
    %s = loop.segment_sum %a[t0, d2] from %i to %i : tensor<4x6xf32> -> f32
    loop.store %s, 0[d0, d1] : f32
  }
  return %0 : tensor<3x6xf32>
}

// -----

func.func @segment_sum_c2_type(%x: tensor<4x6xf64>) -> tensor<3x6xf32> {
  %0 = loop.kernel "k" [3, 6] (%a = %x) : (tensor<4x6xf64>) -> tensor<3x6xf32> {
    %i = loop.index <d0>
    // expected-error@+1 {{cannot sum elements of type 'f64' to 'f32'}}
    %s = loop.segment_sum %a[t0, d1] from %i to %i : tensor<4x6xf64> -> f32
    loop.store %s, 0[d0, d1] : f32
  }
  return %0 : tensor<3x6xf32>
}

// -----

func.func @segment_sum_c2_integers(%x: tensor<4x6xi32>) -> tensor<3x6xf32> {
  %0 = loop.kernel "k" [3, 6] (%a = %x) : (tensor<4x6xi32>) -> tensor<3x6xf32> {
    %i = loop.index <d0>
    // expected-error@+1 {{cannot sum elements of type 'i32' to 'f32'}}
    %s = loop.segment_sum %a[t0, d1] from %i to %i : tensor<4x6xi32> -> f32
    loop.store %s, 0[d0, d1] : f32
  }
  return %0 : tensor<3x6xf32>
}

// -----

func.func @segment_sum_c2_init(%x: tensor<4x6xf32>) -> tensor<3x6xf32> {
  %0 = loop.kernel "k" [3, 6] (%a = %x) : (tensor<4x6xf32>) -> tensor<3x6xf32> {
    %i = loop.index <d0>
    %c = arith.constant 0.0 : f64
    // expected-error@+1 {{begins with 'f64' but gives 'f32'}}
    %s = loop.segment_sum %a[t0, d1] from %i to %i plus %c : f64 : tensor<4x6xf32> -> f32
    loop.store %s, 0[d0, d1] : f32
  }
  return %0 : tensor<3x6xf32>
}

// -----

func.func @segment_sum_c3_positions_rank(%x: tensor<4x6xf32>, %q: tensor<9xi64>) -> tensor<3x6xf32> {
  %0 = loop.kernel "k" [3, 6] (%a = %x, %p = %q) : (tensor<4x6xf32>, tensor<9xi64>) -> tensor<3x6xf32> {
    %i = loop.index <d0>
    // expected-error@+1 {{expected positions of rank one with elements of 'i32' or 'i64' but got 'tensor<4x6xf32>'}}
    %s = loop.segment_sum %a[t0, d1] at %a : tensor<4x6xf32> from %i to %i : tensor<4x6xf32> -> f32
    loop.store %s, 0[d0, d1] : f32
  }
  return %0 : tensor<3x6xf32>
}

// -----

func.func @segment_sum_c3_positions_type(%x: tensor<4x6xf32>, %q: tensor<9xi8>) -> tensor<3x6xf32> {
  %0 = loop.kernel "k" [3, 6] (%a = %x, %p = %q) : (tensor<4x6xf32>, tensor<9xi8>) -> tensor<3x6xf32> {
    %i = loop.index <d0>
    // expected-error@+1 {{expected positions of rank one with elements of 'i32' or 'i64' but got 'tensor<9xi8>'}}
    %s = loop.segment_sum %a[t0, d1] at %p : tensor<9xi8> from %i to %i : tensor<4x6xf32> -> f32
    loop.store %s, 0[d0, d1] : f32
  }
  return %0 : tensor<3x6xf32>
}

// -----

func.func @segment_sum_c4_no_operand(%x: tensor<4x6xf32>) -> tensor<3x6xf32> {
  %0 = loop.kernel "k" [3, 6] (%a = %x) : (tensor<4x6xf32>) -> tensor<3x6xf32> {
    %i = loop.index <d0>
    %c = arith.constant dense<0.0> : tensor<4x6xf32>
    // expected-error@+1 {{reads something that is not an operand of the kernel}}
    %s = loop.segment_sum %c[t0, d1] from %i to %i : tensor<4x6xf32> -> f32
    loop.store %s, 0[d0, d1] : f32
  }
  return %0 : tensor<3x6xf32>
}

// -----

func.func @segment_sum_c5_reduces(%x: tensor<4x6xf32>) -> tensor<3xf32> {
  %0 = loop.kernel "k" [3, 6] (%a = %x) : (tensor<4x6xf32>) -> tensor<3xf32> {
    %i = loop.index <d0>
    // expected-error@+1 {{cannot be in a kernel that reduces, scans or scatters}}
    %s = loop.segment_sum %a[t0, d1] from %i to %i : tensor<4x6xf32> -> f32
    %r = loop.reduce sum %s over [1] : f32
    loop.store %r, 0[d0] : f32
  }
  return %0 : tensor<3xf32>
}

// -----

func.func @outside(%x: tensor<4x6xf32>, %i: i64) {
  // expected-error@+1 {{expected to be in the body of 'loop.kernel'}}
  %s = loop.segment_sum %x[t0, 0] from %i to %i : tensor<4x6xf32> -> f32
  return
}
