// RUN: coil-opt %s --pass-pipeline='builtin.module(func.func(loop-mark-strict{places=model.py:5-9+lib/head.py}))' | FileCheck %s
// RUN: coil-opt %s --pass-pipeline='builtin.module(func.func(loop-mark-strict{places=*}))' | FileCheck %s --check-prefix=ALL
// RUN: coil-opt %s --pass-pipeline='builtin.module(func.func(loop-mark-strict{places=model.py:7},convert-graph-to-loop,loop-mark-strict,loop-fuse))' | FileCheck %s --check-prefix=FUSED
// RUN: not coil-opt %s --pass-pipeline='builtin.module(func.func(loop-mark-strict{places=model.py:9-5}))' 2>&1 | FileCheck %s --check-prefix=PLACE
// RUN: not coil-opt %s --pass-pipeline='builtin.module(func.func(loop-mark-strict{places=model.py:x}))' 2>&1 | FileCheck %s --check-prefix=LINES

// B14: operators of lines, or of a file, are strict; so is what says so itself, and nothing without floats.
// loop_mark_strict_c1: a place is a file with lines that ascend.
// PLACE: 'model.py:9-5' is no place of strict lines: expected a file, file:line or file:first-last, or '*'
// LINES: 'model.py:x' is no place of strict lines
// CHECK: graph.exp %{{.*}} {coil.strict}
// CHECK: graph.tanh %{{[a-z0-9]+}} :
// CHECK: graph.neg %{{.*}} {coil.strict}
// CHECK: graph.abs %{{.*}} {coil.strict}
// CHECK: graph.sin %{{[a-z0-9]+}} :
// CHECK: graph.compare gt, %{{[a-z0-9]+}}, %{{[a-z0-9]+}} :
// ALL-COUNT-5: {coil.strict}
// ALL-NOT: {coil.strict}

// What a fused kernel computes is strict by operator.
// FUSED: math.exp %{{.*}} {coil.strict}
// FUSED: math.tanh %{{[a-z0-9]+}} :
!t = tensor<8xbf16>
func.func @main(%x: !t) -> (!t, tensor<8xi1>) {
  %0 = graph.exp %x : (!t) -> !t loc("/home/model.py":7:0)
  %1 = graph.tanh %0 : (!t) -> !t loc("/home/othermodel.py":7:0)
  %2 = graph.neg %1 : (!t) -> !t loc(fused["a.py":1:0, "/src/lib/head.py":100:0])
  %3 = graph.abs %2 {coil.strict} : (!t) -> !t loc("a.py":1:0)
  %4 = graph.sin %3 : (!t) -> !t loc("model.py":10:0)
  %5 = graph.compare gt, %4, %0 : (!t, !t) -> tensor<8xi1> loc("model.py":8:0)
  return %4, %5 : !t, tensor<8xi1>
}
