// RUN: coil-opt %s --split-input-file --convert-loop-to-wrapper --verify-diagnostics | FileCheck %s

// A wait stands where its tensor was waited for.
// CHECK-LABEL: wrapper.func @waits
// CHECK: %[[Y:.*]] = wrapper.alloc
// CHECK: %[[T:.*]] = wrapper.collective all_reduce prod %arg0 to %[[Y]] group "0"
// CHECK: wrapper.collective broadcast
// CHECK: wrapper.wait %[[T]] of %arg0 to %[[Y]]
func.func @waits(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = graph.custom_call "_c10d_functional::all_reduce"(%x, "product", "0") names ["input", "reduce_op", "group_name"] : (tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.custom_call "_c10d_functional::broadcast"(%x, <1>, "0") : (tensor<4xf32>) -> tensor<4xf32>
  %2 = graph.custom_call "_c10d_functional::wait_tensor"(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = graph.custom_call "_c10d_functional::wait_tensor"(%1) : (tensor<4xf32>) -> tensor<4xf32>
  return %2, %3 : tensor<4xf32>, tensor<4xf32>
}

// -----

// What nothing waits for is waited for at once.
// CHECK-LABEL: wrapper.func @at_once
// CHECK: %[[T:.*]] = wrapper.collective all_gather
// CHECK-NEXT: wrapper.wait %[[T]]
func.func @at_once(%x: tensor<4xf32>) -> tensor<8xf32> {
  %0 = graph.custom_call "_c10d_functional::all_gather_into_tensor"(%x, <2>, "0") : (tensor<4xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @reduce(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{the collective 'all_reduce' combines elements in a way that is not supported}}
  %0 = graph.custom_call "_c10d_functional::all_reduce"(%x, "bor", "0") : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @group(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{the collective 'all_reduce' names no group}}
  %0 = graph.custom_call "_c10d_functional::all_reduce"(%x, "sum") : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @root(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{a broadcast needs a rank that is a constant}}
  %0 = graph.custom_call "_c10d_functional::broadcast"(%x, none, "0") : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @unknown(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{the collective 'isend' is not supported}}
  %0 = graph.custom_call "_c10d_functional::isend"(%x, "0") : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @two(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // expected-error@+1 {{the collective 'all_reduce' is not one of a tensor that gives another one}}
  %0:2 = graph.custom_call "_c10d_functional::all_reduce"(%x, "sum", "0") : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

func.func @splits(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{expected splits of both sides, or of none}}
  %0 = graph.custom_call "_c10d_functional::all_to_all_single"(%x, [<4>], none, "0") : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
