// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper.kernel(convert-loop-to-cpu))' | FileCheck %s

// An operand in rows along dimension 0 is loaded along it, four vectors of four,
// transposed in two rounds of shuffles, and read back along dimension 1.
// CHECK-LABEL: wrapper.kernel @transposed
wrapper.kernel @transposed(%x: tensor<64x32xf32>, %y: tensor<32x64xf32>)
    attributes {device = #wrapper.device<"cpu">, input_strides = [#sym.shape<[32, 1]>, #sym.shape<[64, 1]>], output_strides = [#sym.shape<[64, 1]>], symbols = []} {
  // CHECK-NOT:     masked.gather
  // CHECK:         %[[TILE:.*]] = llvm.alloca {{.*}} x f32 {alignment = 64
  // CHECK-COUNT-4: llvm.load {{.*}} -> vector<4xf32>
  // CHECK-COUNT-2: vector.shuffle {{.*}} [0, 4, 1, 5] {{.*}}{{[[:space:]].*}}vector.shuffle {{.*}} [2, 6, 3, 7]
  // CHECK-COUNT-2: vector.shuffle {{.*}} [0, 4, 1, 5] {{.*}}{{[[:space:]].*}}vector.shuffle {{.*}} [2, 6, 3, 7]
  // CHECK-COUNT-4: llvm.store {{.*}} {alignment = 16 : i64} : vector<4xf32>
  // CHECK:         scf.for
  // CHECK:           llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
  // CHECK:           arith.addf
  // CHECK-NOT:     masked.gather
  %0 = loop.kernel "add" [32, 64] (%a = %x, %b = %y) : (tensor<64x32xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
      schedule<vector_dim = 1, vector_width = 4, block = 64, transpose_dim = 0, transpose_block = 16> {
    %1 = loop.load %a[d1, d0] : tensor<64x32xf32> -> f32
    %2 = loop.load %b[d0, d1] : tensor<32x64xf32> -> f32
    %3 = arith.addf %1, %2 : f32
    loop.store %3, 0[d0, d1] : f32
  }
  wrapper.yield %0 : tensor<32x64xf32>
}

// A load under a mask has no tile.
// CHECK-LABEL: wrapper.kernel @masked
wrapper.kernel @masked(%x: tensor<64x32xf32>)
    attributes {device = #wrapper.device<"cpu">, input_strides = [#sym.shape<[32, 1]>], output_strides = [#sym.shape<[64, 1]>], symbols = []} {
  // CHECK-NOT: llvm.alloca
  // CHECK: masked.gather
  %0 = loop.kernel "pad" [32, 64] (%a = %x) : (tensor<64x32xf32>) -> tensor<32x64xf32>
      schedule<vector_dim = 1, vector_width = 4, block = 64, transpose_dim = 0, transpose_block = 16> {
    %i = loop.index <d1>
    %five = arith.constant 5 : i64
    %zero = arith.constant 0.0 : f32
    %m = arith.cmpi sge, %i, %five : i64
    %1 = loop.load %a[d1, d0] mask %m else %zero : f32 : tensor<64x32xf32> -> f32
    loop.store %1, 0[d0, d1] : f32
  }
  wrapper.yield %0 : tensor<32x64xf32>
}
