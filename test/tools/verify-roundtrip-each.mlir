// What passes leave is written and read again after each of them, as text and as bytecode.

// RUN: coil-opt %s --verify-roundtrip-each --coil-cpu-pipeline -o %t
// RUN: coil-compile %s --verify-roundtrip-each --to=native -o /dev/null
// RUN: coil-compile %s --verify-roundtrip-each --to=native --target=cuda:sm_90a -o /dev/null

// The first pass that leaves what is not so is named, and nothing is written.
// RUN: rm -f %t.out
// RUN: not coil-opt %s --verify-roundtrip-each --pass-pipeline='builtin.module(func.func(cse,test-coil-break-program{how=unreadable}),canonicalize)' -o %t.out 2>&1 | FileCheck %s --check-prefix=UNREADABLE
// RUN: not ls %t.out
// UNREADABLE:     verify-roundtrip-each.mlir:[[#]]:1: error: after the pass 'test-coil-break-program' the text of this operation cannot be read
// UNREADABLE:     note: {{.*}}: #"nobodys"<"text"> : 'none' attribute created with unregistered dialect
// UNREADABLE-NOT: error:

// RUN: not coil-opt %S/Inputs/loop.mlir --verify-roundtrip-each --pass-pipeline='builtin.module(func.func(test-coil-break-program{how=unprinted}),canonicalize)' -o %t.out 2>&1 | FileCheck %s --check-prefix=UNPRINTED
// RUN: not ls %t.out
// UNPRINTED: error: after the pass 'test-coil-break-program' the text of this operation is another one when it is read
// UNPRINTED: - {{.*}}"scf.yield"() {unprinted} : () -> ()
// UNPRINTED: + {{.*}}"scf.yield"() : () -> ()

// RUN: not coil-compile %s --verify-roundtrip-each -o %t.coilpkg 2>&1 | FileCheck %s --check-prefix=PACKAGE
// RUN: not coil-compile %s --verify-each -o %t.coilpkg 2>&1 | FileCheck %s --check-prefix=PACKAGE
// PACKAGE: '--verify-{{(roundtrip-)?}}each' has no meaning for a package

func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %two = arith.constant dense<2.0> : tensor<8xf32>
  %0 = graph.mul %x, %two : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

