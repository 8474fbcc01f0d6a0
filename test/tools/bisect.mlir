// The first pass that is wrong, in which way ever, and the application of a pattern that made it wrong.

// RUN: coil-bisect %s | FileCheck %s --check-prefix=RIGHT
// RIGHT:      all passes give the right result
// RIGHT-NEXT: so does the compiled program

// RUN: not coil-bisect %s --pipeline='builtin.module(cse,test-coil-break-program{how=patterns},func.func(canonicalize,cse))' --save=%t.bug | FileCheck %s --check-prefix=PATTERN
// PATTERN:      4 passes
// PATTERN-NEXT: pass 2 gives a wrong result: test-coil-break-program{how=patterns}
// PATTERN-NEXT:   output 0: {{.*}} differ
// PATTERN-NEXT: application {{[0-9]+}} of {{[0-9]+}} of its patterns gives a wrong result
// PATTERN-NEXT: {{.*}}SwapSub
// PATTERN-NEXT: on 'graph.sub' at {{.*}}bisect.mlir{{.*}}
// PATTERN:      wrote {{.*}}before.mlir
// PATTERN-NEXT: wrote {{.*}}after.mlir
// RUN: coil-opt %t.bug/before.mlir | FileCheck %s --check-prefix=BEFORE
// BEFORE-NOT: swapped

// RUN: not coil-bisect %s --insert-passes='after-fusion:test-coil-break-program{how=kernels}' | FileCheck %s --check-prefix=KERNELS
// KERNELS:      pass {{[0-9]+}} gives a wrong result: test-coil-break-program{how=kernels}
// KERNELS-NOT:  application

// RUN: not coil-bisect %s --insert-passes='before-scheduling:test-coil-break-program{how=crash}' | FileCheck %s --check-prefix=CRASH
// CRASH:      pass {{[0-9]+}} crashes: test-coil-break-program{how=crash}
// CRASH-NEXT:   signal 11: Segmentation fault

// RUN: not coil-bisect %s --insert-passes='before-scheduling:test-coil-break-program{how=fail}' | FileCheck %s --check-prefix=FAIL
// FAIL:      pass {{[0-9]+}} fails: test-coil-break-program{how=fail}
// FAIL-NEXT: {{.*}}this pass fails on purpose

// RUN: not coil-bisect %s --insert-passes='after-outlining:test-coil-break-program{how=hang}' --time-limit=2 | FileCheck %s --check-prefix=HANG
// HANG: pass {{[0-9]+}} does not end in time: test-coil-break-program{how=hang}

// What is wrong behind the stage 'wrapper' is found by the values of the steps.

// RUN: not coil-bisect %s --insert-passes='before-device-code:test-coil-break-program{how=kernels}' | FileCheck %s --check-prefix=STEP
// STEP:      all passes give the right result
// STEP-NEXT: the compiled program gives a wrong result
// STEP:      the first value that differs is {{[0-9]+}}-after-{{.*}}out0

// RUN: coil-bisect %s --list | FileCheck %s --check-prefix=LIST
// LIST:     1 target-attach{target=cpu}
// LIST:     func.func(loop-fuse{

func.func @main(%x: tensor<8x4xf32>, %y: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = graph.add %x, %y : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = graph.sub %0, %y : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %2 = graph.add %1, %x : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}
