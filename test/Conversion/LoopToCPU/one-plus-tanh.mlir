// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper.kernel(convert-cpu-kernel-to-llvm{vector-bits=512}))' | FileCheck %s

// Where only 1 + tanh(x) is used it is twice 1 / (1 + exp(-2x)), whose digits are
// there where tanh is near -1. The exponential becomes a call like others.
// CHECK-LABEL: wrapper.kernel @one_plus_tanh
wrapper.kernel @one_plus_tanh() attributes {device = #wrapper.device<"cpu">, input_strides = [], output_strides = [], symbols = []} {
  llvm.func @body(%x: vector<16xf32>) -> vector<16xf32> {
    %one = arith.constant dense<1.0> : vector<16xf32>
    // CHECK-NOT: tanh
    // CHECK: %[[E:.+]] = llvm.call @_ZGVeN16v_expf(
    // CHECK: %[[S:.+]] = llvm.fadd %[[E]],
    // CHECK: %[[I:.+]] = llvm.fdiv %{{.+}}, %[[S]]
    // CHECK: llvm.fadd %[[I]], %[[I]]
    %t = math.tanh %x : vector<16xf32>
    %0 = arith.addf %t, %one : vector<16xf32>
    llvm.return %0 : vector<16xf32>
  }
}

// Another use needs tanh itself.
// CHECK-LABEL: wrapper.kernel @also_tanh
wrapper.kernel @also_tanh() attributes {device = #wrapper.device<"cpu">, input_strides = [], output_strides = [], symbols = []} {
  llvm.func @body(%x: vector<16xf32>) -> vector<16xf32> {
    %one = arith.constant dense<1.0> : vector<16xf32>
    // CHECK: llvm.call @_ZGVeN16v_tanhf(
    %t = math.tanh %x : vector<16xf32>
    %0 = arith.addf %t, %one : vector<16xf32>
    %1 = arith.mulf %0, %t : vector<16xf32>
    llvm.return %1 : vector<16xf32>
  }
}

// Outside of an LLVM function nothing can be declared, and nothing is called.
// CHECK-LABEL: wrapper.kernel @elsewhere
wrapper.kernel @elsewhere() attributes {device = #wrapper.device<"cpu">, input_strides = [], output_strides = [], symbols = []} {
  func.func @body(%x: f32) -> f32 {
    // CHECK-NOT: llvm.call
    %t = math.tan %x : f32
    return %t : f32
  }
}
