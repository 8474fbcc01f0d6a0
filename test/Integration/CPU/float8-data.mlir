// RUN: coil-run %s '--input=3xf8E4M3FN=7 8 9' --reference=interp --output=- --output=- --output=- | FileCheck %s

// Literals, moved and selected.
// CHECK: 3xf8E4M3FN=[1 8 -0.5]
// CHECK: 2x3xf8E4M3FN={{\[\[}}1 2 -0.5][7 8 9]]
// CHECK: 3xf8E5M2=[1.5 1.5 1.5]
func.func @main(%x: tensor<3xf8E4M3FN>) -> (tensor<3xf8E4M3FN>, tensor<2x3xf8E4M3FN>, tensor<3xf8E5M2>) {
  %0 = graph.constant dense<[1.0, 2.0, -0.5]> : tensor<3xf8E4M3FN>
  %c = graph.constant dense<[true, false, true]> : tensor<3xi1>
  %1 = graph.select %c, %0, %x : (tensor<3xi1>, tensor<3xf8E4M3FN>, tensor<3xf8E4M3FN>) -> tensor<3xf8E4M3FN>
  %a = graph.reshape %0 : (tensor<3xf8E4M3FN>) -> tensor<1x3xf8E4M3FN>
  %b = graph.reshape %x : (tensor<3xf8E4M3FN>) -> tensor<1x3xf8E4M3FN>
  %2 = graph.cat %a, %b dim 0 : (tensor<1x3xf8E4M3FN>, tensor<1x3xf8E4M3FN>) -> tensor<2x3xf8E4M3FN>
  %3 = graph.full 1.5 : f8E5M2 -> tensor<3xf8E5M2>
  return %1, %2, %3 : tensor<3xf8E4M3FN>, tensor<2x3xf8E4M3FN>, tensor<3xf8E5M2>
}
