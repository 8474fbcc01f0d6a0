// F64: COIL_LOGS and COIL_DEBUG say what a compilation shows, without a flag; in any program that compiles.

// RUN: env COIL_LOGS=stages,pipelines,provenance coil-run %s --random-inputs --output= 2>&1 | FileCheck %s
// CHECK: // Stage 'loop':
// CHECK-NEXT: builtin.module(
// CHECK: coil: stage 'loop': {{[0-9.]+}} ms
// CHECK: coil: stage 'wrapper': {{[0-9.]+}} ms
// CHECK-NEXT: coil: step tanh_0:0: {{.*}}F64-environment.mlir:{{[0-9]+}}
// CHECK-NOT: {{^}}module

// RUN: env COIL_LOGS=ir coil-compile %s --to=loop -o /dev/null 2>&1 | FileCheck %s --check-prefix=IR
// IR: // Stage 'loop':
// IR: loop.kernel "tanh"

// RUN: env COIL_LOGS=stages,nothing coil-compile %s --to=loop -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: warning: COIL_LOGS has no 'nothing': expected stages, pipelines, ir, provenance or all, separated by commas
// UNKNOWN: coil: stage 'loop'

// Each program has a folder of its own; one that cannot be made is a warning.
// RUN: rm -rf %t.debug && env COIL_DEBUG=%t.debug coil-run %s --random-inputs --output=
// RUN: ls %t.debug/*/index.html | FileCheck %s --check-prefix=DEBUG
// DEBUG: F64-environment-{{[0-9]+}}-0/index.html
// RUN: touch %t.file && env COIL_DEBUG=%t.file coil-run %s --random-inputs --output= 2>&1 | FileCheck %s --check-prefix=FULL
// FULL: warning: a report is incomplete

func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %y = graph.tanh %x : (tensor<64xf32>) -> tensor<64xf32>
  return %y : tensor<64xf32>
}
