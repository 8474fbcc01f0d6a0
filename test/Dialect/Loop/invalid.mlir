// RUN: coil-opt %s --split-input-file --verify-diagnostics

func.func @kernel_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{operand 0 has type 'tensor<4xf32>' but its body argument has 'tensor<5xf32>'}}
  %0 = "loop.kernel"(%x) <{name = "k", dims = #sym.shape<[4]>}> ({
  ^bb0(%a: tensor<5xf32>):
    %c = arith.constant 0.0 : f32
    loop.store %c, 0[d0] : f32
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @kernel_c1_count(%x: tensor<4xf32>) {
  // expected-error@+1 {{has 1 operands but its body has 0 arguments}}
  %0 = "loop.kernel"(%x) <{name = "k", dims = #sym.shape<[4]>}> ({
    %c = arith.constant 0.0 : f32
    loop.store %c, 0[d0] : f32
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @kernel_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{index 'd1' mentions 'd1', which does not exist}}
  %0 = loop.kernel "k" [d1] (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %v = loop.load %a[d0] : tensor<4xf32> -> f32
    loop.store %v, 0[d0] : f32
  }
  return
}

// -----

func.func @kernel_c3(%x: tensor<4xf32>) {
  // expected-error@+1 {{result 0 is stored 0 times, expected once}}
  %0 = loop.kernel "k" [4] (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %v = loop.load %a[d0] : tensor<4xf32> -> f32
  }
  return
}

// -----

func.func @kernel_c3_twice(%x: tensor<4xf32>) {
  // expected-error@+1 {{result 0 is stored 2 times, expected once}}
  %0 = loop.kernel "k" [4] (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %v = loop.load %a[d0] : tensor<4xf32> -> f32
    loop.store %v, 0[d0] : f32
    loop.store %v, 0[d0] : f32
  }
  return
}

// -----

func.func @kernel_c4(%x: tensor<4x4xf32>) {
  %0 = loop.kernel "k" [4, 4] (%a = %x) : (tensor<4x4xf32>) -> tensor<4xf32> {
    %v = loop.load %a[d0, d1] : tensor<4x4xf32> -> f32
    %r = loop.reduce sum %v over [1] : f32
    // expected-error@+1 {{runs over other dimensions than the reductions before it in the same kernel}}
    %s = loop.reduce sum %v over [0] : f32
    loop.store %r, 0[d0] : f32
  }
  return
}

// -----

func.func @kernel_c5(%x: tensor<4xf32>) {
  %0 = loop.kernel "k" [4] (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %v = loop.load %a[d0] : tensor<4xf32> -> f32
    // expected-error@+1 {{is not allowed in the body of a loop kernel}}
    %w = vector.broadcast %v : f32 to vector<4xf32>
    loop.store %v, 0[d0] : f32
  }
  return
}

// -----

func.func @kernel_c6(%x: tensor<4xf32>) {
  // expected-error@+1 {{has a schedule that vectorises dimension 1 of 1}}
  %0 = loop.kernel "k" [4] (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> schedule<vector_dim = 1, vector_width = 16> {
    %v = loop.load %a[d0] : tensor<4xf32> -> f32
    loop.store %v, 0[d0] : f32
  }
  return
}

// -----

func.func @view_c1(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{has 1 indices for an operand of rank 2}}
  %0 = loop.view %x[d0] : tensor<4x6xf32> -> tensor<4xf32>
  return
}

// -----

func.func @view_c2(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{index 'd2' mentions 'd2', which does not exist}}
  %0 = loop.view %x[d0, d2] : tensor<4x6xf32> -> tensor<4x6xf32>
  return
}

// -----

func.func @view_c3(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{changes the element type from 'f32' to 'i32'}}
  %0 = loop.view %x[d0, d1] : tensor<4x6xf32> -> tensor<4x6xi32>
  return
}

// -----

func.func @load_outside(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected to be in the body of 'loop.kernel'}}
  %0 = loop.load %x[0] : tensor<4xf32> -> f32
  return
}

// -----

