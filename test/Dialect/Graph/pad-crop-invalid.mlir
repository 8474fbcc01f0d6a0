// RUN: coil-opt %s --split-input-file --verify-diagnostics

// Tensors have no negative sizes, so no result type says what such a pad gives.

func.func @pad_c2_crop(%x: tensor<5x2xf32>) {
  // expected-error@+1 {{'graph.pad' op crops 3 of 2 elements of dimension 1}}
  %y = graph.pad %x low [0, -4] high [0, 1] value 0.0 : f32 : (tensor<5x2xf32>) -> tensor<5x2xf32>
  return
}
