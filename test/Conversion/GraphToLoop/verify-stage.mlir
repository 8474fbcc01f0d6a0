// RUN: coil-opt %s --graph-verify-stage --split-input-file --verify-diagnostics

// C1: each kind of op is reported once.
func.func @graph_verify_stage_c1(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'arith.addf' op does not belong to the stage 'graph': it is neither an operator nor elementwise, and no lowering to loop kernels is registered for it}}
  %0 = arith.addf %a, %b : tensor<8xf32>
  %1 = arith.addf %0, %b : tensor<8xf32>
  // expected-error@+1 {{'math.sin' op does not belong to the stage 'graph'}}
  %2 = math.sin %1 : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// -----

// What kernels hold, literals and control flow belong.
func.func @belongs(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = graph.exp %a : (tensor<8xf32>) -> tensor<8xf32>
  %1 = loop.kernel "neg" [8] (%x = %0) : (tensor<8xf32>) -> tensor<8xf32> {
    %2 = loop.load %x[d0] : tensor<8xf32> -> f32
    %3 = arith.negf %2 : f32
    loop.store %3, 0[d0] : f32
  }
  return %1 : tensor<8xf32>
}
