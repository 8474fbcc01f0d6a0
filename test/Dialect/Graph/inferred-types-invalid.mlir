// RUN: coil-opt %s -split-input-file -verify-diagnostics

// A type from which nothing can be inferred.

func.func @no_tensor(%a: f32) {
  // expected-error @+1 {{expected tensors with an expression for each dynamic size, got 'f32'}}
  %0 = graph.abs %a : f32
  return
}

// -----

func.func @no_sizes(%a: tensor<?xf32>) {
  // expected-error @+1 {{expected tensors with an expression for each dynamic size}}
  %0 = graph.add %a, %a : tensor<?xf32>
  return
}

// -----

// Operands of other types need all types.

func.func @other(%a: tensor<4xf32>, %b: tensor<1xf32>) {
  // expected-note @-1 {{prior use here}}
  // expected-error @+1 {{expects different type than prior uses}}
  %0 = graph.add %a, %b : tensor<4xf32>
  return
}
