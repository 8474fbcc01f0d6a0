// RUN: coil-opt %s --split-input-file --wrapper-partition-graph="collectives=true peak-percent=0" \
// RUN:   --remarks-filter=wrapper-partition-graph 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --implicit-check-not="knows nothing" < %t.remarks
// RUN: coil-opt %s --split-input-file --wrapper-partition-graph=peak-percent=0 \
// RUN:   --remarks-filter=wrapper-partition-graph 2>%t.without | FileCheck %s --check-prefix=WITHOUT
// RUN: FileCheck %s --check-prefix=WHY < %t.without
// RUN: coil-opt %s --split-input-file --wrapper-partition-graph="collectives=true max-ops=2 peak-percent=0" \
// RUN:   --remarks-filter=wrapper-partition-graph 2>%t.small | FileCheck %s --check-prefix=SMALL
// RUN: coil-opt %s --split-input-file --wrapper-partition-graph="collectives=true whole=true min-ops=1" \
// RUN:   | coil-opt --split-input-file --wrapper-outline-partitions --wrapper-plan-memory --wrapper-verify-memory \
// RUN:   | FileCheck %s --check-prefix=FUNCTIONS

// A collective and its wait are part of the graph; without the option, what is
// around them.
// WHY: remark: {{.*}}not in a graph: a graph of one rank knows nothing of the others (wrapper.collective)
// WHY: remark: {{.*}}not in a graph: a graph of one rank knows nothing of the others (wrapper.wait)
// REMARK: remark: {{.*}}not in a graph: the host reads an element (wrapper.item)
// CHECK-LABEL: wrapper.func @together
// CHECK: wrapper.item
// CHECK: wrapper.partition
// CHECK-NEXT: wrapper.alloc
// CHECK-NEXT: wrapper.copy
// CHECK-NEXT: wrapper.alloc
// CHECK-NEXT: %[[T:.+]] = wrapper.collective all_reduce sum
// CHECK-NEXT: wrapper.alloc
// CHECK-NEXT: wrapper.copy
// CHECK-NEXT: wrapper.wait %[[T]]
// CHECK-NEXT: wrapper.yield
// CHECK: wrapper.return
// WITHOUT-LABEL: wrapper.func @together
// WITHOUT-NOT: wrapper.partition
// FUNCTIONS: wrapper.func private @{{.*}}part{{.*}}(
// FUNCTIONS: %[[T:.+]] = wrapper.collective all_reduce sum
// FUNCTIONS: wrapper.wait %[[T]]
// FUNCTIONS: wrapper.return
!i = !wrapper.buffer<[], i64, #wrapper.device<"cuda">>
!b = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
wrapper.func @together(%x: !b, %n: !i) -> (!b, !b) {
  wrapper.item "u0" = %n : !i
  %1 = wrapper.alloc : !b
  wrapper.copy %x to %1 : !b
  %2 = wrapper.alloc : !b
  %t = wrapper.collective all_reduce sum %1 to %2 group "0" : !b to !b
  %3 = wrapper.alloc : !b
  wrapper.copy %x to %3 : !b
  wrapper.wait %t of %1 to %2 : !b to !b
  wrapper.return %2, %3 : !b, !b
}

// -----

// What the host comes between stays with the host, and so does its counterpart;
// the steps on both sides are still graphs.
// REMARK-DAG: remark: {{.*}}not in a graph: what waits for it is not in it (wrapper.collective)
// REMARK-DAG: remark: {{.*}}not in a graph: what it waits for is not started in it (wrapper.wait)
// CHECK-LABEL: wrapper.func @wrapper_partition_graph_c3(
// WITHOUT-LABEL: wrapper.func @wrapper_partition_graph_c3(
// CHECK: wrapper.partition
// CHECK-NOT: wrapper.collective
// CHECK: wrapper.yield
// CHECK: wrapper.collective all_reduce sum
// CHECK: wrapper.item
// CHECK: wrapper.assert
// CHECK: wrapper.partition
// CHECK-NOT: wrapper.wait
// CHECK: wrapper.yield
// CHECK: wrapper.wait
!i = !wrapper.buffer<[], i64, #wrapper.device<"cuda">>
!b = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
wrapper.func @wrapper_partition_graph_c3(%x: !b, %n: !i) -> (!b, !b) {
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  %1 = wrapper.alloc : !b
  wrapper.copy %0 to %1 : !b
  %2 = wrapper.alloc : !b
  %t = wrapper.collective all_reduce sum %1 to %2 group "0" : !b to !b
  %m = wrapper.alloc : !i
  wrapper.copy %n to %m : !i
  wrapper.item "u0" = %m : !i
  wrapper.assert <u0> le <4>, "small"
  %3 = wrapper.alloc : !b
  wrapper.copy %0 to %3 : !b
  %4 = wrapper.alloc : !b
  wrapper.copy %3 to %4 : !b
  wrapper.wait %t of %1 to %2 : !b to !b
  wrapper.return %2, %4 : !b, !b
}

