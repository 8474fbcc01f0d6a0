// F46: what a caller passes is shown once, in front of the steps, also by the entry that takes arrays.
// RUN: rm -rf %t && mkdir %t
// RUN: coil-compile %s --emit=cpp --array-entry --debug-values=print -o %t/model.cpp
// RUN: cat %t/model*.cpp | FileCheck %s
// CHECK:      int32_t model_main(
// CHECK:      coil_rt_debug_value(run, 0, "inputs main - x"
// CHECK-NOT:  "inputs main - x"
// CHECK:      coil_rt_debug_value(run, 0, "before {{.*}} - in0"
// CHECK:      int32_t model_main_arrays(
// CHECK:      coil_rt_debug_value(run, 0, "inputs main_arrays - x", x
// CHECK-NOT:  "inputs main_arrays - x"
// CHECK:      coil_rt_debug_value(run, 0, "after {{.*}} - out0", out0

// Only what the program takes and gives, whatever is between.
// RUN: coil-run %s --input=4xf32=1,2,3,4 --debug-values=print --debug-ends 2>&1 >/dev/null | FileCheck %s --check-prefix=ENDS
// ENDS:      coil: inputs main - x: f32[4]
// ENDS-NEXT: coil:   [1, 2, 3, 4]
// ENDS-NEXT: coil: outputs main - out0: f32[4]
// ENDS-NEXT: coil:   [2.71828, 7.38906, 20.0855, 54.5982]
// ENDS-NOT:  coil:
// RUN: not coil-run %s --input=4xf32=1,2,3,1000 --debug-values=finite --debug-ends 2>&1 | FileCheck %s --check-prefix=FINITE
// FINITE: value 'outputs main - out0' has inf at [3]
// RUN: not coil-run %s --input=4xf32=1,2,3,nan --debug-values=nan --debug-ends 2>&1 | FileCheck %s --check-prefix=NAN
// NAN: value 'inputs main - x' has nan at [3]
// RUN: not coil-run %s --input=4xf32=1,2,3,4 --debug-values=names --debug-ends 2>&1 | FileCheck %s --check-prefix=C3
// C3: 'names' is about steps, not about what a program takes and gives
func.func @main(%x: tensor<4xf32> {coil.name = "x"}) -> tensor<4xf32> {
  %0 = graph.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
