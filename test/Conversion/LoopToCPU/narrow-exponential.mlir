// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper.kernel(convert-loop-to-cpu))' | FileCheck %s --check-prefixes=CHECK,ON
// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper.kernel(convert-loop-to-cpu{approximate=false}))' | FileCheck %s --check-prefixes=CHECK,OFF
// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper.kernel(convert-loop-to-cpu,convert-cpu-kernel-to-llvm))' | FileCheck %s --check-prefix=LLVM

// Nobody sees the last bits of exponentials, nor of quotients, that are rounded to 16 bits.
// CHECK-LABEL: llvm.func @softmax
// ON: math.exp %{{.*}} fastmath<afn> : vector<8xf32>
// OFF: math.exp %{{[^ ]*}} : vector<8xf32>
// ON: arith.divf %{{.*}}, %{{.*}} fastmath<arcp> : vector<8xf32>
// OFF: arith.divf %{{[^ ]*}}, %{{[^ ]*}} : vector<8xf32>
// LLVM-LABEL: llvm.func @softmax
// LLVM: llvm.call @_ZGVdN8v_expf_narrow
wrapper.kernel @softmax(%x: tensor<4x64xbf16>) attributes {input_strides = [#sym.shape<[64, 1]>], output_strides = [#sym.shape<[64, 1]>], symbols = []} {
  %0 = loop.kernel "softmax" [4, 64] (%a = %x) : (tensor<4x64xbf16>) -> tensor<4x64xbf16> schedule<vector_dim = 1, vector_width = 8, unroll = 1, block = 64> {
    %v = loop.load %a[d0, d1] : tensor<4x64xbf16> -> bf16
    %w = arith.extf %v : bf16 to f32
    %max = loop.reduce max %w over [1] : f32
    %d = arith.subf %w, %max : f32
    %e = math.exp %d : f32
    %sum = loop.reduce sum %e over [1] : f32
    %q = arith.divf %e, %sum : f32
    %r = arith.truncf %q : f32 to bf16
    loop.store %r, 0[d0, d1] : bf16
  }
  wrapper.yield %0 : tensor<4x64xbf16>
}

// bf16 has the numbers below the normal ones, which that exponential makes zero.
// CHECK-LABEL: llvm.func @small
// CHECK: math.exp %{{[^ ]*}} : vector<8xf32>
wrapper.kernel @small(%x: tensor<64xbf16>) attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "exp" [64] (%a = %x) : (tensor<64xbf16>) -> tensor<64xbf16> schedule<vector_dim = 0, vector_width = 8, unroll = 1, block = 64> {
    %v = loop.load %a[d0] : tensor<64xbf16> -> bf16
    %w = arith.extf %v : bf16 to f32
    %e = math.exp %w : f32
    %r = arith.truncf %e : f32 to bf16
    loop.store %r, 0[d0] : bf16
  }
  wrapper.yield %0 : tensor<64xbf16>
}

// Results of f32 are as exact as ever.
// CHECK-LABEL: llvm.func @wide
// CHECK: math.exp %{{[^ ]*}} : vector<8xf32>
wrapper.kernel @wide(%x: tensor<64xf32>) attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "exp" [64] (%a = %x) : (tensor<64xf32>) -> tensor<64xf32> schedule<vector_dim = 0, vector_width = 8, unroll = 1, block = 64> {
    %v = loop.load %a[d0] : tensor<64xf32> -> f32
    %e = math.exp %v : f32
    loop.store %e, 0[d0] : f32
  }
  wrapper.yield %0 : tensor<64xf32>
}
