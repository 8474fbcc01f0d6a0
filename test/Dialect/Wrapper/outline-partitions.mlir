// RUN: coil-opt %s --split-input-file --wrapper-outline-partitions | FileCheck %s
// RUN: coil-opt %s --split-input-file --pass-pipeline='builtin.module(wrapper-outline-partitions,wrapper-plan-memory,wrapper-verify-memory)' | FileCheck %s --check-prefix=PLAN

// The signature is that of the region: s1 and %z have no part in it. %0 ends in
// it, so that planning writes its result over it (F12).
// CHECK-LABEL: wrapper.func @main
// CHECK: %[[A:.+]] = wrapper.alloc
// CHECK: %[[C:.+]] = wrapper.partition_call @main_partition0(%[[A]]) symbols [s0] consumes [0]
// CHECK: wrapper.return %[[C]]
// CHECK: wrapper.func private @main_partition0(%[[X:.+]]: {{.+}} {wrapper.consumed}) -> {{.+}} attributes {sym.symbols = {s0 = #sym.range<0, 8>}} {
// CHECK-NEXT: wrapper.param_symbols ["s0"]
// CHECK-NEXT: wrapper.alloc
// CHECK-NEXT: wrapper.copy %[[X]]
// CHECK-NEXT: wrapper.return
// PLAN: wrapper.func private @main_partition0
// PLAN: %[[R:.+]] = wrapper.reuse
// PLAN: wrapper.return %[[R]]
!s = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
!t = !wrapper.buffer<[s1], f32, #wrapper.device<"cpu">>
wrapper.func @main(%x: !s, %z: !t) -> !s attributes {sym.symbols = {s0 = #sym.range<0, 8>, s1 = #sym.range<0, 8>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !s
  wrapper.input_symbol "s1" = size 0 of %z : !t
  %0 = wrapper.alloc : !s
  wrapper.copy %x to %0 : !s
  %1 = wrapper.partition #wrapper.device<"cpu"> -> (!s) {
    %2 = wrapper.alloc : !s
    wrapper.copy %0 to %2 : !s
    wrapper.yield %2 : !s
  }
  wrapper.return %1 : !s
}

// -----

// What is written and lives on is taken over and given back.
// CHECK-LABEL: wrapper.func @written
// CHECK: %[[C:.+]] = wrapper.partition_call @written_partition0(%{{.+}}, %[[A:.+]]) consumes [1]
// CHECK: wrapper.copy %[[C]] to
// CHECK: wrapper.func private @written_partition0(%[[X:.+]]: {{.+}}, %[[Y:.+]]: {{.+}} {wrapper.consumed})
// CHECK-NEXT: wrapper.copy %[[X]] to %[[Y]]
// CHECK-NEXT: wrapper.return %[[Y]]
!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @written(%x: !b) -> (!b, !b) {
  %0 = wrapper.alloc : !b
  wrapper.copy %x to %0 : !b
  wrapper.partition #wrapper.device<"cpu"> {
    wrapper.copy %x to %0 : !b
    wrapper.yield
  }
  %1 = wrapper.alloc : !b
  wrapper.copy %0 to %1 : !b
  wrapper.return %0, %1 : !b, !b
}

// -----

// In a loop, storage from outside is passed and stays the program's.
// CHECK-LABEL: wrapper.func @loop
// CHECK: wrapper.partition_call @loop_partition0(%{{.+}}) : (
// CHECK-NOT: wrapper.consumed
// A view and a literal are made again inside.
// CHECK: wrapper.func private @loop_partition0(%[[X:.+]]: !wrapper.buffer<[4], f32, {{.+}}>) ->
// CHECK: %[[V:.+]] = wrapper.reinterpret %[[X]] at <2>
// CHECK: wrapper.copy %[[V]]
!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!h = !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>
wrapper.func @loop(%x: !b, %y: !h) -> !h {
  %o = wrapper.alloc : !b
  wrapper.copy %x to %o : !b
  %v = wrapper.reinterpret %o at <2> : !b to !h
  %a = wrapper.alloc : !h
  wrapper.copy %y to %a : !h
  %r = wrapper.while %a : !h symbols ["i"] from [0] -> (!h) {
  ^bb0(%c: !h):
    %p = wrapper.compare <i> lt <3>
    wrapper.condition %p pass %c : !h
  } do {
  ^bb0(%c: !h):
    %n = wrapper.partition #wrapper.device<"cpu"> -> (!h) {
      %1 = wrapper.alloc : !h
      wrapper.copy %v to %1 : !h
      wrapper.yield %1 : !h
    }
    wrapper.yield %n : !h symbols [i + 1]
  }
  wrapper.return %r : !h
}

// -----

// What the function updates is the caller's: a partition writes it, and so does
// the function that it becomes, which gives nothing back.
// CHECK-LABEL: wrapper.func @updated
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^{]+}} {wrapper.updated}
// CHECK: wrapper.partition_call @updated_partition0(%[[X]]) {arg_attrs = [{wrapper.updated}]} : ({{[^)]+}}) -> ()
// CHECK: wrapper.return %[[X]]
// CHECK: wrapper.func private @updated_partition0(%[[Y:.+]]: {{.+}} {wrapper.updated}) {
// CHECK-NEXT: wrapper.fill %[[Y]]
// CHECK-NEXT: wrapper.return
!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @updated(%x: !b {wrapper.updated}) -> !b {
  wrapper.partition #wrapper.device<"cpu"> {
    wrapper.fill %x bytes 0 : !b
    wrapper.yield
  }
  wrapper.return %x : !b
}
