// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp
// RUN: coil-compile %s --target=cuda:sm_90a --library=none --to=wrapper | FileCheck %s

// A stack along the last dimension reads each operand at addresses that do not
// vary along it, under masks that do: what is staged in shared memory for all of
// its points is what memory has, and each point chooses.
// CHECK: strategy = box, vector_dim = 3
func.func @main(%x: tensor<40x188x4x17xbf16>) -> tensor<17x4x40x188x2xbf16> {
  %0 = graph.permute %x [3, 2, 0, 1] : (tensor<40x188x4x17xbf16>) -> tensor<17x4x40x188xbf16>
  %1 = graph.neg %0 : (tensor<17x4x40x188xbf16>) -> tensor<17x4x40x188xbf16>
  %2 = graph.reshape %0 : (tensor<17x4x40x188xbf16>) -> tensor<17x4x40x188x1xbf16>
  %3 = graph.reshape %1 : (tensor<17x4x40x188xbf16>) -> tensor<17x4x40x188x1xbf16>
  %4 = graph.cat %2, %3 dim 4 : (tensor<17x4x40x188x1xbf16>, tensor<17x4x40x188x1xbf16>) -> tensor<17x4x40x188x2xbf16>
  return %4 : tensor<17x4x40x188x2xbf16>
}