func.func @load_c1(%x: tensor<4xf32>) {
  %0 = loop.kernel "k" [4] (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    // expected-error@+1 {{has 2 indices for a tensor of rank 1}}
    %v = loop.load %a[d0, d0] : tensor<4xf32> -> f32
    loop.store %v, 0[d0] : f32
  }
  return
}

// -----

func.func @load_c2(%x: tensor<4xf32>) {
  %0 = loop.kernel "k" [4] (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    // expected-error@+1 {{index 'd1' mentions 'd1', which does not exist}}
    %v = loop.load %a[d1] : tensor<4xf32> -> f32
    loop.store %v, 0[d0] : f32
  }
  return
}

// -----

func.func @load_c2_indirect(%x: tensor<4xf32>) {
  %0 = loop.kernel "k" [4] (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    // expected-error@+1 {{index 't0' mentions 't0', which does not exist}}
    %v = loop.load %a[t0] : tensor<4xf32> -> f32
    loop.store %v, 0[d0] : f32
  }
  return
}

// -----

func.func @load_c3(%x: tensor<4xf32>) {
  %0 = loop.kernel "k" [4] (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    // expected-error@+1 {{gives 'f64' from elements of type 'f32'}}
    %w = loop.load %a[d0] : tensor<4xf32> -> f64
    %v = loop.load %a[d0] : tensor<4xf32> -> f32
    loop.store %v, 0[d0] : f32
  }
  return
}

// -----

