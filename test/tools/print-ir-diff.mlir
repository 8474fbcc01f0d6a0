// What each pass has changed, as lines; numbers of values that move alone are no difference.

// RUN: coil-opt %s --print-ir-diff --pass-pipeline='builtin.module(func.func(cse,convert-graph-to-loop,loop-fold-views))' -o /dev/null 2>&1 | FileCheck %s --strict-whitespace

// CHECK:      // cse on 'func.func' @main
// CHECK-NEXT: @@ -1 +1 @@
// CHECK-NEXT: {{^ func.func @main}}
// CHECK-NEXT: {{^   %0 = graph.exp}}
// CHECK-NEXT: {{^-  %1 = graph.exp}}
// CHECK-NEXT: {{^   %1 = graph.neg}}
// CHECK-NEXT: {{^   return %0, %1}}
// CHECK-NEXT: {{^ }$}}
// CHECK-NEXT: // convert-graph-to-loop on 'func.func' @main
// CHECK:      {{^-  %0 = graph.exp}}
// CHECK:      {{^\+  %0 = loop.kernel}}
// CHECK-NOT:  loop-fold-views
func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = graph.exp %x : (tensor<8xf32>) -> tensor<8xf32>
  %1 = graph.exp %x : (tensor<8xf32>) -> tensor<8xf32>
  %2 = graph.neg %1 : (tensor<8xf32>) -> tensor<8xf32>
  return %0, %2 : tensor<8xf32>, tensor<8xf32>
}
