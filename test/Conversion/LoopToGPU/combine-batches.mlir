// RUN: coil-opt %s --wrapper-batch-gpu-launches --wrapper-combine-gpu-launches --wrapper-verify-memory | FileCheck %s
// RUN: coil-opt %s --wrapper-combine-gpu-launches=max-kernels=2 | FileCheck %s --check-prefix=TWO

// B17: a batch of two launches of one kernel is a part of a combination. Its block has a number
// in the batch and one in its launch, and finds its inputs and outputs behind those of the other part.
// CHECK-LABEL: wrapper.kernel @k_x2_with_l()
// CHECK-SAME: geometry = #wrapper.geometry<grid = [10, 1, 1]
// CHECK: gpu.func @k_x2_with_l(%[[TABLE:.*]]: !llvm.ptr {{.*}}llvm.array<6 x ptr<1>>
// CHECK: scf.if
// CHECK-DAG: arith.remui
// CHECK-DAG: arith.divui
// CHECK-DAG: llvm.getelementptr %[[TABLE]][0]
// CHECK-DAG: llvm.getelementptr %[[TABLE]][3]
// CHECK: } else {
// CHECK: llvm.getelementptr %[[TABLE]][2]
// CHECK: llvm.getelementptr %[[TABLE]][5]
// CHECK: wrapper.launch @k_x2_with_l[] ins(%[[X:.*]], %[[Y:.*]], %[[X]] : {{.*}}) outs(%[[A:.*]], %[[B:.*]], %[[C:.*]] :
// CHECK-NOT: wrapper.launch
// CHECK: wrapper.return %[[A]], %[[B]], %[[C]]

// Combinations have a greatest number of kernels.
// TWO: wrapper.launch @k_with_k
// TWO: wrapper.launch @l[]
!b = !wrapper.buffer<[256], f32, #wrapper.device<"cuda">>
wrapper.kernel @k() attributes {
    device = #wrapper.device<"cuda">,
    geometry = #wrapper.geometry<grid = [4, 1, 1], block = [64, 1, 1], shared = 0, errors = false>,
    input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  gpu.module @k {
    gpu.func @k(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>) kernel {
      %b = gpu.block_id x
      %i = arith.index_castui %b : index to i32
      %p = llvm.getelementptr %x[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
      %v = llvm.load %p : !llvm.ptr<1> -> f32
      llvm.store %v, %y : f32, !llvm.ptr<1>
      gpu.return
    }
  }
}
wrapper.kernel @l() attributes {
    device = #wrapper.device<"cuda">,
    geometry = #wrapper.geometry<grid = [2, 1, 1], block = [64, 1, 1], shared = 0, errors = false>,
    input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  gpu.module @l {
    gpu.func @l(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>) kernel {
      gpu.return
    }
  }
}
wrapper.func @main(%x: !b, %y: !b) -> (!b, !b, !b) {
  %0 = wrapper.alloc : !b
  wrapper.launch @k[] ins(%x : !b) outs(%0 : !b)
  %1 = wrapper.alloc : !b
  wrapper.launch @k[] ins(%y : !b) outs(%1 : !b)
  %2 = wrapper.alloc : !b
  wrapper.launch @l[] ins(%x : !b) outs(%2 : !b)
  wrapper.return %0, %1, %2 : !b, !b, !b
}
