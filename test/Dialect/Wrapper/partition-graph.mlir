// RUN: coil-opt %s --split-input-file --wrapper-partition-graph=device=cpu \
// RUN:   --remarks-filter=wrapper-partition-graph 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: coil-opt %s --split-input-file --pass-pipeline='builtin.module(wrapper-partition-graph{device=cpu},wrapper-partition-graph{device=cpu})' \
// RUN:   | FileCheck %s --check-prefix=TWICE
// RUN: coil-opt %s --split-input-file --wrapper-partition-graph="device=cpu peak-percent=0" | FileCheck %s --check-prefix=KEEP
// RUN: coil-opt %s --split-input-file --wrapper-partition-graph="device=cpu late-sizes=false" | FileCheck %s --check-prefix=EARLY
// RUN: coil-opt %s --split-input-file --wrapper-partition-graph="device=cpu whole=true min-ops=1" | FileCheck %s --check-prefix=WHOLE

// RUN: coil-opt %s --split-input-file --wrapper-partition-graph="device=cpu whole=true min-ops=1 max-ops=1" | FileCheck %s --check-prefix=SMALL

// Two runs around a read; what the second half needs of the first comes out, and
// a partition is partitioned once.
// REMARK: remark: {{.*}}not in a graph: the host reads an element (wrapper.item)
// CHECK-LABEL: wrapper.func @two
// CHECK: %[[P:.+]]:2 = wrapper.partition #wrapper.device<"cpu"> -> (!wrapper.buffer<[], i64, {{.+}}>, !wrapper.buffer<[4], f32, {{.+}}>) {
// CHECK-NEXT: %[[N:.+]] = wrapper.alloc
// CHECK-NEXT: wrapper.copy %{{.+}} to %[[N]]
// CHECK-NEXT: %[[A:.+]] = wrapper.alloc
// CHECK-NEXT: wrapper.copy %{{.+}} to %[[A]]
// CHECK-NEXT: wrapper.yield %[[N]], %[[A]]
// CHECK: wrapper.item "u0" = %[[P]]#0
// CHECK: wrapper.partition
// CHECK-NEXT: wrapper.alloc
// CHECK-NEXT: wrapper.copy %[[P]]#1
// CHECK: wrapper.yield
// TWICE-LABEL: wrapper.func @two
// TWICE-COUNT-2: wrapper.partition #
// TWICE-NOT: wrapper.partition #
// TWICE-LABEL: wrapper.func @reorders
!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>
!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @two(%x: !b, %n: !i) -> (!b, !b) {
  %0 = wrapper.alloc : !i
  wrapper.copy %n to %0 : !i
  %1 = wrapper.alloc : !b
  wrapper.copy %x to %1 : !b
  wrapper.item "u0" = %0 : !i
  wrapper.assert <u0> le <4>, "small"
  %2 = wrapper.alloc : !b
  wrapper.copy %1 to %2 : !b
  %3 = wrapper.alloc : !b
  wrapper.copy %2 to %3 : !b
  wrapper.return %2, %3 : !b, !b
}

// -----

// Steps that the reads have nothing to do with come together.
// REMARK: remark: {{.*}}another order
// CHECK-LABEL: wrapper.func @reorders
// CHECK: wrapper.item "u0"
// CHECK-NEXT: wrapper.item "u1"
// CHECK-NEXT: wrapper.partition
// CHECK-COUNT-3: wrapper.copy
// CHECK: wrapper.yield
// CHECK-NOT: wrapper.partition
// CHECK: wrapper.return
// KEEP-LABEL: wrapper.func @reorders
// KEEP-NOT: wrapper.partition
// KEEP: wrapper.return
!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>
!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @reorders(%x: !b, %n: !i, %m: !i) -> (!b, !b, !b) {
  %1 = wrapper.alloc : !b
  wrapper.copy %x to %1 : !b
  wrapper.item "u0" = %n : !i
  %2 = wrapper.alloc : !b
  wrapper.copy %x to %2 : !b
  wrapper.item "u1" = %m : !i
  %3 = wrapper.alloc : !b
  wrapper.copy %x to %3 : !b
  wrapper.return %1, %2, %3 : !b, !b, !b
}

