// RUN: coil-opt %s --split-input-file --verify-diagnostics | coil-opt --split-input-file | FileCheck %s
// Calls of host functions on tensors.

// CHECK-LABEL: func.func @syntax
func.func @syntax(%x: tensor<4xf32>) -> tensor<?x1xi64, #sym.shape<[u0, 1]>> {
  // CHECK: graph.custom_call "mylib::scale"(%{{.*}}, 2.000000e+00, none, [<1>, none]) names ["x", "f", "b", "l"] : (tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.custom_call "mylib::scale"(%x, 2.0, none, [<1>, none]) names ["x", "f", "b", "l"] : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: graph.custom_call "mylib::add"(%{{.*}}, %{{.*}}) mutates [1] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.custom_call "mylib::add"(%0, %x) mutates [1] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: graph.custom_call "mylib::nonzero"(%{{.*}}) defines ["u0"] : (tensor<4xf32>) -> tensor<?x1xi64, #sym.shape<[u0, 1]>>
  %2 = graph.custom_call "mylib::nonzero"(%1) defines ["u0"] : (tensor<4xf32>) -> tensor<?x1xi64, #sym.shape<[u0, 1]>>
  return %2 : tensor<?x1xi64, #sym.shape<[u0, 1]>>
}

// -----

func.func @custom_call_c1_places(%x: tensor<4xf32>) {
  // (C1)
  // expected-error@+1 {{has 1 operands but 0 placeholders for them}}
  "graph.custom_call"(%x) <{callee = "a::b", arguments = []}> : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @custom_call_c1_names(%x: tensor<4xf32>) {
  // expected-error @below {{'graph.custom_call' op has 2 arguments but 1 names for them}}
  graph.custom_call "a::b"(%x, none) names ["x"] : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @custom_call_c1_integer(%x: tensor<4xf32>) {
  // expected-error @below {{'graph.custom_call' op argument 'd0' mentions a dimension or an indirect index}}
  graph.custom_call "a::b"(%x, <d0>) : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @custom_call_c2_mutates(%x: tensor<4xf32>) {
  // (C2)
  // expected-error@+1 {{'mutates' is not a list of operands in ascending order}}
  %0 = graph.custom_call "a::b"(%x) mutates [1] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @custom_call_c2_without_result(%x: tensor<4xf32>) {
  // (C2)
  // expected-error@+1 {{mutates 1 operands but has 0 results}}
  graph.custom_call "a::b"(%x) mutates [0] : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @custom_call_c2_type(%x: tensor<4xf32>) {
  // (C2)
  // expected-error@+1 {{makes 'tensor<5xf32>' of operand 0, which is 'tensor<4xf32>'}}
  %0 = graph.custom_call "a::b"(%x) mutates [0] : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @custom_call_c3(%x: tensor<4xf32>) {
  // (C3)
  // expected-error@+1 {{defines the symbol 'u0', which is the size of no result}}
  %0 = graph.custom_call "a::b"(%x) defines ["u0"] : (tensor<4xf32>) -> tensor<4xf32>
  return
}
