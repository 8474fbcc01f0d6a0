// REQUIRES: onednn
// B07: what a library allocates for a step is inside of the budget. A convolution takes the batch in chunks; with less
// memory they are smaller.
// RUN: coil-run %s --random-inputs --reference=interp
// RUN: coil-run %s --random-inputs --reference=interp --memory-budget=1400000 --time 2>&1 | FileCheck %s --check-prefix=LESS
// LESS: peak 1{{[0-3][0-9][0-9][0-9][0-9][0-9]}} bytes
// RUN: coil-compile %s --memory-budget=1400000 --to=wrapper -o - | FileCheck %s
// CHECK: wrapper.extern_call "coil::limit_workspace"(<[[#]]>)
// CHECK-NEXT: wrapper.convolution
// CHECK: wrapper.extern_call "coil::limit_workspace"(<-1>)
// CHECK-NEXT: wrapper.return

// Where it needs more all the same, that is an error at the step.
// RUN: not coil-run %s --random-inputs --memory-budget=1049000 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: the library needs [[#]] bytes of workspace, and the memory budget leaves [[#]], in convolution ({{.*}}memory-budget-workspace.mlir:[[#@LINE+4]])

func.func @main(%x: tensor<16x16x32x32xf32>, %w: tensor<16x16x3x3xf32>) -> tensor<16x16x32x32xf32> {

  %0 = graph.conv %x, %w stride [1, 1] padding [1, 1] dilation [1, 1] groups 1 : (tensor<16x16x32x32xf32>, tensor<16x16x3x3xf32>) -> tensor<16x16x32x32xf32>
  return %0 : tensor<16x16x32x32xf32>
}
