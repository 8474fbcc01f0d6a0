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

// CHECK: :[[@LINE+4]]:{{.*}}error: 'math.exp' op has no GPU code for type 'f128'
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

// -----

// CHECK: error: 'arith.addf' op has no GPU code for type 'f8E4M3FN'
gpu.module @eight_bits {
  gpu.func @eight_bits(%x: f8E4M3FN) kernel {
    %y = arith.addf %x, %x : f8E4M3FN
    gpu.return
  }
}

// -----

// CHECK: error: 'math.ipowi' op has no GPU code for type 'i128'
gpu.module @wide_integer {
  gpu.func @wide_integer(%x: i128) kernel {
    %y = math.ipowi %x, %x : i128
    gpu.return
  }
}

// -----

// CHECK: error: 'math.exp' op has no GPU code for type 'vector<[4]xf32>'
gpu.module @scalable {
  gpu.func @scalable(%x: vector<[4]xf32>) kernel {
    %y = math.exp %x : vector<[4]xf32>
    gpu.return
  }
}