// -----

// Nothing needs the host: the call is one graph.
// REMARK: remark: {{.*}}the whole call can be captured as one graph
// CHECK-LABEL: wrapper.func @whole
// CHECK-NOT: wrapper.partition
// WHOLE-LABEL: wrapper.func @whole
// WHOLE: wrapper.partition
// WHOLE-COUNT-2: wrapper.copy
// SMALL-LABEL: wrapper.func @whole
// SMALL-COUNT-2: wrapper.partition #
!b = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
wrapper.func @whole(%x: !b) -> (!b, !b) attributes {sym.symbols = {s0 = #sym.range<0, 8>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !b
  wrapper.assert_layout %x, "x" : !b
  %1 = wrapper.alloc : !b
  wrapper.copy %x to %1 : !b
  %2 = wrapper.alloc : !b
  wrapper.copy %1 to %2 : !b
  wrapper.return %1, %2 : !b, !b
}

// -----

// Sizes that are read from elements.
// CHECK-LABEL: wrapper.func @late
// CHECK: wrapper.partition
// EARLY-LABEL: wrapper.func @late
// EARLY-NOT: wrapper.partition
// EARLY: wrapper.return
!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>
!u = !wrapper.buffer<[u0], f32, #wrapper.device<"cpu">>
wrapper.kernel @zero() attributes {input_strides = [], output_strides = [#sym.shape<[1]>], symbols = ["k"]} {
  %0 = loop.kernel "zero" [k] () : () -> tensor<?xf32, #sym.shape<[k]>> {
    %m = arith.constant 0.0 : f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<?xf32, #sym.shape<[k]>>
}
wrapper.func @late(%n: !i) -> (!u, !u) attributes {sym.symbols = {u0 = #sym.range<0, 8>}} {
  wrapper.item "u0" = %n : !i
  %1 = wrapper.alloc : !u
  wrapper.launch @zero[u0] outs(%1 : !u)
  %2 = wrapper.alloc : !u
  wrapper.copy %1 to %2 : !u
  wrapper.return %1, %2 : !u, !u
}

// -----

// In branches; what a branch writes from outside stays where it is. (C2)
// REMARK: remark: {{.*}}not in a graph: the host decides which branch runs (wrapper.if)
// REMARK: remark: {{.*}}it writes or ends a buffer from outside of its block
// CHECK-LABEL: wrapper.func @wrapper_partition_graph_c2(
// CHECK: wrapper.if
// CHECK: wrapper.partition
// CHECK-COUNT-2: wrapper.copy
// CHECK: } else {
// CHECK-NOT: wrapper.partition
// CHECK: wrapper.return
!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>
!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @wrapper_partition_graph_c2(%x: !b, %p: !p) -> (!b, !b) {
  %o = wrapper.alloc : !b
  wrapper.copy %x to %o : !b
  %r = wrapper.if %p : !p -> (!b) {
    %1 = wrapper.alloc : !b
    wrapper.copy %x to %1 : !b
    %2 = wrapper.alloc : !b
    wrapper.copy %1 to %2 : !b
    wrapper.yield %2 : !b
  } else {
    wrapper.copy %x to %o : !b
    %2 = wrapper.alloc : !b
    wrapper.copy %x to %2 : !b
    wrapper.yield %2 : !b
  }
  wrapper.return %o, %r : !b, !b
}

// -----

// Another device, a pool of the function, a call, a shown value.
// REMARK-DAG: remark: {{.*}}it runs on the device 'toy', which keeps no graphs
// REMARK-DAG: remark: {{.*}}it is part of a memory pool of the whole function (wrapper.pool)
// REMARK-DAG: remark: {{.*}}it uses a memory pool of the whole function (wrapper.copy)
// REMARK-DAG: remark: {{.*}}it calls a function of the host (wrapper.invoke)
// REMARK-DAG: remark: {{.*}}it debugs the program on the host (wrapper.debug_mark)
// CHECK-LABEL: wrapper.func @others
// CHECK-NOT: wrapper.partition
!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!t = !wrapper.buffer<[4], f32, #wrapper.device<"toy">>
wrapper.func private @callee(%x: !b) {
  wrapper.return
}
wrapper.func @others(%x: !b, %y: !t) -> !t {
  %0 = wrapper.alloc : !t
  wrapper.copy %y to %0 : !t
  %p = wrapper.pool <64> : !wrapper.pool<#wrapper.device<"cpu">>
  %1 = wrapper.pool_alloc %p at <0> : !wrapper.pool<#wrapper.device<"cpu">> to !b
  wrapper.copy %x to %1 : !b
  wrapper.pool_release %1 : !b
  wrapper.pool_free %p : !wrapper.pool<#wrapper.device<"cpu">>
  wrapper.invoke @callee(%x) : (!b) -> ()
  wrapper.debug_mark before "here"
  wrapper.return %0 : !t
}

// -----

// What a loop writes from outside stays, too.
// REMARK: remark: {{.*}}it writes or ends a buffer from outside of its block
// CHECK-LABEL: wrapper.func @wrapper_partition_graph_c2_loop(
// CHECK-NOT: wrapper.partition
// CHECK: wrapper.return
!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @wrapper_partition_graph_c2_loop(%x: !b, %y: !b) -> !b {
  %o = wrapper.alloc : !b
  wrapper.copy %x to %o : !b
  wrapper.while symbols ["i"] from [0] {
    %c = wrapper.compare <i> lt <2>
    wrapper.condition %c
  } do {
    wrapper.copy %x to %o : !b
    wrapper.copy %y to %o : !b
    wrapper.yield symbols [i + 1]
  }
  wrapper.return %o : !b
}

// -----

// What a branch frees is freed there, between the parts of what would be a
// partition.
// REMARK: remark: {{.*}}it writes or ends a buffer from outside of its block (wrapper.free)
// CHECK-LABEL: wrapper.func @wrapper_partition_graph_c2_ends(
// CHECK-NOT: wrapper.partition
// CHECK: wrapper.return
!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>
!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @wrapper_partition_graph_c2_ends(%x: !b, %p: !p) -> !b attributes {wrapper.memory = {}} {
  %o = wrapper.alloc : !b
  wrapper.copy %x to %o : !b
  %r = wrapper.if %p : !p -> (!b) {
    %1 = wrapper.alloc : !b
    wrapper.copy %o to %1 : !b
    wrapper.free %o : !b
    %2 = wrapper.alloc : !b
    wrapper.copy %1 to %2 : !b
    wrapper.free %1 : !b
    wrapper.yield %2 : !b
  } else {
    wrapper.yield %o : !b
  }
  wrapper.return %r : !b
}

// -----

// Two copies would be a partition, if it were not for the pool.
// REMARK-DAG: remark: {{.*}}it is part of a memory pool of the whole function (wrapper.pool)
// REMARK-DAG: remark: {{.*}}it uses a memory pool of the whole function (wrapper.copy)
// CHECK-LABEL: wrapper.func @wrapper_partition_graph_c1(
// CHECK-NOT: wrapper.partition
// CHECK: wrapper.return
!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>
!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!p = !wrapper.pool<#wrapper.device<"cpu">>
wrapper.func @wrapper_partition_graph_c1(%x: !b, %n: !i) {
  wrapper.item "u0" = %n : !i
  %p = wrapper.pool <128> : !p
  %1 = wrapper.pool_alloc %p at <0> : !p to !b
  wrapper.copy %x to %1 : !b
  %2 = wrapper.pool_alloc %p at <64> : !p to !b
  wrapper.copy %1 to %2 : !b
  wrapper.pool_release %1 : !b
  wrapper.pool_release %2 : !b
  wrapper.pool_free %p : !p
  wrapper.return
}
