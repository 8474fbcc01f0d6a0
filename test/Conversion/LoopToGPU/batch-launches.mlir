// RUN: coil-opt %s --wrapper-batch-gpu-launches --wrapper-verify-memory --split-input-file | FileCheck %s

!b = !wrapper.buffer<[64], f32, #wrapper.device<"cuda">>

// B17: two independent launches become one: its kernel finds its buffers in a table,
// inputs first, by the second coordinate of the block.
// CHECK-NOT: wrapper.kernel @k(
// CHECK-LABEL: wrapper.kernel @k_x2()
// CHECK-SAME: batch = 2
// CHECK-SAME: geometry = #wrapper.geometry<grid = [1, 2, 1], block = [64, 1, 1]
// CHECK-SAME: in_place = array<i64: 0, 0, 1, 1>
// CHECK: gpu.module @k_x2
// CHECK: gpu.func @k_x2(%[[TABLE:.*]]: !llvm.ptr {llvm.align = 8 : i64, llvm.byval = !llvm.array<4 x ptr<1>>}) kernel
// CHECK: %[[ID:.*]] = gpu.block_id y
// CHECK: %[[Y:.*]] = arith.index_castui %[[ID]]
// CHECK: %[[IN:.*]] = llvm.getelementptr %[[TABLE]][0]
// CHECK: %[[OUT:.*]] = llvm.getelementptr %[[TABLE]][2]
// CHECK-COUNT-2: llvm.load %{{.*}} invariant {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr<1>
// CHECK-LABEL: wrapper.func @independent
// CHECK-SAME: (%[[X:.*]]: !wrapper.buffer{{.*}}, %[[Y:.*]]: !wrapper.buffer
// CHECK: %[[A:.*]] = wrapper.alloc
// CHECK: %[[B:.*]] = wrapper.alloc
// CHECK: wrapper.launch @k_x2[] ins(%[[X]], %[[Y]] : {{.*}}) outs(%[[A]], %[[B]] :
// CHECK-NOT: wrapper.launch
wrapper.kernel @k() attributes {
    device = #wrapper.device<"cuda">,
    geometry = #wrapper.geometry<grid = [1, 1, 1], block = [64, 1, 1], shared = 0, errors = false>,
    input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = [], in_place = array<i64: 0, 0>} {
  gpu.module @k {
    gpu.func @k(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>) kernel {
      %v = llvm.load %x : !llvm.ptr<1> -> f32
      llvm.store %v, %y : f32, !llvm.ptr<1>
      gpu.return
    }
  }
}
wrapper.func @independent(%x: !b, %y: !b) -> (!b, !b) {
  %0 = wrapper.alloc : !b
  wrapper.launch @k[] ins(%x : !b) outs(%0 : !b)
  %1 = wrapper.alloc : !b
  wrapper.launch @k[] ins(%y : !b) outs(%1 : !b)
  wrapper.return %0, %1 : !b, !b
}

// -----

!b = !wrapper.buffer<[64], f32, #wrapper.device<"cuda">>
!big = !wrapper.buffer<[1048576], f32, #wrapper.device<"cuda">>

// A launch that reads what another wrote stays behind it, and the one after it
// joins the later of the two.
// CHECK-LABEL: wrapper.func @dependent
// CHECK: wrapper.launch @k[] ins(%{{.*}}) outs(%[[A:.*]] :
// CHECK: wrapper.launch @k_x2[] ins(%[[A]], %{{.*}} :
// CHECK-NOT: wrapper.launch
wrapper.kernel @k() attributes {
    device = #wrapper.device<"cuda">,
    geometry = #wrapper.geometry<grid = [1, 1, 1], block = [64, 1, 1], shared = 0, errors = false>,
    input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  gpu.module @k {
    gpu.func @k(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>) kernel {
      gpu.return
    }
  }
}
wrapper.func @dependent(%x: !b) -> (!b, !b) {
  %0 = wrapper.alloc : !b
  wrapper.launch @k[] ins(%x : !b) outs(%0 : !b)
  %1 = wrapper.alloc : !b
  wrapper.launch @k[] ins(%0 : !b) outs(%1 : !b)
  wrapper.free %0 : !b
  %2 = wrapper.alloc : !b
  wrapper.launch @k[] ins(%x : !b) outs(%2 : !b)
  wrapper.return %1, %2 : !b, !b
}

// Storage that was handed on is not written before its reader is done.
// CHECK-LABEL: wrapper.func @handed_over
// CHECK-COUNT-3: wrapper.launch @k[]
wrapper.func @handed_over(%x: !b) -> !b {
  %0 = wrapper.alloc : !b
  wrapper.launch @k[] ins(%x : !b) outs(%0 : !b)
  %1 = wrapper.alloc : !b
  wrapper.launch @k[] ins(%0 : !b) outs(%1 : !b)
  %2 = wrapper.reuse %0 : !b to !b
  wrapper.launch @k[] ins(%1 : !b) outs(%2 : !b)
  wrapper.free %1 : !b
  wrapper.return %2 : !b
}

// Large buffers that the plan frees soon do not live longer.
// CHECK-LABEL: wrapper.func @large
// CHECK-COUNT-2: wrapper.launch @wide[]
wrapper.kernel @wide() attributes {
    device = #wrapper.device<"cuda">,
    geometry = #wrapper.geometry<grid = [1, 1, 1], block = [64, 1, 1], shared = 0, errors = false>,
    input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  gpu.module @wide {
    gpu.func @wide(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>) kernel {
      gpu.return
    }
  }
}
wrapper.func @large(%x: !big) {
  %0 = wrapper.alloc : !big
  wrapper.launch @wide[] ins(%x : !big) outs(%0 : !big)
  wrapper.free %0 : !big
  %1 = wrapper.alloc : !big
  wrapper.launch @wide[] ins(%x : !big) outs(%1 : !big)
  wrapper.free %1 : !big
  wrapper.return
}

// Kernels that check indices name their launch when a check fails.
// CHECK-LABEL: wrapper.func @checked
// CHECK-COUNT-2: wrapper.launch @check[]
wrapper.kernel @check() attributes {
    device = #wrapper.device<"cuda">,
    geometry = #wrapper.geometry<grid = [1, 1, 1], block = [64, 1, 1], shared = 0, errors = true>,
    input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  gpu.module @check {
    gpu.func @check(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>, %e: !llvm.ptr<1>) kernel {
      gpu.return
    }
  }
}
wrapper.func @checked(%x: !b) -> (!b, !b) {
  %0 = wrapper.alloc : !b
  wrapper.launch @check[] ins(%x : !b) outs(%0 : !b)
  %1 = wrapper.alloc : !b
  wrapper.launch @check[] ins(%x : !b) outs(%1 : !b)
  wrapper.return %0, %1 : !b, !b
}
