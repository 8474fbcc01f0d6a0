// convert_gpu_kernel_to_nvvm_c1: chips and modes that there are none of.
// RUN: not coil-opt %s -pass-pipeline='builtin.module(gpu.module(convert-gpu-kernel-to-nvvm{chip=sm_42}))' 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not coil-opt %s -pass-pipeline='builtin.module(gpu.module(convert-gpu-kernel-to-nvvm{fast-math=some}))' 2>&1 | FileCheck %s --check-prefix=MODE
// RUN: not coil-opt %s -pass-pipeline='builtin.module(gpu.module(convert-gpu-kernel-to-nvvm))' -split-input-file -mlir-print-op-on-diagnostic=0 2>&1 | FileCheck %s

// CHIP: unknown chip 'sm_42'
// MODE: unknown fast-math mode 'some', expected 'off', 'default' or 'fast'

// CHECK: error: 'llvm.intr.pow' op has no GPU code for type 'f32'
gpu.module @convert_gpu_kernel_to_nvvm_c2 {
  gpu.func @convert_gpu_kernel_to_nvvm_c2(%p: !llvm.ptr<1>) kernel {
    %x = llvm.load %p : !llvm.ptr<1> -> f32
    %y = llvm.intr.pow(%x, %x) : (f32, f32) -> f32
    llvm.store %y, %p : f32, !llvm.ptr<1>
    gpu.return
  }
}

// -----

// CHECK: :[[@LINE+4]]:{{.*}}error: 'math.exp' op has no GPU code for type 'f128'
gpu.module @convert_gpu_kernel_to_nvvm_c2_wide {
  gpu.func @convert_gpu_kernel_to_nvvm_c2_wide(%p: !llvm.ptr<1>) kernel {
    %x = llvm.load %p : !llvm.ptr<1> -> f128
    %y = math.exp %x : f128
    llvm.store %y, %p : f128, !llvm.ptr<1>
    gpu.return
  }
}

// -----

// CHECK: error: 'llvm.frem' op has no GPU code for type 'f32'
gpu.module @convert_gpu_kernel_to_nvvm_c2_frem {
  gpu.func @convert_gpu_kernel_to_nvvm_c2_frem(%p: !llvm.ptr<1>) kernel {
    %x = llvm.load %p : !llvm.ptr<1> -> f32
    %y = llvm.frem %x, %x : f32
    llvm.store %y, %p : f32, !llvm.ptr<1>
    gpu.return
  }
}

// -----

// CHECK: error: 'arith.addf' op has no GPU code for type 'f8E4M3FN'
gpu.module @convert_gpu_kernel_to_nvvm_c2_eight_bits {
  gpu.func @convert_gpu_kernel_to_nvvm_c2_eight_bits(%x: f8E4M3FN) kernel {
    %y = arith.addf %x, %x : f8E4M3FN
    gpu.return
  }
}

// -----

// CHECK: error: 'math.ipowi' op has no GPU code for type 'i128'
gpu.module @convert_gpu_kernel_to_nvvm_c2_wide_integer {
  gpu.func @convert_gpu_kernel_to_nvvm_c2_wide_integer(%x: i128) kernel {
    %y = math.ipowi %x, %x : i128
    gpu.return
  }
}

// -----

// CHECK: error: 'math.exp' op has no GPU code for type 'vector<[4]xf32>'
gpu.module @convert_gpu_kernel_to_nvvm_c2_scalable {
  gpu.func @convert_gpu_kernel_to_nvvm_c2_scalable(%x: vector<[4]xf32>) kernel {
    %y = math.exp %x : vector<[4]xf32>
    gpu.return
  }
}
