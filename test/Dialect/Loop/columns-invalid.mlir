// RUN: coil-opt %s --split-input-file --verify-diagnostics

func.func @loop_accumulate_c1(%x: tensor<8x4xf32>) {
  %0 = loop.kernel "k" [8, 4] (%a = %x) : (tensor<8x4xf32>) -> tensor<2x4xf32> {
    %v = loop.load %a[d0, d1] : tensor<8x4xf32> -> f32
    // expected-error@+1 {{writes result 1 of a kernel with 1}}
    loop.accumulate sum %v, 1 columns [1] rows 4 : f32
  }
  return
}

// -----

func.func @loop_accumulate_c1_type(%x: tensor<8x4xf32>) {
  %0 = loop.kernel "k" [8, 4] (%a = %x) : (tensor<8x4xf32>) -> tensor<2x4xf16> {
    %v = loop.load %a[d0, d1] : tensor<8x4xf32> -> f32
    // expected-error@+1 {{accumulates 'f32' in a result of element type 'f16'}}
    loop.accumulate sum %v, 0 columns [1] rows 4 : f32
  }
  return
}

// -----

func.func @loop_accumulate_c2(%x: tensor<8x4xf32>) {
  %0 = loop.kernel "k" [8, 4] (%a = %x) : (tensor<8x4xf32>) -> tensor<2x4xf32> {
    %v = loop.load %a[d0, d1] : tensor<8x4xf32> -> f32
    // expected-error@+1 {{has the column dimension 2 of a kernel with 2}}
    loop.accumulate sum %v, 0 columns [2] rows 4 : f32
  }
  return
}

// -----

func.func @loop_accumulate_c2_twice(%x: tensor<8x4xf32>) {
  %0 = loop.kernel "k" [8, 4] (%a = %x) : (tensor<8x4xf32>) -> tensor<2x4x4xf32> {
    %v = loop.load %a[d0, d1] : tensor<8x4xf32> -> f32
    // expected-error@+1 {{has the column dimension 1 twice}}
    loop.accumulate sum %v, 0 columns [1, 1] rows 4 : f32
  }
  return
}

// -----

func.func @loop_accumulate_c2_none(%x: tensor<8x4xf32>) {
  %0 = loop.kernel "k" [8, 4] (%a = %x) : (tensor<8x4xf32>) -> tensor<8xf32> {
    %v = loop.load %a[d0, d1] : tensor<8x4xf32> -> f32
    // expected-error@+1 {{expected a column dimension}}
    loop.accumulate sum %v, 0 columns [] rows 4 : f32
  }
  return
}

// -----

func.func @loop_accumulate_c2_rows(%x: tensor<8x4xf32>) {
  %0 = loop.kernel "k" [8, 4] (%a = %x) : (tensor<8x4xf32>) -> tensor<2x4xf32> {
    %v = loop.load %a[d0, d1] : tensor<8x4xf32> -> f32
    // expected-error@+1 {{takes chunks of 0 rows, expected at least one}}
    loop.accumulate sum %v, 0 columns [1] rows 0 : f32
  }
  return
}

// -----

func.func @loop_accumulate_c3(%x: tensor<8x4xf32>) {
  %0 = loop.kernel "k" [8, 4] (%a = %x) : (tensor<8x4xf32>) -> tensor<3x4xf32> {
    %v = loop.load %a[d0, d1] : tensor<8x4xf32> -> f32
    // expected-error@+1 {{accumulates in 'tensor<3x4xf32>', expected the sizes of chunks of rows, then of columns}}
    loop.accumulate sum %v, 0 columns [1] rows 4 : f32
  }
  return
}

// -----

func.func @loop_accumulate_c4(%x: tensor<8x4xf32>) {
  %0 = loop.kernel "k" [8, 4] (%a = %x) : (tensor<8x4xf32>) -> tensor<2x4xf32> {
    %v = loop.load %a[d0, d1] : tensor<8x4xf32> -> f32
    // expected-error@+1 {{kind 'xor' takes integers but got 'f32'}}
    loop.accumulate xor %v, 0 columns [1] rows 4 : f32
  }
  return
}

// -----

func.func @loop_accumulate_c5(%x: tensor<8x4xf32>) {
  %0:2 = loop.kernel "k" [8, 4] (%a = %x) : (tensor<8x4xf32>) -> (tensor<2x4xf32>, tensor<8x4xf32>) {
    %v = loop.load %a[d0, d1] : tensor<8x4xf32> -> f32
    // expected-error@+1 {{cannot be in a kernel that accumulates columns}}
    %s = loop.scan sum %v over [1] : f32
    loop.accumulate sum %v, 0 columns [1] rows 4 : f32
    loop.store %s, 1[d0, d1] : f32
  }
  return
}

// -----

func.func @loop_accumulate_c5_reduces(%x: tensor<8x4xf32>) {
  %0:2 = loop.kernel "k" [8, 4] (%a = %x) : (tensor<8x4xf32>) -> (tensor<2x4xf32>, tensor<4xf32>) {
    %v = loop.load %a[d0, d1] : tensor<8x4xf32> -> f32
    // expected-error@+1 {{has other columns than the dimensions that the kernel reduces}}
    loop.accumulate sum %v, 0 columns [1] rows 4 : f32
    %s = loop.reduce sum %v over [0] : f32
    loop.store %s, 1[d1] : f32
  }
  return
}

// -----

func.func @loop_accumulate_c6(%x: tensor<8x4xf32>) {
  %0:2 = loop.kernel "k" [8, 4] (%a = %x) : (tensor<8x4xf32>) -> (tensor<2x4xf32>, tensor<4x4xf32>) {
    %v = loop.load %a[d0, d1] : tensor<8x4xf32> -> f32
    loop.accumulate sum %v, 0 columns [1] rows 4 : f32
    // expected-error@+1 {{has other columns or chunks of rows than the accumulations before it in the same kernel}}
    loop.accumulate max %v, 1 columns [1] rows 2 : f32
  }
  return
}
