// LLVM's full pipeline ends for the squarings of an integer power.
// RUN: coil-run %s --opt-level=3 --input=3 --output=- | FileCheck %s

// CHECK: i64=27
func.func @main(%x: tensor<i64>) -> tensor<i64> {
  %0 = graph.pow %x, %x : (tensor<i64>, tensor<i64>) -> tensor<i64>
  return %0 : tensor<i64>
}
