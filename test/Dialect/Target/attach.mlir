// RUN: coil-opt %s --split-input-file --target-attach=target=cuda:sm_86@multiprocessors=82@l2_bytes=1048576 | FileCheck %s
// RUN: coil-opt %s --split-input-file --target-attach=target=cpu:x86-64-v3 | FileCheck %s --check-prefix=HOST

// CHECK: module attributes {dlti.target_system_spec = #dlti.target_system_spec<"cuda" = #target.device<"cuda:sm_86", multiprocessors = 82, l2_bytes = 1048576>>}
// HOST:  module attributes {dlti.target_system_spec = #dlti.target_system_spec<"cpu" = #target.device<"cpu:x86-64-v3">>}
module {}

// -----

// What the module says of the chip stays; the program's target comes first.
// CHECK: #dlti.target_system_spec<"cuda" = #target.device<"cuda:sm_86", multiprocessors = 3>, "cpu" = #target.device<"cpu:x86-64-v3">>
// HOST:  #dlti.target_system_spec<"cpu" = #target.device<"cpu:x86-64-v3">, "cuda" = #target.device<"cuda:sm_86", multiprocessors = 3>>
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"cpu" = #target.device<"cpu:x86-64-v3">, "cuda" = #target.device<"cuda:sm_86", multiprocessors = 3>>} {}
