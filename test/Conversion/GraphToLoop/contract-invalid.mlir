// RUN: coil-opt %s --convert-graph-to-loop --split-input-file --verify-diagnostics

// Operations of other dialects are not left for later stages.

func.func @arith_on_tensors(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'arith.addf' op does not belong to the stage 'loop': no lowering to loop kernels is registered for it}}
  %0 = arith.addf %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Each kind once.
func.func @each_kind(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'arith.addf' op does not belong}}
  %0 = arith.addf %x, %x : tensor<4xf32>
  %1 = arith.addf %0, %x : tensor<4xf32>
  // expected-error@+1 {{'math.exp' op does not belong}}
  %2 = math.exp %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
