// The PTX of kernels goes to a folder; so does their machine code, as text.

// REQUIRES: cuda-sim
// RUN: rm -rf %t && %cuda_sim coil-run %s --target=cuda:sm_90a --random-inputs --output= --dump-ptx=%t/ptx
// RUN: cat %t/ptx/*.ptx | FileCheck %s
// CHECK: .target sm_90
// CHECK: .visible .entry tanh_0(
// CHECK: st.global

// RUN: not coil-run %s --random-inputs --dump-ptx=%t/no 2>&1 | FileCheck %s --check-prefix=CPU
// CPU: coil-run: error: --dump-ptx is for GPUs; --dump-llvm writes what becomes of kernels on the CPU

func.func @main(%x: tensor<1024xbf16>) -> tensor<1024xbf16> {
  %y = graph.tanh %x : (tensor<1024xbf16>) -> tensor<1024xbf16>
  return %y : tensor<1024xbf16>
}
