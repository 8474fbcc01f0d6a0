// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp
// RUN: coil-compile %s --target=cuda:sm_90a --library=none --to=wrapper | FileCheck %s

// Operands in two orders, extents that no box divides, and a result in an order
// of its own.
// CHECK: strategy = box
func.func @main(%x: tensor<11x29x31x31xf16>, %y: tensor<31x31x29x11xf16>) -> (tensor<11x29x31x31xf16>, tensor<31x29x11x31xf16>) {
  %0 = graph.permute %y [3, 2, 1, 0] : (tensor<31x31x29x11xf16>) -> tensor<11x29x31x31xf16>
  %1 = graph.add %x, %0 : (tensor<11x29x31x31xf16>, tensor<11x29x31x31xf16>) -> tensor<11x29x31x31xf16>
  %2 = graph.mul %1, %x : (tensor<11x29x31x31xf16>, tensor<11x29x31x31xf16>) -> tensor<11x29x31x31xf16>
  %3 = graph.permute %1 [2, 1, 0, 3] : (tensor<11x29x31x31xf16>) -> tensor<31x29x11x31xf16>
  return %2, %3 : tensor<11x29x31x31xf16>, tensor<31x29x11x31xf16>
}
