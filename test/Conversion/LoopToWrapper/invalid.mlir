// RUN: coil-opt %s --convert-loop-to-wrapper --split-input-file --verify-diagnostics

func.func @convert_loop_to_wrapper_c1(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'arith.addf' op is not allowed in a host program}}
  %0 = arith.addf %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error@+1 {{expected a function with a body}}
func.func private @convert_loop_to_wrapper_c1_declaration()

// -----

// expected-error@+1 {{argument 0 is not a ranked tensor}}
func.func @convert_loop_to_wrapper_c1_type(%x: i64) {
  return
}

// -----

// expected-error@+1 {{argument 0 has a dynamic size without an expression}}
func.func @convert_loop_to_wrapper_c1_size(%x: tensor<?xf32>) {
  return
}

// -----

// expected-error@+1 {{symbol 's0' cannot be computed from the sizes and strides of the arguments}}
func.func @convert_loop_to_wrapper_c2(%x: tensor<?xf32, #sym.shape<[s0 mod 8]>>) {
  return
}

// -----

func.func @convert_loop_to_wrapper_c2_unbound() -> tensor<?xf32, #sym.shape<[u0]>> {
  // expected-error@+1 {{mentions symbol 'u0', which nothing has bound before}}
  %0 = loop.kernel "k" [u0] () : () -> tensor<?xf32, #sym.shape<[u0]>> {
    %v = arith.constant 0.0 : f32
    loop.store %v, 0 [d0] : f32
  }
  return %0 : tensor<?xf32, #sym.shape<[u0]>>
}

// -----

// expected-error@+1 {{expected a function of one block}}
func.func @outline_blocks(%x: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^next
^next:
  return %x : tensor<4xf32>
}

// -----

// expected-error@+1 {{argument 0 has 1 strides but rank 2}}
func.func @outline_strides(%x: tensor<2x3xf32> {coil.strides = #sym.shape<[3]>}) {
  return
}

// -----

// expected-error@+1 {{argument 0 has a stride 'd0' that is not an expression over symbols}}
func.func @outline_strides_of_dims(%x: tensor<2x3xf32> {coil.strides = #sym.shape<[d0, 1]>}) {
  return
}

// -----

// expected-error@+1 {{result 0 has a stride 'd1' that is not an expression over symbols}}
func.func @outline_result_strides_of_dims(%x: tensor<2x3xf32>) -> (tensor<2x3xf32> {coil.strides = #sym.shape<[d1, 1]>}) {
  return %x : tensor<2x3xf32>
}

// -----

// expected-error@+1 {{result 0 has 3 strides but rank 2}}
func.func @outline_result_strides(%x: tensor<2x3xf32>) -> (tensor<2x3xf32> {coil.strides = #sym.shape<[6, 3, 1]>}) {
  return %x : tensor<2x3xf32>
}
