// RUN: coil-opt %s --pass-pipeline='builtin.module(gpu.module(convert-gpu-kernel-to-rocdl))' | FileCheck %s

// CHECK: gpu.module @k [#rocdl.target<O = 3, chip = "gfx942">]
gpu.module @k {
  // CHECK: llvm.func @k(%{{.*}}: !llvm.ptr<1>) attributes {{{.*}}rocdl.kernel
  gpu.func @k(%p: !llvm.ptr<1>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    // CHECK: rocdl.workitem.id.x
    %t = gpu.thread_id x
    %i = arith.index_cast %t : index to i64
    %q = llvm.getelementptr %p[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %x = llvm.load %q : !llvm.ptr<1> -> f32
    // CHECK: llvm.intr.exp
    %y = math.exp %x : f32
    // CHECK: rocdl.barrier
    gpu.barrier
    // The second of the numbers behind the kernel's own arguments.
    // CHECK: %[[HIDDEN:.+]] = llvm.call_intrinsic "llvm.amdgcn.implicitarg.ptr"() : () -> !llvm.ptr<4>
    // CHECK: %[[PLACE:.+]] = llvm.getelementptr %[[HIDDEN]][1]
    // CHECK: llvm.load %[[PLACE]]
    %n = gpu.grid_dim y
    %m = arith.index_cast %n : index to i64
    %r = llvm.getelementptr %q[%m] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    llvm.store %x, %r : f32, !llvm.ptr<1>
    llvm.store %y, %q : f32, !llvm.ptr<1>
    gpu.return
  }
}
