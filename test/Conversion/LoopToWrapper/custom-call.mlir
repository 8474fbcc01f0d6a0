// RUN: coil-opt %s --coil-loop-pipeline --convert-loop-to-wrapper | FileCheck %s
// RUN: coil-opt %s --coil-loop-pipeline --convert-loop-to-wrapper --wrapper-plan-memory --wrapper-verify-memory | FileCheck %s --check-prefix=PLAN
// RUN: coil-opt %s --coil-loop-pipeline --convert-loop-to-wrapper --remarks-filter=convert-loop-to-wrapper 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// Kernels around a call are merged among themselves; the call stays between them.

// REMARK: calls the function 'mylib::scale', which has to be registered for 'cpu' where the program is loaded

// CHECK-LABEL: wrapper.func @between
// CHECK: %[[A:.*]] = wrapper.alloc
// CHECK: wrapper.launch @relu_exp_0[] {{.*}} outs(%[[A]] :
// CHECK: %[[B:.*]] = wrapper.alloc
// CHECK: wrapper.extern_call_out "mylib::scale"(%[[A]], 2.000000e+00, none) outs(%[[B]] : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>) names ["x", "f", "b"]
// CHECK: wrapper.launch @sin_neg_{{.*}} ins(%[[B]] :
func.func @between(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.exp %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = graph.custom_call "mylib::scale"(%1, 2.0, none) names ["x", "f", "b"] : (tensor<4xf32>) -> tensor<4xf32>
  %3 = graph.sin %2 : (tensor<4xf32>) -> tensor<4xf32>
  %4 = graph.neg %3 : (tensor<4xf32>) -> tensor<4xf32>
  return %4 : tensor<4xf32>
}

// A tensor that is changed is a copy, which planning leaves out where the old one
// dies.
// CHECK-LABEL: wrapper.func @changed
// CHECK: wrapper.launch @exp_{{.*}} outs(%[[A:.*]] :
// CHECK: %[[B:.*]] = wrapper.alloc
// CHECK: wrapper.copy %[[A]] to %[[B]]
// CHECK: wrapper.extern_call_out "mylib::add"(%{{.*}}, %[[B]]) mutates [1]
// PLAN-LABEL: wrapper.func @changed
// PLAN: %[[A:.*]] = wrapper.alloc
// PLAN: wrapper.launch @exp_{{.*}} outs(%[[A]] :
// PLAN: %[[B:.*]] = wrapper.reuse %[[A]]
// PLAN: wrapper.copy %[[B]] to %[[B]]
// PLAN: wrapper.extern_call_out "mylib::add"(%{{.*}}, %[[B]]) mutates [1]
// PLAN-NOT: wrapper.alloc
func.func @changed(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.custom_call "mylib::add"(%x, %0) mutates [1] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// Functions get elements row by row.
// CHECK-LABEL: wrapper.func @dense
// PLAN-LABEL: wrapper.func @dense
// CHECK: wrapper.launch @copy_{{.*}} outs(%[[C:.*]] : !wrapper.buffer<[3, 2], f32
// CHECK: wrapper.extern_call_out "mylib::scale"(%[[C]], 2.000000e+00)
func.func @dense(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0 = graph.permute %x [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = graph.custom_call "mylib::scale"(%0, 2.0) : (tensor<3x2xf32>) -> tensor<3x2xf32>
  return %1 : tensor<3x2xf32>
}

// Sizes that only the function knows.
// CHECK-LABEL: wrapper.func @sizes
// CHECK: %[[R:.*]] = wrapper.extern_call "mylib::pairs"(%{{.*}}) : ({{.*}}) -> !wrapper.buffer<[u0 * 2], f32
// CHECK: wrapper.bind_symbol "u0" = [#wrapper.key<size, 0>, #wrapper.key<divide_by, 2>] of %[[R]]
// CHECK: wrapper.assert_layout %[[R]], "result 0 of mylib::pairs"
// CHECK: wrapper.launch @exp_{{.*}}[u0] ins(%[[R]] :
func.func @sizes(%x: tensor<4xf32>) -> tensor<?xf32, #sym.shape<[u0 * 2]>> attributes {sym.symbols = {u0 = #sym.range<0, 8>}} {
  %0 = graph.custom_call "mylib::pairs"(%x) defines ["u0"] : (tensor<4xf32>) -> tensor<?xf32, #sym.shape<[u0 * 2]>>
  %1 = graph.exp %0 : (tensor<?xf32, #sym.shape<[u0 * 2]>>) -> tensor<?xf32, #sym.shape<[u0 * 2]>>
  return %1 : tensor<?xf32, #sym.shape<[u0 * 2]>>
}
