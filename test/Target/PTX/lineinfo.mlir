// RUN: coil-opt %s -pass-pipeline='builtin.module(gpu.module(convert-gpu-kernel-to-nvvm))' -mlir-print-debuginfo | coil-translate --kernels-to-ptx --ptx-line-info | FileCheck %s
// RUN: coil-opt %s -pass-pipeline='builtin.module(gpu.module(convert-gpu-kernel-to-nvvm))' -mlir-print-debuginfo | coil-translate --kernels-to-ptx | FileCheck %s --check-prefix=PLAIN

// PLAIN-NOT: .loc

// Operations keep the place in the model that they were made from.
// CHECK: .target sm_90a
// CHECK-NOT: debug
// CHECK: .loc [[FILE:[0-9]+]] 17
// CHECK: .file [[FILE]] "{{.*}}model.py"
gpu.module @scale {
  gpu.func @scale(%p: !llvm.ptr<1>) kernel {
    %x = llvm.load %p : !llvm.ptr<1> -> f32 loc("model.py":17:3)
    %y = arith.mulf %x, %x : f32 loc("model.py":17:3)
    llvm.store %y, %p : f32, !llvm.ptr<1> loc("model.py":18:5)
    gpu.return
  }
}