// -----

// Nothing needs the host any more.
// REMARK: remark: {{.*}}the whole call can be captured as one graph
// CHECK-LABEL: wrapper.func @whole
// CHECK-NOT: wrapper.partition
// WITHOUT-LABEL: wrapper.func @whole
// WITHOUT: wrapper.partition
// WITHOUT-NOT: wrapper.collective
// WITHOUT: wrapper.yield
// WITHOUT: wrapper.collective
// FUNCTIONS: wrapper.func @whole
!b = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
wrapper.func @whole(%x: !b) -> !b {
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  %1 = wrapper.alloc : !b
  wrapper.copy %0 to %1 : !b
  %2 = wrapper.alloc : !b
  %t = wrapper.collective all_reduce sum %1 to %2 group "0" : !b to !b
  wrapper.wait %t of %1 to %2 : !b to !b
  wrapper.return %2 : !b
}

// -----

// Memory of the group stays the group's, and a graph writes none.
// REMARK-DAG: remark: {{.*}}not in a graph: its memory is a process group's (wrapper.comm_alloc)
// REMARK-DAG: remark: {{.*}}not in a graph: it writes memory of a process group (wrapper.collective)
// CHECK-LABEL: wrapper.func @group_memory
// CHECK-NOT: wrapper.partition
!b = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
wrapper.func @group_memory(%x: !b) -> !b {
  %c = wrapper.comm_alloc symmetric group "0" : !b
  %t = wrapper.collective all_reduce sum %x to %c group "0" : !b to !b
  wrapper.wait %t of %x to %c : !b to !b
  %0 = wrapper.alloc : !b
  wrapper.copy %c to %0 : !b
  wrapper.comm_free %c : !b
  wrapper.return %0 : !b
}

// -----

// In a stream of the program, which comes back behind the last step.
// CHECK-LABEL: wrapper.func @streams
// CHECK: wrapper.item
// CHECK: wrapper.partition
// CHECK: wrapper.stream
// CHECK: wrapper.collective
// CHECK: wrapper.wait %
// CHECK: wrapper.copy
// CHECK: wrapper.record_event #wrapper.device<"cuda"> stream 1
// CHECK-NEXT: wrapper.wait_event
// CHECK-NEXT: wrapper.yield
!i = !wrapper.buffer<[], i64, #wrapper.device<"cuda">>
!b = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
wrapper.func @streams(%x: !b, %n: !i) -> (!b, !b) {
  wrapper.item "u0" = %n : !i
  %1 = wrapper.alloc : !b
  wrapper.copy %x to %1 : !b
  %2 = wrapper.alloc : !b
  %3 = wrapper.alloc : !b
  %e = wrapper.record_event #wrapper.device<"cuda">
  wrapper.stream #wrapper.device<"cuda"> 1 {
    wrapper.wait_event %e
    %t = wrapper.collective all_reduce sum %1 to %2 group "0" : !b to !b
    wrapper.wait %t of %1 to %2 : !b to !b
    wrapper.yield
  }
  wrapper.copy %x to %3 : !b
  %f = wrapper.record_event #wrapper.device<"cuda"> stream 1
  wrapper.wait_event %f uses(%1, %2 : !b, !b)
  wrapper.return %2, %3 : !b, !b
}

// -----

// A bound on the steps of a graph may come between, too.
// SMALL-LABEL: wrapper.func @wrapper_partition_graph_c3_bounded(
// SMALL: wrapper.partition
// SMALL-NOT: wrapper.collective
// SMALL: wrapper.yield
// SMALL: wrapper.collective
!i = !wrapper.buffer<[], i64, #wrapper.device<"cuda">>
!b = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
wrapper.func @wrapper_partition_graph_c3_bounded(%x: !b, %n: !i) -> (!b, !b, !b) {
  wrapper.item "u0" = %n : !i
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  %1 = wrapper.alloc : !b
  wrapper.copy %0 to %1 : !b
  %2 = wrapper.alloc : !b
  %t = wrapper.collective all_reduce sum %1 to %2 group "0" : !b to !b
  %3 = wrapper.alloc : !b
  wrapper.copy %0 to %3 : !b
  %4 = wrapper.alloc : !b
  wrapper.copy %3 to %4 : !b
  wrapper.wait %t of %1 to %2 : !b to !b
  wrapper.return %0, %2, %4 : !b, !b, !b
}
