// Facts that are those of the table are not printed; others are, and stay.

// RUN: coil-opt %s --allow-unregistered-dialect --split-input-file --verify-roundtrip | FileCheck %s

// CHECK: module attributes {dlti.target_system_spec = #dlti.target_system_spec<"cuda" = #target.device<"cuda:sm_90a">>}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"cuda" = #target.device<"cuda:sm_90a", multiprocessors = 132>>} {}

// -----

// A device with fewer multiprocessors than the usual product of its chip.
// CHECK: t.a = #target.device<"cuda:sm_86", multiprocessors = 82>
module attributes {t.a = #target.device<"cuda:sm_86", multiprocessors = 82>} {}

// -----

// Several chips, all that there is code for, and processors.
// CHECK: t.a = #target.device<"cuda:sm_80+sm_90a">, t.b = #target.device<"cuda">, t.c = #target.device<"cpu:x86-64-v3">, t.d = #target.device<"cpu">
module attributes {t.a = #target.device<"cuda:sm_80+sm_90a">, t.b = #target.device<"cuda">, t.c = #target.device<"cpu:x86-64-v3">, t.d = #target.device<"cpu">} {}

// -----

// Code for one chip alone, and for its family.
// CHECK: t.a = #target.device<"cuda:sm_100a">, t.b = #target.device<"cuda:sm_120f">
module attributes {t.a = #target.device<"cuda:sm_100a">, t.b = #target.device<"cuda:sm_120f">} {}
