// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper.kernel(convert-loop-to-cpu))' --split-input-file --verify-diagnostics

wrapper.kernel @convert_loop_to_cpu_c4_results(%x: tensor<8x64xf32>) attributes {input_strides = [#sym.shape<[64, 1]>], output_strides = [#sym.shape<[64, 1]>], symbols = []} {
  // expected-error @below {{has a schedule that keeps values in 2 results of 1}}
  %0 = loop.kernel "k" [8, 64] (%a = %x) : (tensor<8x64xf32>) -> tensor<8x64xf32> schedule<vector_dim = 1, vector_width = 16, keep = [3, 3]> {
    %v = loop.load %a[d0, d1] : tensor<8x64xf32> -> f32
    %m = loop.reduce max %v over [1] : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d : f32
    %s = loop.reduce sum %e over [1] : f32
    %q = arith.divf %e, %s : f32
    loop.store %q, 0 [d0, d1] : f32
  }
  wrapper.yield %0 : tensor<8x64xf32>
}

// -----

wrapper.kernel @convert_loop_to_cpu_c4_exists(%x: tensor<8x64xf32>) attributes {input_strides = [#sym.shape<[64, 1]>], output_strides = [#sym.shape<[64, 1]>], symbols = []} {
  // expected-error @below {{has a schedule that keeps op 70 in result 0: the body has no such op}}
  %0 = loop.kernel "k" [8, 64] (%a = %x) : (tensor<8x64xf32>) -> tensor<8x64xf32> schedule<vector_dim = 1, vector_width = 16, keep = [70]> {
    %v = loop.load %a[d0, d1] : tensor<8x64xf32> -> f32
    %m = loop.reduce max %v over [1] : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d : f32
    %s = loop.reduce sum %e over [1] : f32
    %q = arith.divf %e, %s : f32
    loop.store %q, 0 [d0, d1] : f32
  }
  wrapper.yield %0 : tensor<8x64xf32>
}

// -----

wrapper.kernel @convert_loop_to_cpu_c4_value(%x: tensor<8x64xf32>) attributes {input_strides = [#sym.shape<[64, 1]>], output_strides = [#sym.shape<[64, 1]>], symbols = []} {
  // expected-error @below {{has a schedule that keeps op 1 in result 0: it is no value along the reduced dimensions}}
  %0 = loop.kernel "k" [8, 64] (%a = %x) : (tensor<8x64xf32>) -> tensor<8x64xf32> schedule<vector_dim = 1, vector_width = 16, keep = [1]> {
    %v = loop.load %a[d0, d1] : tensor<8x64xf32> -> f32
    %m = loop.reduce max %v over [1] : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d : f32
    %s = loop.reduce sum %e over [1] : f32
    %q = arith.divf %e, %s : f32
    loop.store %q, 0 [d0, d1] : f32
  }
  wrapper.yield %0 : tensor<8x64xf32>
}

// -----

wrapper.kernel @convert_loop_to_cpu_c4_type(%x: tensor<8x64xf32>) attributes {input_strides = [#sym.shape<[64, 1]>], output_strides = [#sym.shape<[64, 1]>], symbols = []} {
  // expected-error @below {{has a schedule that keeps op 3 in result 0: the result does not hold values of its type}}
  %0 = loop.kernel "k" [8, 64] (%a = %x) : (tensor<8x64xf32>) -> tensor<8x64xf16> schedule<vector_dim = 1, vector_width = 16, keep = [3]> {
    %v = loop.load %a[d0, d1] : tensor<8x64xf32> -> f32
    %m = loop.reduce max %v over [1] : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d : f32
    %s = loop.reduce sum %e over [1] : f32
    %q = arith.divf %e, %s : f32
    %h = arith.truncf %q : f32 to f16
    loop.store %h, 0 [d0, d1] : f16
  }
  wrapper.yield %0 : tensor<8x64xf16>
}

// -----

wrapper.kernel @convert_loop_to_cpu_c4_once(%x: tensor<8x64xf32>) attributes {input_strides = [#sym.shape<[64, 1]>], output_strides = [#sym.shape<[64, 1]>], symbols = []} {
  // expected-error @below {{has a schedule that keeps op 5 in result 0: only one phase needs it}}
  %0 = loop.kernel "k" [8, 64] (%a = %x) : (tensor<8x64xf32>) -> tensor<8x64xf32> schedule<vector_dim = 1, vector_width = 16, keep = [5]> {
    %v = loop.load %a[d0, d1] : tensor<8x64xf32> -> f32
    %m = loop.reduce max %v over [1] : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d : f32
    %s = loop.reduce sum %e over [1] : f32
    %q = arith.divf %e, %s : f32
    loop.store %q, 0 [d0, d1] : f32
  }
  wrapper.yield %0 : tensor<8x64xf32>
}

// -----

wrapper.kernel @convert_loop_to_cpu_c4_late(%x: tensor<8x64xf32>) attributes {input_strides = [#sym.shape<[64, 1]>], output_strides = [#sym.shape<[64, 1]>], symbols = []} {
  // expected-error @below {{has a schedule that keeps op 2 in result 0: it is needed after the result is stored}}
  %0 = loop.kernel "k" [8, 64] (%a = %x) : (tensor<8x64xf32>) -> tensor<8x64xf32> schedule<vector_dim = 1, vector_width = 16, keep = [2]> {
    %v = loop.load %a[d0, d1] : tensor<8x64xf32> -> f32
    %m = loop.reduce max %v over [1] : f32
    %e = math.exp %v : f32
    %d = arith.subf %e, %m : f32
    loop.store %d, 0 [d0, d1] : f32
    %s = loop.reduce sum %d over [1] : f32
    %t = arith.mulf %e, %s : f32
    %u = loop.reduce sum %t over [1] : f32
  }
  wrapper.yield %0 : tensor<8x64xf32>
}

// -----

wrapper.kernel @convert_loop_to_cpu_c5_vector(%x: tensor<8x64xf32>) attributes {input_strides = [#sym.shape<[64, 1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  // expected-error @below {{has a schedule that reduces by rows: there is no parallel vector dimension}}
  %0 = loop.kernel "k" [8, 64] (%a = %x) : (tensor<8x64xf32>) -> tensor<64xf32> schedule<vector_dim = 0, vector_width = 8, block = 64, rows = 4> {
    %v = loop.load %a[d0, d1] : tensor<8x64xf32> -> f32
    %s = loop.reduce sum %v over [0] : f32
    loop.store %s, 0 [d1] : f32
  }
  wrapper.yield %0 : tensor<64xf32>
}

// -----

wrapper.kernel @convert_loop_to_cpu_c5_block(%x: tensor<8x64xf32>) attributes {input_strides = [#sym.shape<[64, 1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  // expected-error @below {{has a schedule that reduces by rows: the block is no multiple of a step of vectors}}
  %0 = loop.kernel "k" [8, 64] (%a = %x) : (tensor<8x64xf32>) -> tensor<64xf32> schedule<vector_dim = 1, vector_width = 16, unroll = 2, block = 48, rows = 4> {
    %v = loop.load %a[d0, d1] : tensor<8x64xf32> -> f32
    %s = loop.reduce sum %v over [0] : f32
    loop.store %s, 0 [d1] : f32
  }
  wrapper.yield %0 : tensor<64xf32>
}

// -----

wrapper.kernel @convert_loop_to_cpu_c5_phase(%x: tensor<8x64xf32>) attributes {input_strides = [#sym.shape<[64, 1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  // expected-error @below {{has a schedule that reduces by rows: a reduction needs the result of another}}
  %0 = loop.kernel "k" [8, 64] (%a = %x) : (tensor<8x64xf32>) -> tensor<64xf32> schedule<vector_dim = 1, vector_width = 16, block = 64, rows = 4> {
    %v = loop.load %a[d0, d1] : tensor<8x64xf32> -> f32
    %s = loop.reduce sum %v over [0] : f32
    %t = loop.reduce sum %s over [0] : f32
    loop.store %t, 0 [d1] : f32
  }
  wrapper.yield %0 : tensor<64xf32>
}

// -----

wrapper.kernel @convert_loop_to_cpu_c5_varies(%x: tensor<8x64xf32>) attributes {input_strides = [#sym.shape<[64, 1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  // expected-error @below {{has a schedule that reduces by rows: a reduction does not vary over the vector dimension}}
  %0 = loop.kernel "k" [8, 64] (%a = %x) : (tensor<8x64xf32>) -> tensor<64xf32> schedule<vector_dim = 1, vector_width = 16, block = 64, rows = 4> {
    %v = loop.load %a[d0, 0] : tensor<8x64xf32> -> f32
    %s = loop.reduce sum %v over [0] : f32
    loop.store %s, 0 [d1] : f32
  }
  wrapper.yield %0 : tensor<64xf32>
}

// -----

wrapper.kernel @convert_loop_to_cpu_c5_pointwise(%x: tensor<8x64xf32>) attributes {input_strides = [#sym.shape<[64, 1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  // expected-error @below {{has a schedule that reduces by rows: it has no reductions}}
  %0 = loop.kernel "k" [1, 64] (%a = %x) : (tensor<8x64xf32>) -> tensor<64xf32> schedule<vector_dim = 1, vector_width = 16, block = 64, rows = 4> {
    %v = loop.load %a[0, d1] : tensor<8x64xf32> -> f32
    loop.store %v, 0 [d1] : f32
  }
  wrapper.yield %0 : tensor<64xf32>
}

// -----

wrapper.kernel @convert_loop_to_cpu_c5_store(%x: tensor<8x64xf32>) attributes {input_strides = [#sym.shape<[64, 1]>], output_strides = [#sym.shape<[64, 1]>], symbols = []} {
  // expected-error @below {{has a schedule that reduces by rows: it stores or computes values along the reduced dimensions after a reduction}}
  %0 = loop.kernel "k" [8, 64] (%a = %x) : (tensor<8x64xf32>) -> tensor<8x64xf32> schedule<vector_dim = 1, vector_width = 16, block = 64, rows = 4> {
    %v = loop.load %a[d0, d1] : tensor<8x64xf32> -> f32
    %s = loop.reduce sum %v over [0] : f32
    %d = arith.subf %v, %s : f32
    loop.store %d, 0 [d0, d1] : f32
  }
  wrapper.yield %0 : tensor<8x64xf32>
}

// -----

wrapper.kernel @convert_loop_to_cpu_c5_bytes(%x: tensor<8x64xf32>) attributes {input_strides = [#sym.shape<[64, 1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  // expected-error @below {{has a schedule that reduces by rows: the accumulators of a block take more than 64 KiB}}
  %0 = loop.kernel "k" [8, 64] (%a = %x) : (tensor<8x64xf32>) -> tensor<64xf32> schedule<vector_dim = 1, vector_width = 16, block = 16400, rows = 4> {
    %v = loop.load %a[d0, d1] : tensor<8x64xf32> -> f32
    %s = loop.reduce sum %v over [0] : f32
    loop.store %s, 0 [d1] : f32
  }
  wrapper.yield %0 : tensor<64xf32>
}

// -----

wrapper.kernel @convert_loop_to_cpu_c6_scatter(%t: tensor<8x32xf32>, %i: tensor<32xi64>) attributes {input_strides = [#sym.shape<[32, 1]>, #sym.shape<[1]>], output_strides = [#sym.shape<[32, 1]>], symbols = [], in_place = array<i64: 0, 0>} {
  // expected-error @below {{has a schedule that vectorises dimension 0, whose points a scatter takes in order}}
  %0 = loop.kernel "k" [32, 32] (%a = %t, %b = %i) : (tensor<8x32xf32>, tensor<32xi64>) -> tensor<8x32xf32> schedule<vector_dim = 0, vector_width = 16> {
    %p = loop.load %b[d0] : tensor<32xi64> -> i64
    %v = arith.constant 1.0 : f32
    loop.scatter sum %v into %a[t0, d1](%p) bounds check as 0 over [0] : f32, tensor<8x32xf32>
  }
  wrapper.yield %0 : tensor<8x32xf32>
}

// -----

wrapper.kernel @convert_loop_to_cpu_c6_scan(%x: tensor<8x64xf32>) attributes {input_strides = [#sym.shape<[64, 1]>], output_strides = [#sym.shape<[64, 1]>], symbols = []} {
  // expected-error @below {{has a schedule that vectorises dimension 0, of which a scan takes all points along a later dimension in order}}
  %0 = loop.kernel "k" [8, 64] (%a = %x) : (tensor<8x64xf32>) -> tensor<8x64xf32> schedule<vector_dim = 0, vector_width = 8> {
    %v = loop.load %a[d0, d1] : tensor<8x64xf32> -> f32
    %s = loop.scan sum %v over [0, 1] : f32
    loop.store %s, 0 [d0, d1] : f32
  }
  wrapper.yield %0 : tensor<8x64xf32>
}

// -----

wrapper.kernel @convert_loop_to_cpu_c6_positions(%x: tensor<8x64xf32>) attributes {input_strides = [#sym.shape<[64, 1]>], output_strides = [#sym.shape<[64, 1]>], symbols = []} {
  // expected-error @below {{has a schedule that vectorises dimension 1, along which rows of a scan for positions follow each other}}
  %0 = loop.kernel "k" [8, 64] (%a = %x) : (tensor<8x64xf32>) -> tensor<8x64xi64> schedule<vector_dim = 1, vector_width = 8> {
    %v = loop.load %a[d0, d1] : tensor<8x64xf32> -> f32
    %p = loop.index <d0 * 64 + d1>
    %s, %i = loop.arg_scan max %v at %p over [0, 1] : f32
    loop.store %i, 0 [d0, d1] : i64
  }
  wrapper.yield %0 : tensor<8x64xi64>
}

// -----

wrapper.kernel @convert_loop_to_cpu_c7(%x: tensor<8x64xf32>) attributes {input_strides = [#sym.shape<[64, 1]>], output_strides = [#sym.shape<[64, 1]>], symbols = []} {
  // expected-error @below {{has a schedule that streams result 1: there is no such result}}
  %0 = loop.kernel "k" [8, 64] (%a = %x) : (tensor<8x64xf32>) -> tensor<8x64xf32> schedule<vector_dim = 1, vector_width = 16, stream = [1]> {
    %v = loop.load %a[d0, d1] : tensor<8x64xf32> -> f32
    loop.store %v, 0 [d0, d1] : f32
  }
  wrapper.yield %0 : tensor<8x64xf32>
}

// -----

wrapper.kernel @convert_loop_to_cpu_c7_vector(%x: tensor<8x64xf32>) attributes {input_strides = [#sym.shape<[64, 1]>], output_strides = [#sym.shape<[64, 1]>], symbols = []} {
  // expected-error @below {{has a schedule that streams result 0: it keeps a value, which takes a reduced vector dimension}}
  %0 = loop.kernel "k" [8, 64] (%a = %x) : (tensor<8x64xf32>) -> tensor<8x64xf32> schedule<vector_dim = 1, vector_width = 16, keep = [3], stream = [0]> {
    %v = loop.load %a[d0, d1] : tensor<8x64xf32> -> f32
    %m = loop.reduce max %v over [0] : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d : f32
    %s = loop.reduce sum %e over [0] : f32
    %q = arith.divf %e, %s : f32
    loop.store %q, 0 [d0, d1] : f32
  }
  wrapper.yield %0 : tensor<8x64xf32>
}

// -----

wrapper.kernel @convert_loop_to_cpu_c7_bytes(%x: tensor<8x32769xf32>) attributes {input_strides = [#sym.shape<[32769, 1]>], output_strides = [#sym.shape<[32769, 1]>], symbols = []} {
  // expected-error @below {{has a schedule that streams result 0: it keeps a value, for which a task may need more than 128 KiB}}
  %0 = loop.kernel "k" [8, 32769] (%a = %x) : (tensor<8x32769xf32>) -> tensor<8x32769xf32> schedule<vector_dim = 1, vector_width = 16, keep = [3], stream = [0]> {
    %v = loop.load %a[d0, d1] : tensor<8x32769xf32> -> f32
    %m = loop.reduce max %v over [1] : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d : f32
    %s = loop.reduce sum %e over [1] : f32
    %q = arith.divf %e, %s : f32
    loop.store %q, 0 [d0, d1] : f32
  }
  wrapper.yield %0 : tensor<8x32769xf32>
}

// -----

wrapper.kernel @convert_loop_to_cpu_c7_symbolic(%x: tensor<8x?xf32, #sym.shape<[8, s0]>>) attributes {input_strides = [#sym.shape<[s0, 1]>], output_strides = [#sym.shape<[s0, 1]>], symbols = ["s0"]} {
  // expected-error @below {{has a schedule that streams result 0: it keeps a value, for which a task may need more than 128 KiB}}
  %0 = loop.kernel "k" [8, s0] (%a = %x) : (tensor<8x?xf32, #sym.shape<[8, s0]>>) -> tensor<8x?xf32, #sym.shape<[8, s0]>> schedule<vector_dim = 1, vector_width = 16, keep = [3], stream = [0]> {
    %v = loop.load %a[d0, d1] : tensor<8x?xf32, #sym.shape<[8, s0]>> -> f32
    %m = loop.reduce max %v over [1] : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d : f32
    %s = loop.reduce sum %e over [1] : f32
    %q = arith.divf %e, %s : f32
    loop.store %q, 0 [d0, d1] : f32
  }
  wrapper.yield %0 : tensor<8x?xf32, #sym.shape<[8, s0]>>
}

// -----

wrapper.kernel @convert_loop_to_cpu_c7_scatter(%t: tensor<8x32xf32>, %x: tensor<8x32xf32>) attributes {input_strides = [#sym.shape<[32, 1]>, #sym.shape<[32, 1]>], output_strides = [#sym.shape<[32, 1]>], symbols = [], in_place = array<i64: 0, 0>} {
  // expected-error @below {{has a schedule that streams result 0: no 'loop.store' writes it}}
  %0 = loop.kernel "scatter" [8, 32] (%a = %t, %b = %x) : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32> schedule<vector_dim = 1, vector_width = 16, stream = [0]> {
    %v = loop.load %b[d0, d1] : tensor<8x32xf32> -> f32
    loop.scatter sum %v into %a[d0, d1] as 0 over [0] : f32, tensor<8x32xf32>
  }
  wrapper.yield %0 : tensor<8x32xf32>
}

// -----

wrapper.kernel @convert_loop_to_cpu_c8_other(%x: tensor<64x8xf32>) attributes {input_strides = [#sym.shape<[8, 1]>], output_strides = [#sym.shape<[64, 1]>], symbols = []} {
  // expected-error @below {{has a schedule that transposes along dimension 1: it takes another one as vector dimension}}
  %0 = loop.kernel "k" [8, 64] (%a = %x) : (tensor<64x8xf32>) -> tensor<8x64xf32> schedule<vector_dim = 1, vector_width = 16, transpose_dim = 1> {
    %v = loop.load %a[d1, d0] : tensor<64x8xf32> -> f32
    loop.store %v, 0 [d0, d1] : f32
  }
  wrapper.yield %0 : tensor<8x64xf32>
}

// -----

wrapper.kernel @convert_loop_to_cpu_c8_exists(%x: tensor<64x8xf32>) attributes {input_strides = [#sym.shape<[8, 1]>], output_strides = [#sym.shape<[64, 1]>], symbols = []} {
  // expected-error @below {{has a schedule that transposes along dimension 2: there is no such dimension}}
  %0 = loop.kernel "k" [8, 64] (%a = %x) : (tensor<64x8xf32>) -> tensor<8x64xf32> schedule<vector_dim = 1, vector_width = 16, transpose_dim = 2> {
    %v = loop.load %a[d1, d0] : tensor<64x8xf32> -> f32
    loop.store %v, 0 [d0, d1] : f32
  }
  wrapper.yield %0 : tensor<8x64xf32>
}

// -----

wrapper.kernel @convert_loop_to_cpu_c8_reduces(%x: tensor<64x8xf32>) attributes {input_strides = [#sym.shape<[8, 1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  // expected-error @below {{has a schedule that transposes along dimension 0: the kernel reduces, scans or scatters}}
  %0 = loop.kernel "k" [8, 64] (%a = %x) : (tensor<64x8xf32>) -> tensor<64xf32> schedule<vector_dim = 1, vector_width = 16, transpose_dim = 0> {
    %v = loop.load %a[d1, d0] : tensor<64x8xf32> -> f32
    %s = loop.reduce sum %v over [0] : f32
    loop.store %s, 0 [d1] : f32
  }
  wrapper.yield %0 : tensor<64xf32>
}
