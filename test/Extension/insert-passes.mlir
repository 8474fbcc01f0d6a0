// Passes that options add to the pipelines.

// One at each extension point, in the order of the points.
// RUN: coil-compile %s --from=input -o /dev/null --dump-pass-pipeline --insert-passes=before-legalization:strip-debuginfo --insert-passes=after-legalization:topological-sort \
// RUN:   --insert-passes=after-decomposition:symbol-dce --insert-passes=before-fusion:sccp --insert-passes=after-fusion:'func.func(cse,cse)' \
// RUN:   --insert-passes=before-scheduling:mem2reg --insert-passes=after-scheduling:control-flow-sink --insert-passes=after-outlining:topological-sort \
// RUN:   --insert-passes=before-device-scheduling:'wrapper.kernel(cse)' --insert-passes=after-device-scheduling:'builtin.module(strip-debuginfo)' \
// RUN:   --insert-passes=before-memory-planning:sroa --insert-passes=after-memory-planning:loop-invariant-code-motion \
// RUN:   --insert-passes=before-device-code:symbol-privatize --insert-passes=after-device-code:symbol-dce --insert-passes=after-host-code:'canonicalize{ max-iterations=3}' 2>&1 | FileCheck %s --check-prefix=ALL

// ALL:      // Stage 'graph':
// ALL-NEXT: builtin.module(target-attach{{.*}},strip-debuginfo{{.*}}graph-legalize-aten),topological-sort,{{.*}},symbol-dce,func.func(loop-mark-strict{{.*}}),func.func(graph-verify-contract),func.func(graph-verify-stage))
// ALL-NEXT: // Stage 'loop':
// ALL-NEXT: builtin.module({{.*}}loop-fold-views),sccp,func.func(loop-fuse{{.*}}),func.func(cse,cse),{{.*}}loop-simplify-index{{.*}},mem2reg{{.*}},func.func(loop-select-schedule{{.*}}),control-flow-sink)
// ALL-NEXT: // Stage 'wrapper':
// ALL-NEXT: builtin.module(target-attach{{.*}},convert-loop-to-wrapper{{.*}},topological-sort,{{.*}}wrapper.kernel(cse),wrapper.kernel(loop-select-schedule{{.*}}),strip-debuginfo,{{.*}}wrapper-sink-waits{{.*}},sroa,wrapper-plan-memory{{.*}},loop-invariant-code-motion,wrapper-verify-memory
// ALL-NEXT: // Stage 'native':
// ALL-NEXT: builtin.module(target-attach{{.*}},symbol-privatize{{.*}},wrapper.kernel({{.*}}convert-cpu-kernel-to-llvm{{.*}}),symbol-dce,convert-wrapper-to-llvm{{.*}},canonicalize{ max-iterations=3

// The same options of a named pipeline.
// RUN: coil-opt %s --coil-loop-pipeline='insert-passes={after-fusion:func.func(cse,cse);before-scheduling:mem2reg}' --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=OPT
// OPT:      loop-fuse
// OPT:      cse,
// OPT-NEXT: cse
// OPT:      mem2reg
// OPT:      loop-select-schedule

// What is added runs, in coil-run, too.
// RUN: coil-run %s --random-inputs --insert-passes=after-fusion:print-op-stats 2>&1 | FileCheck %s --check-prefix=RUNS
// RUNS: Operations encountered

// Errors.
// RUN: not coil-compile %s --from=input --insert-passes=after-fushion:cse 2>&1 | FileCheck %s --check-prefix=POINT
// POINT: coil-compile: error: 'insert-passes' with 'after-fushion:cse': unknown extension point 'after-fushion'; did you mean 'after-fusion'?
// RUN: not coil-compile %s --from=input --insert-passes=fusion:cse 2>&1 | FileCheck %s --check-prefix=PART
// PART: unknown extension point 'fusion'; did you mean '{{before|after}}-fusion'?
// RUN: not coil-compile %s --from=input --insert-passes='after-fusion:func.func(loop-fuze)' 2>&1 | FileCheck %s --check-prefix=PASS
// PASS: coil-compile: error: 'insert-passes' with 'after-fusion:func.func(loop-fuze)': 'loop-fuze' does not refer to a registered pass or pass pipeline; did you mean 'loop-fuse'?
// RUN: not coil-run %s --random-inputs --insert-passes='after-fusion:func.func(loop-fuze)' 2>&1 | FileCheck %s --check-prefix=PASS-EXEC
// PASS-EXEC: did you mean 'loop-fuse'?
// RUN: not coil-opt %s --coil-loop-pipeline='insert-passes=after-fusion:func.func(loop-fuze)' 2>&1 | FileCheck %s --check-prefix=PASS-OPT
// PASS-OPT: did you mean 'loop-fuse'?
// RUN: not coil-compile %s --from=input --insert-passes=after-fusion:loop-fuse 2>&1 | FileCheck %s --check-prefix=ANCHOR
// ANCHOR: coil-compile: error: 'insert-passes' with 'after-fusion:loop-fuse': {{.*}}'func.func'
// RUN: not coil-compile %s --from=input --insert-passes='after-fusion:canonicalize{foo=1}' 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: 'insert-passes' with 'after-fusion:canonicalize{foo=1}': {{.*}}foo
// RUN: not coil-compile %s --from=input --insert-passes=cse 2>&1 | FileCheck %s --check-prefix=FORM
// FORM: 'insert-passes' with 'cse': expected <extension point>:<pipeline>, such as after-fusion:func.func(cse)
// RUN: not coil-compile %s --from=input --insert-passes=after-fusion: 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: 'insert-passes' with 'after-fusion:': expected <extension point>:<pipeline>

// Points that a compilation does not pass.
// RUN: not coil-compile %s --from=input --to=loop --insert-passes=after-memory-planning:cse 2>&1 | FileCheck %s --check-prefix=LATE
// LATE: compilation from the stage 'input' to the stage 'loop' has no extension point 'after-memory-planning', which is on the way to the stage 'wrapper'
// RUN: coil-compile %s --from=input --to=loop -o %t.mlir
// RUN: not coil-compile %t.mlir --insert-passes=before-fusion:cse 2>&1 | FileCheck %s --check-prefix=EARLY
// EARLY: compilation from the stage 'loop' to the stage 'native' has no extension point 'before-fusion', which is on the way to the stage 'loop'
// RUN: not coil-opt %s --coil-graph-pipeline=insert-passes=after-fusion:cse 2>&1 | FileCheck %s --check-prefix=NAMED
// NAMED: the pipeline 'coil-graph-pipeline' has no extension point 'after-fusion'
// RUN: not coil-compile %s --from=input --emit=python --insert-passes=before-device-code:cse 2>&1 | FileCheck %s --check-prefix=PYTHON
// PYTHON: has no extension point 'before-device-code'
// C++ has the code of kernels, and a host program of its own.
// RUN: coil-compile %s --from=input --emit=cpp --insert-passes=before-device-code:cse -o %t.cpp
// RUN: not coil-compile %s --from=input --emit=cpp --insert-passes=after-host-code:cse -o %t.cpp 2>&1 | FileCheck %s --check-prefix=CPP
// CPP: has no extension point 'after-host-code'

func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = graph.exp %x : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
