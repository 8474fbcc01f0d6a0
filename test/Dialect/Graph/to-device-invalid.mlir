// RUN: coil-opt %s --split-input-file --verify-diagnostics

func.func @to_device_c1(%x: tensor<4xf32>) -> tensor<4xf32> {
  // (C1)
  // expected-error @below {{expected a device that is not before the first, but got -1}}
  %0 = graph.to_device %x -1 : tensor<4xf32>
  return %0 : tensor<4xf32>
}
