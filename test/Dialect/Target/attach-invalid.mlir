// RUN: not coil-opt %s --target-attach=target=opencl 2>&1 | FileCheck %s --check-prefix=KIND
// KIND: error: unknown target 'opencl', expected 'cpu'

// RUN: not coil-opt %s --target-attach=target=cuda:sm_42 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: error: unknown chip 'sm_42', expected sm_75,

// RUN: not coil-opt %s --target-attach=target=cuda:sm_80@multiprocessor=3 2>&1 | FileCheck %s --check-prefix=FACT
// FACT: error: the target 'cuda:sm_80' does not state a fact 'multiprocessor', but 'multiprocessors', {{.*}}; did you mean 'multiprocessors'?

// RUN: not coil-opt %s --target-attach=target=cuda:sm_80@multiprocessors=many 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: error: the fact 'multiprocessors' of the target 'cuda:sm_80@multiprocessors=many' is 'many', expected a positive number

// Kernels that were scheduled for one chip may be illegal on another.
// RUN: not coil-opt %s --target-attach=target=cuda:sm_80 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: the module is compiled for #target.device<"cuda:sm_90a">, not for #target.device<"cuda:sm_80">
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"cuda" = #target.device<"cuda:sm_90a">>} {}
