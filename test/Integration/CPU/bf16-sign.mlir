// RUN: coil-run %s '--input=2xbf16=1 -3' '--input=2xbf16=2 -4' --output=- | FileCheck %s

// The sign of a computed bf16: LLVM 22 folds it to zero when it sees the type.
// CHECK: 2xbool=[1 0]
func.func @main(%x: tensor<2xbf16>, %y: tensor<2xbf16>) -> tensor<2xi1> {
  %d = graph.sub %x, %y : (tensor<2xbf16>, tensor<2xbf16>) -> tensor<2xbf16>
  %s = graph.signbit %d : (tensor<2xbf16>) -> tensor<2xi1>
  return %s : tensor<2xi1>
}
