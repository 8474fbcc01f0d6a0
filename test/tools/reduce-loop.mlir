// RUN: coil-reduce %s --reduce-ops="test=%S/Inputs/has-exp.sh test-arg=%coil_obj/bin/coil-opt" | FileCheck %s

// Scalars in a kernel give way to their operands, whatever their dialect.
// CHECK-LABEL: @kernel
// CHECK:         %[[V:.+]] = loop.load
// CHECK-NEXT:    %[[E:.+]] = math.exp %[[V]]
// CHECK-NEXT:    loop.store %[[E]]
func.func @kernel(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = loop.kernel "softmax" [4, 8] (%a = %x) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
    %v = loop.load %a[d0, d1] : tensor<4x8xf32> -> f32
    %m = loop.reduce max %v over [1] : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d : f32
    %s = loop.reduce sum %e over [1] : f32
    %q = arith.divf %e, %s : f32
    loop.store %q, 0 [d0, d1] : f32
  }
  return %y : tensor<4x8xf32>
}
