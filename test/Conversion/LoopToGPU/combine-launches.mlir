// RUN: coil-opt %s --wrapper-combine-gpu-launches --wrapper-verify-memory --split-input-file --remarks-filter=wrapper-combine-gpu-launches --remark-policy=all 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t

!x = !wrapper.buffer<[s0], f32, #wrapper.device<"cuda">>
!y = !wrapper.buffer<[s1, 8], f32, #wrapper.device<"cuda">>
!r = !wrapper.buffer<[s1], f32, #wrapper.device<"cuda">>

// F24, B17: two kernels of different bodies and sizes that a run decides. The first blocks are those
// of the first kernel; the second counts from its own first block. Symbols of equal values are one.
// CHECK-NOT: wrapper.kernel @one(
// CHECK-LABEL: wrapper.kernel @one_with_two()
// CHECK-SAME: alignment = array<i64: 4, 16>, batch = 1
// CHECK-SAME: geometry = #wrapper.geometry<grid = [c1 + (c0 + 127) floordiv 128, 1, 1], block = [128, 1, 1], shared = 0
// CHECK-SAME: in_place = array<i64: 0, 0>
// CHECK-SAME: input_strides = [#sym.shape<[1]>, #sym.shape<[8, 1]>]
// CHECK-SAME: symbols = ["c0", "c1"]
// CHECK: gpu.func @one_with_two(%[[TABLE:.*]]: !llvm.ptr {llvm.align = 8 : i64, llvm.byval = !llvm.array<4 x ptr<1>>}, %[[C0:.*]]: i64, %[[C1:.*]]: i64) kernel
// CHECK: %[[ID:.*]] = gpu.block_id x
// CHECK: %[[BLOCK:.*]] = arith.index_castui %[[ID]]
// CHECK: %[[IS:.*]] = arith.cmpi ult, %[[BLOCK]],
// CHECK: scf.if %[[IS]] {
// CHECK:   llvm.getelementptr %[[TABLE]][0]
// CHECK:   llvm.getelementptr %[[TABLE]][2]
// CHECK:   arith.index_castui %[[BLOCK]] : i64 to index
// CHECK: } else {
// CHECK:   %[[OWN:.*]] = arith.subi %[[BLOCK]]
// The second has 64 threads of 128, and its barriers say so.
// CHECK:   arith.cmpi ult, %{{.*}}, %c64
// CHECK:   llvm.getelementptr %[[TABLE]][1]
// CHECK:   llvm.getelementptr %[[TABLE]][3]
// CHECK:   arith.index_castui %[[OWN]] : i64 to index
// CHECK:   llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.aligned.count"(%{{.*}}, %{{.*}})
// CHECK-LABEL: wrapper.func @independent
// CHECK: wrapper.launch @one_with_two[s0, s1] ins(%{{.*}}, %{{.*}} : {{.*}}) outs(%{{.*}}, %{{.*}} :
// CHECK-NOT: wrapper.launch
// REMARK: Combined {{.*}}combined: 'one', 'two': one launch saves {{[0-9]+}} of {{[0-9]+}} us
wrapper.kernel @one() attributes {
    device = #wrapper.device<"cuda">, alignment = array<i64: 4>,
    geometry = #wrapper.geometry<grid = [(n + 127) floordiv 128, 1, 1], block = [128, 1, 1], shared = 0, errors = false>,
    input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = ["n"], in_place = array<i64: 0, 0>} {
  gpu.module @one {
    gpu.func @one(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>, %n: i64) kernel {
      %b = gpu.block_id x
      %i = arith.index_castui %b : index to i32
      %p = llvm.getelementptr %x[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
      %v = llvm.load %p : !llvm.ptr<1> -> f32
      llvm.store %v, %y : f32, !llvm.ptr<1>
      gpu.return
    }
  }
}
wrapper.kernel @two() attributes {
    device = #wrapper.device<"cuda">,
    geometry = #wrapper.geometry<grid = [rows, 1, 1], block = [64, 1, 1], shared = 0, errors = false>,
    input_strides = [#sym.shape<[8, 1]>], output_strides = [#sym.shape<[1]>], symbols = ["n", "rows"]} {
  gpu.module @two {
    gpu.func @two(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>, %n: i64, %rows: i64) kernel {
      %b = gpu.block_id x
      %i = arith.index_castui %b : index to i32
      %p = llvm.getelementptr %x[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
      gpu.barrier
      %v = llvm.load %p : !llvm.ptr<1> -> f32
      llvm.store %v, %y : f32, !llvm.ptr<1>
      gpu.return
    }
  }
}
wrapper.func @independent(%x: !x, %z: !y) -> (!x, !r) attributes {sym.symbols = {s0 = #sym.range<0, 4096, hint = 512>, s1 = #sym.range<0, 100, hint = 10>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !x
  wrapper.input_symbol "s1" = size 0 of %z : !y
  wrapper.assert_layout %x, "x" : !x
  wrapper.assert_layout %z, "z" : !y
  %0 = wrapper.alloc : !x
  wrapper.launch @one[s0] ins(%x : !x) outs(%0 : !x)
  %1 = wrapper.alloc : !r
  wrapper.launch @two[s0, s1] ins(%z : !y) outs(%1 : !r)
  wrapper.return %0, %1 : !x, !r
}

// -----

!b = !wrapper.buffer<[64], f32, #wrapper.device<"cuda">>

// A launch that reads what another wrote stays behind it; the third joins the first.
// CHECK-LABEL: wrapper.func @dependent
// CHECK: wrapper.launch @k_with_m[] ins(%[[X:.*]], %[[X]] : {{.*}}) outs(%[[A:.*]], %{{.*}} :
// CHECK-NEXT: %{{.*}} = wrapper.alloc
// CHECK-NEXT: wrapper.launch @l[] ins(%[[A]]
// CHECK-NOT: wrapper.launch
// REMARK: not combined: 'l': with 'k': it reads what was written since
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
wrapper.kernel @l() attributes {
    device = #wrapper.device<"cuda">,
    geometry = #wrapper.geometry<grid = [1, 1, 1], block = [64, 1, 1], shared = 0, errors = false>,
    input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  gpu.module @l {
    gpu.func @l(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>) kernel {
      gpu.return
    }
  }
}
wrapper.kernel @m() attributes {
    device = #wrapper.device<"cuda">,
    geometry = #wrapper.geometry<grid = [1, 1, 1], block = [64, 1, 1], shared = 0, errors = false>,
    input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  gpu.module @m {
    gpu.func @m(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>) kernel {
      gpu.return
    }
  }
}
wrapper.func @dependent(%x: !b) -> (!b, !b) {
  %0 = wrapper.alloc : !b
  wrapper.launch @k[] ins(%x : !b) outs(%0 : !b)
  %1 = wrapper.alloc : !b
  wrapper.launch @l[] ins(%0 : !b) outs(%1 : !b)
  wrapper.free %0 : !b
  %2 = wrapper.alloc : !b
  wrapper.launch @m[] ins(%x : !b) outs(%2 : !b)
  wrapper.return %1, %2 : !b, !b
}

// Storage that was handed on is not written before its reader is done.
// CHECK-LABEL: wrapper.func @handed_over
// CHECK: wrapper.launch @k[]
// CHECK: wrapper.launch @l[]
// CHECK: wrapper.launch @m[]
// REMARK: not combined: 'm': with 'l': one of its buffers does not exist there yet
wrapper.func @handed_over(%x: !b) -> !b {
  %0 = wrapper.alloc : !b
  wrapper.launch @k[] ins(%x : !b) outs(%0 : !b)
  %1 = wrapper.alloc : !b
  wrapper.launch @l[] ins(%0 : !b) outs(%1 : !b)
  %2 = wrapper.reuse %0 : !b to !b
  wrapper.launch @m[] ins(%1 : !b) outs(%2 : !b)
  wrapper.free %1 : !b
  wrapper.return %2 : !b
}

// One that overwrites what an earlier one reads stays behind it, too.
// CHECK-LABEL: wrapper.func @overwrites
// CHECK: wrapper.launch @k[]
// CHECK: wrapper.launch @l[]
// REMARK: not combined: 'l': with 'k': it writes to memory that was used since
wrapper.func @overwrites(%x: !b) -> (!b, !b) {
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  %1 = wrapper.alloc : !b
  wrapper.launch @k[] ins(%0 : !b) outs(%1 : !b)
  wrapper.launch @l[] ins(%x : !b) outs(%0 : !b)
  wrapper.return %1, %0 : !b, !b
}

// -----

!b = !wrapper.buffer<[64], f32, #wrapper.device<"cuda">>

// What fills the device by itself, checks indices, shares scratch memory or has more than a function stays alone.
// REMARK: not combined: 'full': its 100000 blocks fill the device
// REMARK: not combined: 'check': it checks indices, and a failed check names its launch
// REMARK: not combined: 'scratch': its blocks share scratch memory
// REMARK: not combined: 'table': its module has more than a function and shared memory
// REMARK: not combined: 'odd': with 'k': the blocks of one have other threads, and not whole warps
// REMARK: not combined: 'early': with 'odd': only one of both waits for the kernel before it
// CHECK-LABEL: wrapper.func @alone
// CHECK-COUNT-7: wrapper.launch @{{[a-z]+}}[]
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
wrapper.kernel @full() attributes {
    device = #wrapper.device<"cuda">,
    geometry = #wrapper.geometry<grid = [100000, 1, 1], block = [64, 1, 1], shared = 0, errors = false>,
    input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  gpu.module @full {
    gpu.func @full(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>) kernel {
      gpu.return
    }
  }
}
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
wrapper.kernel @scratch() attributes {
    device = #wrapper.device<"cuda">,
    geometry = #wrapper.geometry<grid = [1, 1, 1], block = [64, 1, 1], shared = 0, errors = false, scratch = 16>,
    input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  gpu.module @scratch {
    gpu.func @scratch(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>, %s: !llvm.ptr<1>) kernel {
      gpu.return
    }
  }
}
wrapper.kernel @table() attributes {
    device = #wrapper.device<"cuda">,
    geometry = #wrapper.geometry<grid = [1, 1, 1], block = [64, 1, 1], shared = 0, errors = false>,
    input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  gpu.module @table {
    llvm.mlir.global internal constant @t(1 : i32) : i32
    gpu.func @table(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>) kernel {
      gpu.return
    }
  }
}
wrapper.kernel @early() attributes {
    device = #wrapper.device<"cuda">,
    geometry = #wrapper.geometry<grid = [1, 1, 1], block = [64, 1, 1], shared = 0, errors = false>,
    input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  gpu.module @early {
    gpu.func @early(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>) kernel {
      llvm.inline_asm has_side_effects "griddepcontrol.wait;", "~{memory}" : () -> ()
      gpu.return
    }
  }
}
wrapper.kernel @odd() attributes {
    device = #wrapper.device<"cuda">,
    geometry = #wrapper.geometry<grid = [1, 1, 1], block = [48, 1, 1], shared = 0, errors = false>,
    input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  gpu.module @odd {
    gpu.func @odd(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>) kernel {
      gpu.return
    }
  }
}
wrapper.func @alone(%x: !b) -> (!b, !b, !b, !b, !b, !b, !b) {
  %0 = wrapper.alloc : !b
  wrapper.launch @k[] ins(%x : !b) outs(%0 : !b)
  %1 = wrapper.alloc : !b
  wrapper.launch @full[] ins(%x : !b) outs(%1 : !b)
  %2 = wrapper.alloc : !b
  wrapper.launch @check[] ins(%x : !b) outs(%2 : !b)
  %3 = wrapper.alloc : !b
  wrapper.launch @scratch[] ins(%x : !b) outs(%3 : !b)
  %4 = wrapper.alloc : !b
  wrapper.launch @table[] ins(%x : !b) outs(%4 : !b)
  %5 = wrapper.alloc : !b
  wrapper.launch @odd[] ins(%x : !b) outs(%5 : !b)
  %6 = wrapper.alloc : !b
  wrapper.launch @early[] ins(%x : !b) outs(%6 : !b)
  wrapper.return %0, %1, %2, %3, %4, %5, %6 : !b, !b, !b, !b, !b, !b, !b
}

// -----

!b = !wrapper.buffer<[64], f32, #wrapper.device<"cuda">>

// A block of many threads has few registers for each: a kernel with smaller blocks whose code keeps 128 words for
// each thread stays apart, one with fewer values does not.
// REMARK: not combined: 'wide': with 'small': the blocks of one have 512 threads, which leaves 128 of the 140 registers that those of the other want
// CHECK-LABEL: wrapper.func @registers
// CHECK: wrapper.launch @small[]
// CHECK: wrapper.launch @wide[]
// CHECK-LABEL: wrapper.func @few_registers
// CHECK: wrapper.launch @wide_with_few[]
wrapper.kernel @small() attributes {
    device = #wrapper.device<"cuda">,
    geometry = #wrapper.geometry<grid = [1, 1, 1], block = [64, 1, 1], shared = 0, errors = false>,
    input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  gpu.module @small {
    gpu.func @small(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>) kernel {
      %v = llvm.load %x : !llvm.ptr<1> -> vector<128xf32>
      llvm.store %v, %y : vector<128xf32>, !llvm.ptr<1>
      gpu.return
    }
  }
}
wrapper.kernel @wide() attributes {
    device = #wrapper.device<"cuda">,
    geometry = #wrapper.geometry<grid = [1, 1, 1], block = [512, 1, 1], shared = 0, errors = false>,
    input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  gpu.module @wide {
    gpu.func @wide(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>) kernel {
      gpu.return
    }
  }
}
wrapper.kernel @few() attributes {
    device = #wrapper.device<"cuda">,
    geometry = #wrapper.geometry<grid = [1, 1, 1], block = [64, 1, 1], shared = 0, errors = false>,
    input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  gpu.module @few {
    gpu.func @few(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>) kernel {
      %v = llvm.load %x : !llvm.ptr<1> -> vector<16xf32>
      llvm.store %v, %y : vector<16xf32>, !llvm.ptr<1>
      gpu.return
    }
  }
}
wrapper.func @registers(%x: !b) -> (!b, !b) {
  %0 = wrapper.alloc : !b
  wrapper.launch @small[] ins(%x : !b) outs(%0 : !b)
  %1 = wrapper.alloc : !b
  wrapper.launch @wide[] ins(%x : !b) outs(%1 : !b)
  wrapper.return %0, %1 : !b, !b
}
wrapper.func @few_registers(%x: !b) -> (!b, !b) {
  %0 = wrapper.alloc : !b
  wrapper.launch @wide[] ins(%x : !b) outs(%0 : !b)
  %1 = wrapper.alloc : !b
  wrapper.launch @few[] ins(%x : !b) outs(%1 : !b)
  wrapper.return %0, %1 : !b, !b
}

// -----

!b = !wrapper.buffer<[64], f32, #wrapper.device<"cuda">>

// The part with the most registers says how many blocks run at a time: of a thousand blocks of few registers none waits,
// beside one whose threads keep 200 words they would run in several waves.
// REMARK: not combined: 'heavy': with 'light': together they would take longer
// CHECK-LABEL: wrapper.func @waves
// CHECK: wrapper.launch @light[]
// CHECK: wrapper.launch @heavy[]
wrapper.kernel @light() attributes {
    device = #wrapper.device<"cuda">,
    geometry = #wrapper.geometry<grid = [1000, 1, 1], block = [256, 1, 1], shared = 0, errors = false>,
    input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  gpu.module @light {
    gpu.func @light(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>) kernel {
      gpu.return
    }
  }
}
wrapper.kernel @heavy() attributes {
    device = #wrapper.device<"cuda">,
    geometry = #wrapper.geometry<grid = [1, 1, 1], block = [256, 1, 1], shared = 0, errors = false>,
    input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  gpu.module @heavy {
    gpu.func @heavy(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>) kernel {
      %v = llvm.load %x : !llvm.ptr<1> -> vector<200xf32>
      llvm.store %v, %y : vector<200xf32>, !llvm.ptr<1>
      gpu.return
    }
  }
}
wrapper.func @waves(%x: !b) -> (!b, !b) {
  %0 = wrapper.alloc : !b
  wrapper.launch @light[] ins(%x : !b) outs(%0 : !b)
  %1 = wrapper.alloc : !b
  wrapper.launch @heavy[] ins(%x : !b) outs(%1 : !b)
  wrapper.return %0, %1 : !b, !b
}

// -----

!b = !wrapper.buffer<[64], f32, #wrapper.device<"cuda">>
!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>

// Launches of a branch and of one iteration of a loop, of buffers from outside, of the iteration and of their own. What a
// loop carries is other memory than what is outside.
// CHECK-LABEL: wrapper.func @regions
// CHECK: wrapper.if
// CHECK:   wrapper.launch @k_with_l[] ins(%{{.*}}, %{{.*}} :
// CHECK-NOT: wrapper.launch
// CHECK:   wrapper.yield
// CHECK: } else {
// CHECK:   wrapper.launch @k[]
// CHECK-NOT: wrapper.launch
// CHECK: wrapper.while
// CHECK:   wrapper.condition
// CHECK:   wrapper.launch @k_with_l[] ins(%[[CARRIED:.*]], %{{.*}} :
// CHECK:   wrapper.launch @k[]
// CHECK:   wrapper.yield
// REMARK: Combined {{.*}}combined: 'k', 'l'
// REMARK: not combined: 'k': with 'k': it reads what was written since
// REMARK: Combined {{.*}}combined: 'k', 'l'
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
wrapper.func @regions(%x: !b, %p: !p) -> !b {
  %r = wrapper.if %p : !p -> (!b) {
    %0 = wrapper.alloc : !b
    wrapper.launch @k[] ins(%x : !b) outs(%0 : !b)
    %1 = wrapper.alloc : !b
    wrapper.launch @l[] ins(%x : !b) outs(%1 : !b)
    wrapper.free %0 : !b
    wrapper.yield %1 : !b
  } else {
    %0 = wrapper.alloc : !b
    wrapper.launch @k[] ins(%x : !b) outs(%0 : !b)
    wrapper.yield %0 : !b
  }
  %w = wrapper.while %r : !b symbols ["i"] from [0] -> (!b) {
  ^bb0(%a: !b):
    %q = wrapper.compare <i> lt <10>
    wrapper.condition %q pass %a : !b
  } do {
  ^bb0(%a: !b):
    %0 = wrapper.alloc : !b
    wrapper.launch @k[] ins(%a : !b) outs(%0 : !b)
    %1 = wrapper.alloc : !b
    wrapper.launch @l[] ins(%x : !b) outs(%1 : !b)
    wrapper.launch @k[] ins(%1 : !b) outs(%a : !b)
    wrapper.free %1 : !b
    wrapper.free %0 : !b
    wrapper.yield %a : !b symbols [i + 1]
  }
  wrapper.return %w : !b
}

// -----

!b = !wrapper.buffer<[64], f32, #wrapper.device<"cuda">>

// Shared memory of the parts lies over one another: a block runs one of them.
// CHECK-LABEL: wrapper.kernel @k_with_l()
// CHECK-SAME: shared = 2048
// CHECK: gpu.module @k_with_l
// CHECK-DAG: llvm.mlir.global internal @k_with_l_shared() {addr_space = 3 : i32, alignment = 16 : i64{{.*}}} : !llvm.array<512 x i8>
// CHECK-DAG: llvm.mlir.global external @k_with_l_dynamic() {addr_space = 3 : i32, alignment = 1024 : i64{{.*}}} : !llvm.array<0 x i8>
// CHECK-NOT: llvm.mlir.global
// CHECK: llvm.mlir.addressof @k_with_l_shared
// CHECK: llvm.mlir.addressof @k_with_l_dynamic
// CHECK: llvm.mlir.addressof @k_with_l_shared
wrapper.kernel @k() attributes {
    device = #wrapper.device<"cuda">,
    geometry = #wrapper.geometry<grid = [1, 1, 1], block = [64, 1, 1], shared = 0, errors = false>,
    input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  gpu.module @k {
    llvm.mlir.global internal @a() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<512 x i8>
    gpu.func @k(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>) kernel {
      %s = llvm.mlir.addressof @a : !llvm.ptr<3>
      %c = arith.constant 1 : i32
      llvm.store %c, %s : i32, !llvm.ptr<3>
      gpu.return
    }
  }
}
wrapper.kernel @l() attributes {
    device = #wrapper.device<"cuda">,
    geometry = #wrapper.geometry<grid = [1, 1, 1], block = [64, 1, 1], shared = 2048, errors = false>,
    input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  gpu.module @l {
    llvm.mlir.global external @b() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
    llvm.mlir.global internal @c() {addr_space = 3 : i32, alignment = 8 : i64} : !llvm.array<64 x i8>
    gpu.func @l(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>) kernel {
      %d = llvm.mlir.addressof @b : !llvm.ptr<3>
      %s = llvm.mlir.addressof @c : !llvm.ptr<3>
      %c = arith.constant 1 : i32
      llvm.store %c, %d : i32, !llvm.ptr<3>
      llvm.store %c, %s : i32, !llvm.ptr<3>
      gpu.return
    }
  }
}
wrapper.func @shared(%x: !b) -> (!b, !b) {
  %0 = wrapper.alloc : !b
  wrapper.launch @k[] ins(%x : !b) outs(%0 : !b)
  %1 = wrapper.alloc : !b
  wrapper.launch @l[] ins(%x : !b) outs(%1 : !b)
  wrapper.return %0, %1 : !b, !b
}
