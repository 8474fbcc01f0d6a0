// RUN: split-file %s %t
// RUN: not coil-translate --kernels-to-ptx %t/raised.mlir 2>&1 | FileCheck %s --check-prefix=RAISED
// RUN: not coil-translate --kernels-to-ptx %t/undefined.mlir 2>&1 | FileCheck %s --check-prefix=UNDEFINED
// RUN: not coil-translate --kernels-to-ptx %t/chip.mlir 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not coil-translate --kernels-to-ptx --ptx-chip=sm_1 %t/undefined.mlir 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not coil-translate --kernels-to-ptx %t/target.mlir 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not coil-translate --kernels-to-ptx %t/empty.mlir 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not coil-translate --kernels-to-ptx %t/intrinsic.mlir 2>&1 | FileCheck %s --check-prefix=INTRINSIC
// RUN: not coil-translate --kernels-to-ptx %t/fatal.mlir 2>&1 | FileCheck %s --check-prefix=FATAL

//--- raised.mlir
// RAISED: error: kernel 'raised': was not lowered
gpu.module @raised [#nvvm.target<chip = "sm_90">] {
  gpu.func @raised() kernel {
    gpu.return
  }
}

//--- undefined.mlir
// UNDEFINED: error: kernel 'undefined': calls 'coil_unknown_f32', which no device code defines
// OPTION: error: kernel 'undefined': is for the unknown chip 'sm_1'
gpu.module @undefined [#nvvm.target<chip = "sm_90">] {
  llvm.func @coil_unknown_f32(f32) -> f32
  llvm.func @undefined(%p: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %x = llvm.load %p : !llvm.ptr<1> -> f32
    %y = llvm.call @coil_unknown_f32(%x) : (f32) -> f32
    llvm.store %y, %p : f32, !llvm.ptr<1>
    llvm.return
  }
}

//--- chip.mlir
// CHIP: error: kernel 'chip': is for the unknown chip 'sm_9000'
gpu.module @chip [#nvvm.target<chip = "sm_9000">] {
  llvm.func @chip() attributes {nvvm.kernel} {
    llvm.return
  }
}

//--- target.mlir
// TARGET: error: kernel 'target': has no NVIDIA target
gpu.module @target {
  llvm.func @target() attributes {nvvm.kernel} {
    llvm.return
  }
}

//--- empty.mlir
// EMPTY: error: kernel 'empty': has no entry point
gpu.module @empty [#nvvm.target<chip = "sm_90">] {
}

//--- intrinsic.mlir
// INTRINSIC: error: kernel 'intrinsic': calls 'llvm.cos.f32', which has no GPU code
gpu.module @intrinsic [#nvvm.target<chip = "sm_90">] {
  llvm.func @intrinsic(%p: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %x = llvm.load %p : !llvm.ptr<1> -> f32
    %y = llvm.intr.cos(%x) : (f32) -> f32
    llvm.store %y, %p : f32, !llvm.ptr<1>
    llvm.return
  }
}

//--- fatal.mlir
// What LLVM's back end calls a fatal error does not end the process.
// FATAL-NOT: LLVM ERROR
// FATAL: error: kernel 'fatal': LLVM cannot compile it: Cannot select: intrinsic %llvm.x86.rdtsc
gpu.module @fatal [#nvvm.target<chip = "sm_90">] {
  llvm.func @fatal(%p: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %x = llvm.call_intrinsic "llvm.x86.rdtsc"() : () -> i64
    llvm.store %x, %p : i64, !llvm.ptr<1>
    llvm.return
  }
}
