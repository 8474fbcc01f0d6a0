// RUN: coil-run %s --random-inputs --reference=interp
// RUN: coil-compile %s --to=loop | FileCheck %s

// Functions that front ends outline are inlined, and nothing is left of them.
// CHECK-NOT: @relu
// CHECK:     func.func @main
// CHECK:       loop.kernel "{{.*}}add+maximum" [4]
// CHECK-NOT: call
func.func private @relu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %z = arith.constant dense<0.0> : tensor<4xf32>
  %0 = arith.maximumf %x, %z : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.addf %x, %y : tensor<4xf32>
  %1 = call @relu(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
