// RUN: not coil-opt %s -pass-pipeline='builtin.module(gpu.module(lower-gpu-kernel{chip=sm_42}))' 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not coil-opt %s -pass-pipeline='builtin.module(gpu.module(lower-gpu-kernel{fast-math=some}))' 2>&1 | FileCheck %s --check-prefix=MODE
// RUN: not coil-opt %s -pass-pipeline='builtin.module(gpu.module(lower-gpu-kernel))' -split-input-file -mlir-print-op-on-diagnostic=0 2>&1 | FileCheck %s

// CHIP: unknown chip 'sm_42'
// MODE: unknown fast-math mode 'some', expected 'off', 'default' or 'fast'

// CHECK: 'llvm.intr.pow' op has no GPU code for type 'f32'
gpu.module @unselectable {
  gpu.func @unselectable(%p: !llvm.ptr<1>) kernel {
    %x = llvm.load %p : !llvm.ptr<1> -> f32
    %y = llvm.intr.pow(%x, %x) : (f32, f32) -> f32
    llvm.store %y, %p : f32, !llvm.ptr<1>
    gpu.return
  }
}

// -----

// CHECK: 'llvm.intr.exp' op has no GPU code for type 'f128'
gpu.module @wide {
  gpu.func @wide(%p: !llvm.ptr<1>) kernel {
    %x = llvm.load %p : !llvm.ptr<1> -> f128
    %y = math.exp %x : f128
    llvm.store %y, %p : f128, !llvm.ptr<1>
    gpu.return
  }
}

// -----

// CHECK: 'llvm.frem' op has no GPU code for type 'f32'
gpu.module @frem {
  gpu.func @frem(%p: !llvm.ptr<1>) kernel {
    %x = llvm.load %p : !llvm.ptr<1> -> f32
    %y = llvm.frem %x, %x : f32
    llvm.store %y, %p : f32, !llvm.ptr<1>
    gpu.return
  }
}
