// RUN: coil-opt %s -pass-pipeline='builtin.module(gpu.module(convert-gpu-kernel-to-nvvm))' | coil-translate --kernels-to-ptx | FileCheck %s

gpu.module @kernel {
  // CHECK: .target sm_90a
  // CHECK: .visible .entry copy_16_bytes(
  // CHECK: .maxntid 256, 1, 1
  // CHECK-NOT: cvta
  // CHECK: ld.global.nc.v4.b32
  // CHECK: st.global.v4.b32
  gpu.func @copy_16_bytes(%x: !llvm.ptr<1> {llvm.noalias, llvm.readonly, llvm.align = 16 : i64},
                          %y: !llvm.ptr<1> {llvm.noalias, llvm.align = 16 : i64})
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %t = gpu.thread_id x
    %i = arith.index_cast %t : index to i32
    %c4 = arith.constant 4 : i32
    %o = arith.muli %i, %c4 overflow<nsw, nuw> : i32
    %p = llvm.getelementptr inbounds|nuw %x[%o] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %q = llvm.getelementptr inbounds|nuw %y[%o] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %v = llvm.load %p invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
    llvm.store %v, %q {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
    gpu.return
  }
}

gpu.module @tail {
  // A lane beyond the end is skipped by a branch, which ptxas predicates.
  // CHECK: .visible .entry masked_tail(
  // CHECK: setp
  // CHECK: @%p{{[0-9]+}} bra
  // CHECK: ld.global{{(\.nc)?}}.v4.b32
  // CHECK-NOT: .local
  gpu.func @masked_tail(%x: !llvm.ptr<1> {llvm.noalias, llvm.readonly, llvm.align = 16 : i64},
                        %y: !llvm.ptr<1> {llvm.noalias, llvm.align = 16 : i64}, %n: i32)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %t = gpu.thread_id x
    %i = arith.index_cast %t : index to i32
    %in = arith.cmpi slt, %i, %n : i32
    %mask = vector.broadcast %in : i1 to vector<4xi1>
    %zero = arith.constant dense<0.0> : vector<4xf32>
    %p = llvm.getelementptr %x[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xf32>
    %q = llvm.getelementptr %y[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xf32>
    %v = llvm.intr.masked.load %p, %mask, %zero {alignment = 16 : i32} : (!llvm.ptr<1>, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
    llvm.intr.masked.store %v, %q, %mask {alignment = 16 : i32} : vector<4xf32>, vector<4xi1> into !llvm.ptr<1>
    gpu.return
  }
}
