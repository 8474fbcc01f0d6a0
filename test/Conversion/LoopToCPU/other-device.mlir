// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper.kernel(convert-cpu-kernel-to-llvm))' | FileCheck %s

// Code of another device is left alone.
// CHECK: math.tan
wrapper.kernel @tan() attributes {device = #wrapper.device<"cuda">, threads = array<i64: 1, 1, 1>,
    parameters = [#wrapper.param<"x", update, f32>]} {
  gpu.module @code {
    gpu.func @tan(%x: !llvm.ptr<1>) kernel {
      %v = llvm.load %x : !llvm.ptr<1> -> f32
      %t = math.tan %v : f32
      llvm.store %t, %x : f32, !llvm.ptr<1>
      gpu.return
    }
  }
}
