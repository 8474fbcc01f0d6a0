// REQUIRES: ptxas
// RUN: coil-opt %S/memory.mlir -pass-pipeline='builtin.module(gpu.module(convert-gpu-kernel-to-nvvm))' -o %t
// RUN: coil-translate --kernels-to-resources --ptx-assembler=ptxas %t | FileCheck %s
// RUN: env COIL_NVJITLINK= coil-translate --kernels-to-resources %t | FileCheck %s
// RUN: env COIL_NVJITLINK= not coil-translate --kernels-to-resources --ptx-assembler=nvjitlink %t 2>&1 | FileCheck %s --check-prefix=NONE

// CHECK: copy_16_bytes: {{[1-9][0-9]*}} registers, 0 barriers, 0 bytes shared, 0 bytes stack, 0 bytes spilled, 0 bytes reloaded
// CHECK: masked_tail: {{[1-9][0-9]*}} registers, 0 barriers, 0 bytes shared, 0 bytes stack, 0 bytes spilled, 0 bytes reloaded

// NONE: error: kernel 'kernel': nvJitLink cannot be loaded
