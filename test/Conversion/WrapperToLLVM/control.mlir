// RUN: coil-opt %s --convert-wrapper-to-llvm --split-input-file | FileCheck %s

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>
!n = !wrapper.buffer<[n], f32, #wrapper.device<"cpu">>

// A branch is blocks that join with the results' addresses and the symbols'
// values; the range is checked before.
// CHECK-LABEL: llvm.func @coil_branch
// CHECK: llvm.call @coil_rt_item(
// CHECK: %[[BITS:.+]] = llvm.load %{{.+}} : !llvm.ptr -> i64
// CHECK: %[[P:.+]] = llvm.icmp "ne" %[[BITS]], %{{.+}} : i64
// CHECK: llvm.cond_br %[[P]], ^{{bb[0-9]+}}, ^{{bb[0-9]+}}
// CHECK: ^{{bb[0-9]+}}(%{{.+}}: !llvm.ptr, %{{.+}}: i64):
// CHECK: llvm.br ^{{bb[0-9]+}}(%{{.+}}, %{{.+}} : !llvm.ptr, i64)
// CHECK: llvm.br ^{{bb[0-9]+}}(%{{.+}}, %{{.+}} : !llvm.ptr, i64)
wrapper.func @branch(%p: !p) -> !n attributes {sym.symbols = {n = #sym.range<0, 3>}} {
  %r = wrapper.if %p : !p defines ["n"] -> (!n) {
    %0 = wrapper.alloc : !b
    wrapper.yield %0 : !b symbols [4]
  } else {
    %0 = wrapper.alloc : !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>
    wrapper.yield %0 : !wrapper.buffer<[2], f32, #wrapper.device<"cpu">> symbols [2]
  }
  wrapper.return %r : !n
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>

// A loop is a header with the carried values; what one region computed is not
// used in another: the size is multiplied in the body and behind.
// CHECK-LABEL: llvm.func @coil_loop
// CHECK: ^[[HEADER:bb[0-9]+]](%[[A:.+]]: !llvm.ptr, %[[I:.+]]: i64):
// CHECK: %[[C:.+]] = llvm.icmp "slt" %[[I]]
// CHECK: llvm.cond_br %[[C]], ^[[BODY:bb[0-9]+]](%[[A]], %[[I]] : !llvm.ptr, i64), ^[[DONE:bb[0-9]+]](%[[A]], %[[I]] : !llvm.ptr, i64)
// CHECK: ^[[BODY]](%{{.+}}: !llvm.ptr, %[[N:.+]]: i64):
// CHECK: llvm.mul %[[N]]
// CHECK: ^[[DONE]](%{{.+}}: !llvm.ptr, %[[L:.+]]: i64):
// CHECK: llvm.mul %[[L]]
// CHECK-COUNT-2: llvm.br ^[[HEADER]](
wrapper.func @loop(%x: !b) -> !b {
  %0 = wrapper.alloc : !b
  %r = wrapper.while %0 : !b symbols ["i"] from [0] -> (!b) {
  ^bb0(%a: !b):
    %c = wrapper.compare <i> lt <10>
    wrapper.condition %c pass %a : !b
  } do {
  ^bb0(%a: !b):
    wrapper.assert <i * 8> lt <100>, "in range"
    wrapper.yield %a : !b symbols [i + 1]
  }
  wrapper.assert <i * 8> lt <100>, "in range"
  wrapper.return %r : !b
}

// -----

!i = !wrapper.buffer<[], i64, #wrapper.device<"cuda">>
!n = !wrapper.buffer<[n], f32, #wrapper.device<"cuda">>

// Elements of a device are read by its function, divided with a check.
// CHECK-LABEL: llvm.func @coil_numbers
// CHECK: llvm.call @coil_rt_item_cuda(%{{.+}}, %{{.+}}, %{{.+}}, %[[SLOT:.+]]) : (!llvm.ptr, !llvm.ptr, i32, !llvm.ptr) -> i32
// CHECK: %[[V:.+]] = llvm.load %[[SLOT]] : !llvm.ptr -> i64
// CHECK: %[[R:.+]] = llvm.srem %[[V]]
// CHECK: llvm.icmp "eq" %[[R]]
// CHECK: llvm.sdiv %[[V]]
wrapper.func @numbers(%x: !i) -> !n {
  wrapper.item "n" = %x divide_by 4 : !i
  %0 = wrapper.alloc : !n
  wrapper.return %0 : !n
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!n = !wrapper.buffer<[n], f32, #wrapper.device<"cpu">>
!u = !wrapper.buffer<[u], f32, #wrapper.device<"cpu">>

// A private function trusts its caller for what the verifier has checked, and
// writes sizes where the caller says. One that nobody calls is internal.
// CHECK: llvm.func internal @coil_unused
// CHECK-LABEL: llvm.func @coil_caller
// CHECK: llvm.call @coil_callee(%{{.+}}, %{{.+}}, %{{.+}}) : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
// CHECK: llvm.call @coil_rt_check_layout
// CHECK-LABEL: llvm.func @coil_callee
// CHECK-NOT: coil_rt_check_input
// CHECK-NOT: coil_rt_set_output
// CHECK: llvm.return
wrapper.func private @unused() {
  wrapper.return
}
wrapper.func @caller(%x: !b) -> !u {
  %r = wrapper.invoke @callee(%x) : (!b) -> !u
  wrapper.bind_symbol "u" = [#wrapper.key<size, 0>] of %r : !u
  wrapper.assert_layout %r, "r" : !u
  wrapper.return %r : !u
}
wrapper.func private @callee(%x: !n) -> !n {
  wrapper.input_symbol "n" = size 0 of %x : !n
  %0 = wrapper.alloc : !n
  wrapper.copy %x to %0 : !n
  wrapper.return %0 : !n
}

// -----

// Parts: bools, floats, symbols and results of calls go through the frame. An
// op with regions is never cut.
// RUN: coil-opt %s --convert-wrapper-to-llvm=max-steps=1 --split-input-file | FileCheck %s --check-prefix=PARTS

!p = !wrapper.buffer<[], i1, #wrapper.device<"cpu">>
!f = !wrapper.buffer<[], f32, #wrapper.device<"cpu">>

// PARTS-LABEL: llvm.func @coil_slots.part2(
// PARTS: llvm.store %{{.+}}, %{{.+}} : i1, !llvm.ptr
// PARTS-LABEL: llvm.func @coil_slots.part3(
// PARTS: llvm.store %{{.+}}, %{{.+}} : f64, !llvm.ptr
// PARTS-LABEL: llvm.func @coil_slots.part4(
// PARTS: llvm.load %{{.+}} : !llvm.ptr -> i1
// PARTS: llvm.load %{{.+}} : !llvm.ptr -> f64
// PARTS: llvm.fcmp "olt"
wrapper.func @slots(%p: !p, %f: !f) {
  %q = wrapper.item %p : !p -> i1
  %v = wrapper.item %f : !f -> f64
  wrapper.if %q : i1 {
    %z = arith.constant 0.0 : f64
    %c = arith.cmpf olt, %v, %z : f64
    wrapper.if %c : i1 {
      wrapper.yield
    } else {
      wrapper.yield
    }
    wrapper.yield
  } else {
    wrapper.yield
  }
  wrapper.return
}
