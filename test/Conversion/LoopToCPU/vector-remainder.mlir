// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper.kernel(convert-cpu-kernel-to-llvm{vector-bits=512}))' | FileCheck %s

// Vectors of f32 have their remainders in f64: steps with the upper 28 bits of
// quotients (a mask of -2^25), until nothing is as large as its divisor. Most
// vectors take one.
// CHECK-LABEL: wrapper.kernel @remainder
wrapper.kernel @remainder() attributes {device = #wrapper.device<"cpu">, input_strides = [], output_strides = [], symbols = []} {
  llvm.func @body(%x: vector<16xf32>, %y: vector<16xf32>) -> vector<16xf32> {
    // CHECK-NOT: frem
    // CHECK:     llvm.intr.vector.reduce.or
    // CHECK:     llvm.cond_br
    // CHECK:     llvm.fdiv %{{.+}} : vector<16xf64>
    // CHECK:     llvm.intr.trunc
    // CHECK:     llvm.mlir.constant(dense<-33554432> : vector<16xi64>)
    // CHECK:     llvm.fmul
    // CHECK:     llvm.fsub
    // CHECK:     llvm.br
    // CHECK:     llvm.fptrunc %{{.+}} : vector<16xf64> to vector<16xf32>
    // CHECK:     llvm.intr.copysign
    // CHECK:     llvm.mlir.constant(dense<0x7FC00000> : vector<16xf32>)
    // CHECK-NOT: frem
    // CHECK:     llvm.return
    %0 = arith.remf %x, %y : vector<16xf32>
    llvm.return %0 : vector<16xf32>
  }
}

// Others have the library's function.
// CHECK-LABEL: wrapper.kernel @others
wrapper.kernel @others() attributes {device = #wrapper.device<"cpu">, input_strides = [], output_strides = [], symbols = []} {
  llvm.func @body(%x: f32, %y: f32, %v: vector<8xf64>, %w: vector<8xf64>) -> f32 {
    // CHECK: llvm.frem %{{.+}} : f32
    // CHECK: llvm.frem %{{.+}} : vector<8xf64>
    %0 = arith.remf %x, %y : f32
    %1 = arith.remf %v, %w : vector<8xf64>
    llvm.return %0 : f32
  }
}
