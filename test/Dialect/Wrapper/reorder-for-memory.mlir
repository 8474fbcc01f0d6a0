// RUN: coil-opt %s --wrapper-reorder-for-memory --split-input-file --verify-each | FileCheck %s
// RUN: coil-opt %s --wrapper-reorder-for-memory --wrapper-plan-memory --wrapper-verify-memory --split-input-file | FileCheck %s --check-prefix=PLAN
// RUN: coil-opt %s --wrapper-plan-memory --split-input-file | FileCheck %s --check-prefix=BEFORE
// RUN: coil-opt %s --wrapper-reorder-for-memory --split-input-file --remarks-filter=wrapper-reorder-for-memory 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

!l = !wrapper.buffer<[1024], f32, #wrapper.device<"cpu">>
!s = !wrapper.buffer<[16], f32, #wrapper.device<"cpu">>
wrapper.kernel @large() attributes {input_strides = [], output_strides = [#sym.shape<[1]>], symbols = []} {
}
wrapper.kernel @fill() attributes {input_strides = [], output_strides = [#sym.shape<[1]>], symbols = []} {
}
wrapper.kernel @sum() attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
}
wrapper.kernel @both() attributes {input_strides = [#sym.shape<[1]>, #sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
}

// Each large buffer is used up before the next is made. A check keeps its place,
// and so does what is before and behind it.
// REMARK: [Analysis] Order | {{.*}}DepthFirst=4288, Program=12352, Remark="smallest growth first of program order, smallest growth first and depth first", SmallestGrowth=4224
// BEFORE-LABEL: wrapper.func @three
// BEFORE-SAME: peak = 12352
// PLAN-LABEL: wrapper.func @three
// PLAN-SAME: lower_bound = 4224 : i64, peak = 4224
// CHECK-LABEL: wrapper.func @three
// CHECK: wrapper.launch @large[] outs(%[[A:.+]] :
// CHECK: wrapper.launch @sum[] ins(%[[A]] :
// CHECK: wrapper.launch @large[] outs(%[[B:.+]] :
// CHECK: wrapper.launch @sum[] ins(%[[B]] :
// CHECK: wrapper.launch @large[] outs(%[[C:.+]] :
// CHECK: wrapper.launch @sum[] ins(%[[C]] :
wrapper.func @three() -> !s {
  %0 = wrapper.alloc : !l
  wrapper.launch @large[] outs(%0 : !l)
  %1 = wrapper.alloc : !l
  wrapper.launch @large[] outs(%1 : !l)
  %2 = wrapper.alloc : !l
  wrapper.launch @large[] outs(%2 : !l)
  %3 = wrapper.alloc : !s
  wrapper.launch @sum[] ins(%0 : !l) outs(%3 : !s)
  %4 = wrapper.alloc : !s
  wrapper.launch @sum[] ins(%1 : !l) outs(%4 : !s)
  %5 = wrapper.alloc : !s
  wrapper.launch @sum[] ins(%2 : !l) outs(%5 : !s)
  %6 = wrapper.alloc : !s
  wrapper.launch @both[] ins(%3, %4 : !s, !s) outs(%6 : !s)
  %7 = wrapper.alloc : !s
  wrapper.launch @both[] ins(%6, %5 : !s, !s) outs(%7 : !s)
  wrapper.return %7 : !s
}

// CHECK-LABEL: wrapper.func @check_between
// CHECK: wrapper.launch @large[] outs(%[[A:.+]] :
// CHECK: wrapper.launch @large[] outs(%[[B:.+]] :
// CHECK: wrapper.assert
// CHECK: wrapper.launch @sum[] ins(%[[A]] :
// CHECK: wrapper.launch @sum[] ins(%[[B]] :
wrapper.func @check_between(%x: !wrapper.buffer<[n], f32, #wrapper.device<"cpu">>) {
  wrapper.input_symbol "n" = size 0 of %x : !wrapper.buffer<[n], f32, #wrapper.device<"cpu">>
  %0 = wrapper.alloc : !l
  wrapper.launch @large[] outs(%0 : !l)
  %1 = wrapper.alloc : !l
  wrapper.launch @large[] outs(%1 : !l)
  wrapper.assert <n> lt <8>, "n is small"
  %3 = wrapper.alloc : !s
  wrapper.launch @sum[] ins(%0 : !l) outs(%3 : !s)
  %4 = wrapper.alloc : !s
  wrapper.launch @sum[] ins(%1 : !l) outs(%4 : !s)
  wrapper.return
}

// F30: writes to one buffer keep their order, and reads between them their place,
// also where they go through views.
// CHECK-LABEL: wrapper.func @written_twice
// CHECK: wrapper.launch @large[] outs(%[[A:.+]] :
// CHECK: wrapper.launch @sum[] ins(%[[A]] : {{.+}}) outs(%[[R:.+]] :
// CHECK: wrapper.launch @large[] outs(%[[V:.+]] :
// CHECK: wrapper.launch @sum[] ins(%[[A]] : {{.+}}) outs(%[[S:.+]] :
wrapper.func @written_twice() -> (!s, !s) {
  %0 = wrapper.alloc : !l
  %v = wrapper.reinterpret %0 at <0> : !l to !l
  wrapper.launch @large[] outs(%0 : !l)
  %3 = wrapper.alloc : !s
  wrapper.launch @sum[] ins(%0 : !l) outs(%3 : !s)
  wrapper.launch @large[] outs(%v : !l)
  %4 = wrapper.alloc : !s
  wrapper.launch @sum[] ins(%0 : !l) outs(%4 : !s)
  wrapper.return %3, %4 : !s, !s
}

// Equal peaks keep the order of the program.
// REMARK: [Analysis] Order | {{.*}}DepthFirst=4224, Program=4224, Remark="program order of {{.*}} SmallestGrowth=4224
// CHECK-LABEL: wrapper.func @tie
// CHECK: wrapper.launch @large[] outs(%[[A:.+]] :
// CHECK: wrapper.launch @fill[] outs
// CHECK: wrapper.launch @sum[] ins(%[[A]] :
wrapper.func @tie() -> (!s, !s) {
  %0 = wrapper.alloc : !l
  wrapper.launch @large[] outs(%0 : !l)
  %3 = wrapper.alloc : !s
  wrapper.launch @fill[] outs(%3 : !s)
  %4 = wrapper.alloc : !s
  wrapper.launch @sum[] ins(%0 : !l) outs(%4 : !s)
  wrapper.return %3, %4 : !s, !s
}
