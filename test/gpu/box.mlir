// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp
// RUN: coil-compile %s --target=cuda:sm_90a --library=none --to=wrapper | FileCheck %s

// Operands in three orders, extents that no box divides, a masked load, and a
// result in an order of its own.
// CHECK: strategy = box
func.func @main(%x: tensor<11x29x31x31xf16>, %y: tensor<31x31x29x11xf16>, %z: tensor<29x11x31x31xf16>) -> (tensor<11x29x31x31xf16>, tensor<31x11x31x29xf16>) {
  %0 = graph.permute %y [3, 2, 1, 0] : (tensor<31x31x29x11xf16>) -> tensor<11x29x31x31xf16>
  %1 = graph.permute %z [1, 0, 3, 2] : (tensor<29x11x31x31xf16>) -> tensor<11x29x31x31xf16>
  %2 = graph.add %x, %0 : (tensor<11x29x31x31xf16>, tensor<11x29x31x31xf16>) -> tensor<11x29x31x31xf16>
  %3 = graph.mul %2, %1 : (tensor<11x29x31x31xf16>, tensor<11x29x31x31xf16>) -> tensor<11x29x31x31xf16>
  %4 = graph.permute %2 [2, 0, 3, 1] : (tensor<11x29x31x31xf16>) -> tensor<31x11x31x29xf16>
  return %3, %4 : tensor<11x29x31x31xf16>, tensor<31x11x31x29xf16>
}
