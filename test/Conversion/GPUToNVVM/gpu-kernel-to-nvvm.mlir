// RUN: coil-opt %s -pass-pipeline='builtin.module(gpu.module(convert-gpu-kernel-to-nvvm))' | FileCheck %s
// RUN: coil-opt %s -pass-pipeline='builtin.module(gpu.module(convert-gpu-kernel-to-nvvm{chip=sm_80+sm_100}))' | FileCheck %s --check-prefix=CHIPS
// RUN: coil-opt %s -pass-pipeline='builtin.module(gpu.module(convert-gpu-kernel-to-nvvm{index-bits=32}))' | FileCheck %s --check-prefix=NARROW

// CHIPS: gpu.module @kernel [#nvvm.target<O = 3, chip = "sm_80", features = "+ptx81">, #nvvm.target<O = 3, chip = "sm_100", features = "+ptx86">]

// CHECK: gpu.module @kernel [#nvvm.target<O = 3, chip = "sm_90a", features = "+ptx81">]
gpu.module @kernel {
  // CHECK: llvm.mlir.global internal @{{.*}}() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<32 x f32>
  // CHECK: llvm.func @reduce(%{{.*}}: !llvm.ptr<1> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}, %{{.*}}: i64)
  // CHECK-SAME: nvvm.kernel
  // CHECK-SAME: nvvm.maxntid = array<i32: 128, 1, 1>
  gpu.func @reduce(%x: !llvm.ptr<1> {llvm.noalias, llvm.readonly, llvm.align = 16 : i64}, %n: i64)
      workgroup(%s: memref<32xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : i64
    %c4 = arith.constant 4 : i64
    %zero = arith.constant 0.0 : f32
    // CHECK: nvvm.read.ptx.sreg.tid.x
    %t = gpu.thread_id x
    // CHECK: llvm.br
    // CHECK: llvm.cond_br
    %sum = scf.for %i = %c0 to %n step %c4 iter_args(%a = %zero) -> f32 : i64 {
      %p = llvm.getelementptr inbounds|nuw %x[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
      // CHECK: llvm.load %{{.*}} invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
      %v = llvm.load %p invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
      // CHECK: llvm.extractelement
      %e = vector.extract %v[2] : f32 from vector<4xf32>
      // CHECK: llvm.fadd {{.*}} {fastmathFlags = #llvm.fastmath<contract>} : f32
      %b = arith.addf %a, %e : f32
      scf.yield %b : f32
    }
    // NARROW: llvm.trunc %{{.*}} : i64 to i32
    %j = arith.index_cast %n : i64 to index
    // CHECK: llvm.store %{{.*}} : f32, !llvm.ptr<3>
    memref.store %sum, %s[%t] : memref<32xf32, #gpu.address_space<workgroup>>
    // CHECK: nvvm.barrier0
    gpu.barrier
    %r = memref.load %s[%j] : memref<32xf32, #gpu.address_space<workgroup>>
    llvm.store %r, %x : f32, !llvm.ptr<1>
    // CHECK: llvm.return
    gpu.return
  }
}

// A product that is subtracted from itself stays rounded on both sides.
gpu.module @same {
  // CHECK-LABEL: llvm.func @same
  gpu.func @same(%x: !llvm.ptr<1>, %a: f32, %b: f32) kernel {
    // CHECK: %[[P:.*]] = llvm.fmul %{{.*}} {fastmathFlags = #llvm.fastmath<contract>}
    %p = arith.mulf %a, %b : f32
    // CHECK: %[[D:.*]] = llvm.fsub %[[P]], %[[P]] : f32
    %d = arith.subf %p, %p : f32
    // CHECK: llvm.fadd %[[D]], %[[P]] {fastmathFlags = #llvm.fastmath<contract>}
    %s = arith.addf %d, %p : f32
    llvm.store %s, %x : f32, !llvm.ptr<1>
    gpu.return
  }
}