func.func @load_c4(%x: tensor<4xf32>) {
  %0 = loop.kernel "k" [4] (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %m = arith.constant true
    // expected-error@+1 {{needs a mask and a value for where it does not hold, or neither}}
    %v = "loop.load"(%a, %m) <{indices = #sym.shape<[d0]>, operandSegmentSizes = array<i32: 1, 0, 1, 0>}> : (tensor<4xf32>, i1) -> f32
    loop.store %v, 0[d0] : f32
  }
  return
}

// -----

func.func @load_c4_type(%x: tensor<4xf32>) {
  %0 = loop.kernel "k" [4] (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %m = arith.constant true
    %z = arith.constant 0.0 : f64
    // expected-error@+1 {{takes 'f64' where the mask does not hold, expected 'f32'}}
    %v = loop.load %a[d0] mask %m else %z : f64 : tensor<4xf32> -> f32
    loop.store %v, 0[d0] : f32
  }
  return
}

// -----

func.func @load_c5(%x: tensor<4xf32>) {
  %0 = loop.kernel "k" [4] (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %i = loop.index <d0>
    // expected-error@+1 {{cannot check the index 't0 + 1': expected an indirect index alone}}
    %v = loop.load %a[t0 + 1](%i) bounds check : tensor<4xf32> -> f32
    loop.store %v, 0[d0] : f32
  }
  return
}

// -----

func.func @store_outside(%x: f32) {
  // expected-error@+1 {{expected to be in the body of 'loop.kernel'}}
  loop.store %x, 0[] : f32
  return
}

// -----

func.func @store_c1(%x: tensor<4xf32>) {
  %0 = loop.kernel "k" [4] (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %v = loop.load %a[d0] : tensor<4xf32> -> f32
    loop.store %v, 0[d0] : f32
    // expected-error@+1 {{writes result 1 of a kernel with 1}}
    loop.store %v, 1[d0] : f32
  }
  return
}

// -----

func.func @store_c1_negative(%x: tensor<4xf32>) {
  %0 = loop.kernel "k" [4] (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %v = loop.load %a[d0] : tensor<4xf32> -> f32
    loop.store %v, 0[d0] : f32
    // expected-error@+1 {{writes result -1 of a kernel with 1}}
    loop.store %v, -1[d0] : f32
  }
  return
}

// -----

func.func @store_c1_type(%x: tensor<4xf32>) {
  %0 = loop.kernel "k" [4] (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %i = loop.index <d0>
    // expected-error@+1 {{writes 'i64' to a result of element type 'f32'}}
    loop.store %i, 0[d0] : i64
  }
  return
}

// -----

func.func @store_c2(%x: tensor<4xf32>) {
  %0 = loop.kernel "k" [4] (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %v = loop.load %a[d0] : tensor<4xf32> -> f32
    // expected-error@+1 {{has 2 indices for a result of rank 1}}
    loop.store %v, 0[d0, d0] : f32
  }
  return
}

// -----

func.func @store_c2_index(%x: tensor<4xf32>) {
  %0 = loop.kernel "k" [4] (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %v = loop.load %a[d0] : tensor<4xf32> -> f32
    // expected-error@+1 {{index 'd3' mentions 'd3', which does not exist}}
    loop.store %v, 0[d3] : f32
  }
  return
}

// -----

func.func @store_c3(%x: tensor<4x4xf32>) {
  %0 = loop.kernel "k" [4, 4] (%a = %x) : (tensor<4x4xf32>) -> tensor<4xf32> {
    %v = loop.load %a[d0, d1] : tensor<4x4xf32> -> f32
    // expected-error@+1 {{writes a value that varies over 'd1', which its indices do not mention}}
    loop.store %v, 0[d0] : f32
  }
  return
}

// -----

func.func @index_outside() {
  // expected-error@+1 {{expected to be in the body of 'loop.kernel'}}
  %0 = loop.index <3>
  return
}

// -----

func.func @index_c1(%x: tensor<4xf32>) {
  %0 = loop.kernel "k" [4] (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %v = loop.load %a[d0] : tensor<4xf32> -> f32
    loop.store %v, 0[d0] : f32
    // expected-error@+1 {{index 'd0 + d4' mentions 'd4', which does not exist}}
    %i = loop.index <d0 + d4>
  }
  return
}

// -----

func.func @reduce_outside(%x: f32) {
  // expected-error@+1 {{expected to be in the body of 'loop.kernel'}}
  %0 = loop.reduce sum %x over [0] : f32
  return
}

// -----

func.func @reduce_c1(%x: tensor<4xf32>) {
  %0 = loop.kernel "k" [4] (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %v = loop.load %a[d0] : tensor<4xf32> -> f32
    // expected-error@+1 {{expected sorted distinct dimensions below 1 but got 1 after -1}}
    %r = loop.reduce sum %v over [1] : f32
    loop.store %v, 0[d0] : f32
  }
  return
}

// -----

func.func @reduce_c1_twice(%x: tensor<4x4xf32>) {
  %0 = loop.kernel "k" [4, 4] (%a = %x) : (tensor<4x4xf32>) -> tensor<4xf32> {
    %v = loop.load %a[d0, d1] : tensor<4x4xf32> -> f32
    // expected-error@+1 {{expected sorted distinct dimensions below 2 but got 1 after 1}}
    %r = loop.reduce sum %v over [1, 1] : f32
    loop.store %r, 0[d0] : f32
  }
  return
}

// -----

func.func @reduce_c2(%x: tensor<4xf32>) {
  %0 = loop.kernel "k" [4] (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %v = loop.load %a[d0] : tensor<4xf32> -> f32
    // expected-error@+1 {{kind 'umax' takes integers but got 'f32'}}
    %r = loop.reduce umax %v over [0] : f32
    loop.store %v, 0[d0] : f32
  }
  return
}

// -----

func.func @arg_reduce_c1(%x: tensor<4xf32>) {
  %0 = loop.kernel "k" [4] (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %v = loop.load %a[d0] : tensor<4xf32> -> f32
    %i = loop.index <d0>
    // expected-error@+1 {{expected sorted distinct dimensions below 1 but got -1 after -1}}
    %m, %w = loop.arg_reduce max %v at %i over [-1] : f32
    loop.store %v, 0[d0] : f32
  }
  return
}

// -----

func.func @arg_reduce_c2(%x: tensor<4xf32>) {
  %0 = loop.kernel "k" [4] (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %v = loop.load %a[d0] : tensor<4xf32> -> f32
    %i = loop.index <d0>
    // expected-error@+1 {{kind 'sum' has no position}}
    %m, %w = loop.arg_reduce sum %v at %i over [0] : f32
    loop.store %v, 0[d0] : f32
  }
  return
}

// -----

func.func @welford_c1(%x: tensor<4xf32>) {
  %0 = loop.kernel "k" [4] (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %v = loop.load %a[d0] : tensor<4xf32> -> f32
    // expected-error@+1 {{expected sorted distinct dimensions below 1 but got 1 after -1}}
    %m, %s, %n = loop.welford %v, %v, %v over [1] : f32
    loop.store %v, 0[d0] : f32
  }
  return
}

// -----

func.func @welford_c2(%x: tensor<4xf64>) {
  %0 = loop.kernel "k" [4] (%a = %x) : (tensor<4xf64>) -> tensor<f32> {
    %v = loop.load %a[d0] : tensor<4xf64> -> f64
    // expected-error@+1 {{gives 'f32' for samples of 'f64'}}
    %m, %s, %n = loop.welford %v, %v, %v over [0] : f64 -> f32
    loop.store %m, 0[] : f32
  }
  return
}

// -----

// expected-note@+1 {{prior use here}}
func.func @philox_c1(%k: i32) {
  // expected-error@+1 {{use of value '%k' expects different type}}
  %0 = loop.philox %k, %k, %k
  return
}

// -----

func.func @special_c1(%x: f16) {
  // expected-error@+1 {{must be variadic of 32-bit float or 64-bit float, but got 'f16'}}
  %0 = loop.special lgamma(%x) : f16
  return
}

// -----

func.func @special_c2(%x: f32) {
  // expected-error@+1 {{'nextafter' takes 2 arguments but got 1}}
  %0 = loop.special nextafter(%x) : f32
  return
}

// -----

// expected-error@+1 {{vector_dim is -2, expected -1 to 2147483647}}
func.func private @schedule_c1() attributes {a = #loop.schedule<vector_dim = -2>}

// -----

// expected-error@+1 {{vector_width is 0, expected 1 to 1024}}
func.func private @schedule_c2() attributes {a = #loop.schedule<vector_dim = 0, vector_width = 0>}

// -----

// expected-error@+1 {{unroll is 257, expected 1 to 256}}
func.func private @schedule_c2_unroll() attributes {a = #loop.schedule<vector_dim = 0, unroll = 257>}

// -----

// expected-error@+1 {{'transpose_dim' takes a 'vector_width' that is a power of two from 2 to 64, 'unroll' 1 and 'rows' 0}}
func.func private @schedule_c4() attributes {a = #loop.schedule<vector_dim = 0, vector_width = 12, transpose_dim = 1>}

// -----

// expected-error@+1 {{block is 0, expected 1 to 2147483647}}
func.func private @schedule_c3() attributes {a = #loop.schedule<block = 0>}

// -----

// expected-error@+1 {{grain is -9, expected 1 to 2147483647}}
func.func private @schedule_c3_grain() attributes {a = #loop.schedule<grain = -9>}

// -----

// expected-error@+1 {{rows is 17, expected 0 to 16}}
func.func private @schedule_c3_grain() attributes {a = #loop.schedule<rows = 17>}

// -----

// expected-error@+1 {{convolution has 2 strides, 1 paddings and 2 dilations}}
func.func private @conv_c1() attributes {a = #loop.conv<stride = [1, 1], padding = [0], dilation = [1, 1], groups = 1>}

// -----

// expected-error@+1 {{expected positive strides, dilations and groups, and no negative padding}}
func.func private @conv_c2() attributes {a = #loop.conv<stride = [1], padding = [0], dilation = [1], groups = 0>}

// -----

// expected-error@+1 {{expected positive strides, dilations and groups, and no negative padding}}
func.func private @conv_c2_padding() attributes {a = #loop.conv<stride = [1], padding = [-1], dilation = [1], groups = 1>}

// -----

func.func @scatter_c1_number(%x: tensor<4x6xf32>, %i: tensor<3xi64>) {
  %y = loop.kernel "scatter" [3, 6] (%t = %x, %b = %i) : (tensor<4x6xf32>, tensor<3xi64>) -> tensor<4x6xf32> {
    %p = loop.load %b[d0] : tensor<3xi64> -> i64
    %v = arith.constant 1.0 : f32
    // expected-error@+1 {{writes result 1 of a kernel with 1}}
    loop.scatter %v into %t[t0, d1](%p) as 1 over [0] : f32, tensor<4x6xf32>
  }
  return
}

// -----

func.func @scatter_c1_type(%x: tensor<4x6xf32>, %i: tensor<3xi64>) {
  %y = loop.kernel "scatter" [3, 6] (%t = %x, %b = %i) : (tensor<4x6xf32>, tensor<3xi64>) -> tensor<4x6xf64> {
    %p = loop.load %b[d0] : tensor<3xi64> -> i64
    %v = arith.constant 1.0 : f32
    // expected-error@+1 {{starts from 'tensor<4x6xf32>' but the result is 'tensor<4x6xf64>'}}
    loop.scatter %v into %t[t0, d1](%p) as 0 over [0] : f32, tensor<4x6xf32>
  }
  return
}

// -----

func.func @scatter_c1_value(%x: tensor<4x6xf32>, %i: tensor<3xi64>) {
  %y = loop.kernel "scatter" [3, 6] (%t = %x, %b = %i) : (tensor<4x6xf32>, tensor<3xi64>) -> tensor<4x6xf32> {
    %p = loop.load %b[d0] : tensor<3xi64> -> i64
    %v = arith.constant 1.0 : f32
    // expected-error@+1 {{writes 'i64' to elements of type 'f32'}}
    loop.scatter %p into %t[t0, d1](%p) as 0 over [0] : i64, tensor<4x6xf32>
  }
  return
}

// -----

func.func @scatter_c2_rank(%x: tensor<4x6xf32>, %i: tensor<3xi64>) {
  %y = loop.kernel "scatter" [3, 6] (%t = %x, %b = %i) : (tensor<4x6xf32>, tensor<3xi64>) -> tensor<4x6xf32> {
    %p = loop.load %b[d0] : tensor<3xi64> -> i64
    %v = arith.constant 1.0 : f32
    // expected-error@+1 {{has 1 indices for a tensor of rank 2}}
    loop.scatter %v into %t[t0](%p) as 0 over [0, 1] : f32, tensor<4x6xf32>
  }
  return
}

// -----

func.func @scatter_c2_leaf(%x: tensor<4x6xf32>, %i: tensor<3xi64>) {
  %y = loop.kernel "scatter" [3, 6] (%t = %x, %b = %i) : (tensor<4x6xf32>, tensor<3xi64>) -> tensor<4x6xf32> {
    %p = loop.load %b[d0] : tensor<3xi64> -> i64
    %v = arith.constant 1.0 : f32
    // expected-error@+1 {{index 't1' mentions 't1', which does not exist}}
    loop.scatter %v into %t[t1, d1](%p) as 0 over [0] : f32, tensor<4x6xf32>
  }
  return
}

// -----

func.func @scatter_c3(%x: tensor<4x6xf32>, %i: tensor<3xi64>) {
  %y = loop.kernel "scatter" [3, 6] (%t = %x, %b = %i) : (tensor<4x6xf32>, tensor<3xi64>) -> tensor<4x6xf32> {
    %p = loop.load %b[d0] : tensor<3xi64> -> i64
    %v = arith.constant 1.0 : f32
    // expected-error@+1 {{cannot check the index 't0 + 1': expected an indirect index alone}}
    loop.scatter %v into %t[t0 + 1, d1](%p) bounds check as 0 over [0] : f32, tensor<4x6xf32>
  }
  return
}

// -----

func.func @scatter_c4(%x: tensor<4x6xf32>, %i: tensor<3xi64>) {
  %y = loop.kernel "scatter" [3, 6] (%t = %x, %b = %i) : (tensor<4x6xf32>, tensor<3xi64>) -> tensor<4x6xf32> {
    %p = loop.load %b[d0] : tensor<3xi64> -> i64
    %v = arith.constant 1.0 : f32
    // expected-error@+1 {{expected sorted distinct dimensions below 2 but got 2 after -1}}
    loop.scatter %v into %t[t0, d1](%p) as 0 over [2] : f32, tensor<4x6xf32>
  }
  return
}

// -----

func.func @scatter_c5(%x: tensor<4x6xf32>, %i: tensor<3xi64>) {
  %y = loop.kernel "scatter" [3, 6] (%t = %x, %b = %i) : (tensor<4x6xf32>, tensor<3xi64>) -> tensor<4x6xf32> {
    %p = loop.load %b[d0] : tensor<3xi64> -> i64
    %v = arith.constant 1.0 : f32
    // expected-error@+1 {{may write one element at several points of 'd0', which it is not over}}
    loop.scatter %v into %t[t0, d1](%p) as 0 over [] : f32, tensor<4x6xf32>
  }
  return
}

// -----

func.func @scatter_c6(%x: tensor<4x6xf32>) {
  %y = loop.kernel "scatter" [4, 6] () : () -> tensor<4x6xf32> {
    %t = arith.constant dense<0.0> : tensor<4x6xf32>
    %v = arith.constant 1.0 : f32
    // expected-error@+1 {{starts from something that is not an operand of the kernel}}
    loop.scatter %v into %t[d0, d1] as 0 over [] : f32, tensor<4x6xf32>
  }
  return
}

// -----

func.func @scatter_c7(%x: tensor<4x6xf32>, %i: tensor<3xi64>) {
  %y = loop.kernel "scatter" [3, 6] (%t = %x, %b = %i) : (tensor<4x6xf32>, tensor<3xi64>) -> tensor<4x6xf32> {
    %p = loop.load %b[d0] : tensor<3xi64> -> i64
    %v = arith.constant 1.0 : f32
    // expected-error@+1 {{kind 'umax' takes integers but got 'f32'}}
    loop.scatter umax %v into %t[t0, d1](%p) as 0 over [0] : f32, tensor<4x6xf32>
  }
  return
}

// -----

func.func @kernel_c3_scatter(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{result 0 is stored 2 times, expected once}}
  %y = loop.kernel "scatter" [4, 6] (%t = %x) : (tensor<4x6xf32>) -> tensor<4x6xf32> {
    %v = arith.constant 1.0 : f32
    loop.scatter %v into %t[d0, d1] as 0 over [] : f32, tensor<4x6xf32>
    loop.store %v, 0 [d0, d1] : f32
  }
  return
}

// -----

func.func @kernel_c4_scatter(%x: tensor<4x6xf32>) {
  %y = loop.kernel "scatter" [4, 6] (%t = %x) : (tensor<4x6xf32>) -> tensor<4x6xf32> {
    %v = loop.load %t[d0, d1] : tensor<4x6xf32> -> f32
    %s = loop.reduce sum %v over [1] : f32
    // expected-error@+1 {{runs over other dimensions than the reductions before it in the same kernel}}
    loop.scatter %s into %t[d0, d1] as 0 over [0] : f32, tensor<4x6xf32>
  }
  return
}

// -----

func.func @scan_c1() {
  %y = loop.kernel "scan" [4] () : () -> tensor<4xf32> {
    %v = arith.constant 1.0 : f32
    // expected-error@+1 {{expected sorted distinct dimensions below 1 but got 1 after -1}}
    %s = loop.scan sum %v over [1] : f32
    loop.store %s, 0 [d0] : f32
  }
  return
}

// -----

func.func @scan_c1_none() {
  %y = loop.kernel "scan" [4] () : () -> tensor<4xf32> {
    %v = arith.constant 1.0 : f32
    // expected-error@+1 {{expected a dimension to go along}}
    %s = loop.scan sum %v over [] : f32
    loop.store %s, 0 [d0] : f32
  }
  return
}

// -----

func.func @scan_c2() {
  %y = loop.kernel "scan" [4] () : () -> tensor<4xf32> {
    %v = arith.constant 1.0 : f32
    // expected-error@+1 {{kind 'umax' takes integers but got 'f32'}}
    %s = loop.scan umax %v over [0] : f32
    loop.store %s, 0 [d0] : f32
  }
  return
}

// -----

func.func @scan_c2_logaddexp() {
  %y = loop.kernel "scan" [4] () : () -> tensor<4xi64> {
    %v = arith.constant 1 : i64
    // expected-error@+1 {{kind 'logaddexp' takes floats but got 'i64'}}
    %s = loop.scan logaddexp %v over [0] : i64
    loop.store %s, 0 [d0] : i64
  }
  return
}

// -----

func.func @arg_scan_c1() {
  %y = loop.kernel "scan" [4] () : () -> tensor<4xi64> {
    %v = arith.constant 1 : i64
    // expected-error@+1 {{expected a dimension to go along}}
    %m, %w = loop.arg_scan max %v at %v over [] : i64
    loop.store %w, 0 [d0] : i64
  }
  return
}

// -----

func.func @arg_scan_c2() {
  %y = loop.kernel "scan" [4] () : () -> tensor<4xi64> {
    %v = arith.constant 1 : i64
    // expected-error@+1 {{kind 'sum' has no position}}
    %m, %w = loop.arg_scan sum %v at %v over [0] : i64
    loop.store %w, 0 [d0] : i64
  }
  return
}

// -----

func.func @scatter_c7_float8(%x: tensor<4xf8E5M2>) {
  %y = loop.kernel "scatter" [4] (%t = %x) : (tensor<4xf8E5M2>) -> tensor<4xf8E5M2> {
    %v = arith.constant 1.0 : f8E5M2
    // expected-error@+1 {{cannot combine elements of type 'f8E5M2'}}
    loop.scatter sum %v into %t[d0] as 0 over [] : f8E5M2, tensor<4xf8E5M2>
  }
  return
}

// -----

func.func @attention_c1_type(%q: tensor<1x2x8x8xf32>) {
  // expected-error@+1 {{expected operands and result of rank four with elements of 'f16' or 'bf16'}}
  %0 = loop.attention "cudnn" %q, %q, %q scale 1.0 : (tensor<1x2x8x8xf32>, tensor<1x2x8x8xf32>, tensor<1x2x8x8xf32>) -> tensor<1x8x2x8xf32>
  return
}

// -----

func.func @attention_c1_sizes(%q: tensor<1x2x8x8xf16>) {
  // expected-error@+1 {{the sizes of its operands and result do not fit}}
  %0 = loop.attention "cudnn" %q, %q, %q scale 1.0 : (tensor<1x2x8x8xf16>, tensor<1x2x8x8xf16>, tensor<1x2x8x8xf16>) -> tensor<1x2x8x8xf16>
  return
}

// -----

func.func @attention_c2(%q: tensor<1x4x8x8xf16>, %k: tensor<1x3x8x8xf16>) {
  // expected-error@+1 {{has 4 heads that share 3}}
  %0 = loop.attention "cudnn" %q, %k, %k scale 1.0 : (tensor<1x4x8x8xf16>, tensor<1x3x8x8xf16>, tensor<1x3x8x8xf16>) -> tensor<1x8x4x8xf16>
  return
}

// -----

func.func @attention_c3_sizes(%q: tensor<1x4x8x8xf16>, %m: tensor<1x1x8x8xf16>) {
  // expected-error@+1 {{the mask does not have the sizes of the scores}}
  %0 = loop.attention "cudnn" %q, %q, %q mask %m scale 1.0 : (tensor<1x4x8x8xf16>, tensor<1x4x8x8xf16>, tensor<1x4x8x8xf16>, tensor<1x1x8x8xf16>) -> tensor<1x8x4x8xf16>
  return
}

// -----

func.func @attention_c3_causal(%q: tensor<1x4x8x8xf16>) {
  // expected-error@+1 {{cannot have a mask and be causal}}
  %0 = loop.attention "cudnn" %q, %q, %q mask %q causal scale 1.0 : (tensor<1x4x8x8xf16>, tensor<1x4x8x8xf16>, tensor<1x4x8x8xf16>, tensor<1x4x8x8xf16>) -> tensor<1x8x4x8xf16>
  return
}

// -----

func.func @sort_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{has dimension 1 but its operand has rank 1}}
  %v, %i = loop.sort "runtime" %x dim 1 : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi64>)
  return
}

// -----

func.func @sort_c2(%x: tensor<4x2xf32>) {
  // expected-error@+1 {{the sizes of its operand and results do not fit}}
  %v, %i = loop.sort "runtime" %x dim 0 : (tensor<4x2xf32>) -> (tensor<5x2xf32>, tensor<5x2xi64>)
  return
}

// -----

func.func @sort_c3(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected values with elements of type 'f32' but got 'f16'}}
  %v, %i = loop.sort "runtime" %x dim 0 : (tensor<4xf32>) -> (tensor<4xf16>, tensor<4xi64>)
  return
}

// -----

func.func @reduce_c3_kind(%x: tensor<4x6xf32>) {
  %0 = loop.kernel "k" [4, 6] (%a = %x) : (tensor<4x6xf32>) -> tensor<4xf32> {
    %1 = loop.load %a[d0, d1] : tensor<4x6xf32> -> f32
    // expected-error@+1 {{'tf32' goes with a sum of f32 but got a 'prod' of 'f32'}}
    %2 = loop.reduce prod %1 over [1] tf32 : f32
    loop.store %2, 0[d0] : f32
  }
  return
}

// -----

func.func @reduce_c3_type(%x: tensor<4x6xi32>) {
  %0 = loop.kernel "k" [4, 6] (%a = %x) : (tensor<4x6xi32>) -> tensor<4xi32> {
    %1 = loop.load %a[d0, d1] : tensor<4x6xi32> -> i32
    // expected-error@+1 {{'tf32' goes with a sum of f32 but got a 'sum' of 'i32'}}
    %2 = loop.reduce sum %1 over [1] tf32 : i32
    loop.store %2, 0[d0] : i32
  }
  return
}

// -----

// expected-error@+1 {{expected positive strides, dilations and groups, and no negative padding, all below 2^31}}
func.func private @conv_c2_range() attributes {a = #loop.conv<stride = [4294967296], padding = [0], dilation = [1], groups = 1>}

// -----

func.func @kernel_c7_load(%x: tensor<4xf32>) {
  %0 = loop.kernel "k" [5] (%a = %x) : (tensor<4xf32>) -> tensor<5xf32> {
    // expected-error@+1 {{accesses element 4 of dimension 0 of 'tensor<4xf32>' at the last point of the kernel}}
    %1 = loop.load %a[d0] : tensor<4xf32> -> f32
    loop.store %1, 0[d0] : f32
  }
  return
}

// -----

func.func @kernel_c7_store(%x: tensor<4xf32>) {
  %0 = loop.kernel "k" [4] (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %1 = loop.load %a[d0] : tensor<4xf32> -> f32
    // expected-error@+1 {{accesses element -1 of dimension 0 of 'tensor<4xf32>' at the first point of the kernel}}
    loop.store %1, 0[d0 - 1] : f32
  }
  return
}

// -----

// The symbols do not decide whether it is outside: it is for all of them.

func.func @kernel_c7_symbols(%x: tensor<?xf32, #sym.shape<[n]>>) {
  %0 = loop.kernel "k" [n] (%a = %x) : (tensor<?xf32, #sym.shape<[n]>>) -> tensor<?xf32, #sym.shape<[n]>> {
    // expected-error@+1 {{accesses element n + 2147483648 of dimension 0 of 'tensor<?xf32, #sym.shape<[n]>>' at the first point of the kernel}}
    %1 = loop.load %a[n + 2147483648 - d0] : tensor<?xf32, #sym.shape<[n]>> -> f32
    loop.store %1, 0[d0] : f32
  }
  return
}

// -----

// Sizes are not negative, and a kernel that has a point has extents above zero.

func.func @kernel_c7_extents(%x: tensor<?x?xf32, #sym.shape<[n, m]>>) {
  %0 = loop.kernel "k" [n, m] (%a = %x) : (tensor<?x?xf32, #sym.shape<[n, m]>>) -> tensor<?x?xf32, #sym.shape<[n, m]>> {
    // expected-error@+1 {{accesses element -n of dimension 0 of 'tensor<?x?xf32, #sym.shape<[n, m]>>' at the first point of the kernel}}
    %1 = loop.load %a[d0 - n, d1] : tensor<?x?xf32, #sym.shape<[n, m]>> -> f32
    loop.store %1, 0[d0, d1] : f32
  }
  return
}
