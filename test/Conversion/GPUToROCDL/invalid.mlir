// RUN: coil-opt %s --verify-diagnostics --pass-pipeline='builtin.module(gpu.module(convert-gpu-kernel-to-rocdl))'
// RUN: not coil-opt %s --pass-pipeline='builtin.module(gpu.module(convert-gpu-kernel-to-rocdl{chip=gfx1}))' 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: error: unknown chip 'gfx1', expected gfx942

gpu.module @convert_gpu_kernel_to_rocdl_c2 {
  gpu.func @k(%p: !llvm.ptr<1>) kernel {
    %x = llvm.load %p : !llvm.ptr<1> -> f32
    // expected-error @below {{has no code for AMD GPUs on type 'f32'}}
    %y = math.tanh %x : f32
    llvm.store %y, %p : f32, !llvm.ptr<1>
    gpu.return
  }
}
