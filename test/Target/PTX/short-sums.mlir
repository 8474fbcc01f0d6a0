// RUN: coil-opt %s -pass-pipeline='builtin.module(gpu.module(convert-gpu-kernel-to-nvvm))' | coil-translate --kernels-to-ptx | FileCheck %s

// ptxas loses the upper half of the constant of a packed sum, so there is none.
gpu.module @kernel {
  // CHECK: .visible .entry count(
  // CHECK-NOT: add.s16x2
  // CHECK: ret;
  gpu.func @count(%y: !llvm.ptr<1> {llvm.noalias, llvm.align = 16 : i64})
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %t = gpu.thread_id x
    %i = arith.index_cast %t : index to i16
    %v = vector.broadcast %i : i16 to vector<2xi16>
    %c = arith.constant dense<[0, 1]> : vector<2xi16>
    %s = arith.addi %v, %c : vector<2xi16>
    llvm.store %s, %y {alignment = 4 : i64} : vector<2xi16>, !llvm.ptr<1>
    gpu.return
  }
}
