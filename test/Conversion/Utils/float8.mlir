// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper.kernel(convert-loop-to-cpu,convert-cpu-kernel-to-llvm{vector-bits=512}))' | FileCheck %s

// Memory holds bytes; conversions are arithmetic on bits, of scalars and of
// vectors, and no float of 8 bits is left.
// CHECK-LABEL: wrapper.kernel @quantise
// CHECK:       llvm.fadd %{{.+}} : vector<16xf32>
// CHECK:       llvm.lshr %{{.+}} : vector<16xi32>
// CHECK:       llvm.store %{{.+}} : vector<16xi8>
// CHECK-NOT:   f8E4M3FN, !llvm
wrapper.kernel @quantise(%x: tensor<64xf32>) attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "k" [64] (%a = %x) : (tensor<64xf32>) -> tensor<64xf8E4M3FN> schedule<vector_dim = 0, vector_width = 16, block = 64> {
    %v = loop.load %a[d0] : tensor<64xf32> -> f32
    %n = arith.truncf %v : f32 to f8E4M3FN
    loop.store %n, 0 [d0] : f8E4M3FN
  }
  wrapper.yield %0 : tensor<64xf8E4M3FN>
}

// A literal and a value from where the mask does not hold.
// CHECK-LABEL: wrapper.kernel @pad
// CHECK:       llvm.mlir.constant(60 : i8) : i8
wrapper.kernel @pad(%x: tensor<3xf8E5M2>) attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "k" [4] (%a = %x) : (tensor<3xf8E5M2>) -> tensor<4xf8E5M2> {
    %i = loop.index <d0>
    %c = arith.constant 3 : i64
    %m = arith.cmpi slt, %i, %c : i64
    %o = arith.constant 1.0 : f8E5M2
    %v = loop.load %a[d0] mask %m else %o : f8E5M2 : tensor<3xf8E5M2> -> f8E5M2
    loop.store %v, 0 [d0] : f8E5M2
  }
  wrapper.yield %0 : tensor<4xf8E5M2>
}
