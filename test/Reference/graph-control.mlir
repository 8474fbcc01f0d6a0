// RUN: coil-interpret %s | FileCheck %s
// RUN: coil-opt %s --coil-loop-pipeline | coil-interpret | FileCheck %s

// One region runs: the other one would fail.
// CHECK-LABEL: @branch
// CHECK-NEXT: [2, 4] : 2xf32
func.func @branch() -> tensor<2xf32> attributes {sym.symbols = {u0 = #sym.range<4, 5>}} {
  %n = graph.constant dense<0> : tensor<i64>
  %p = graph.constant dense<true> : tensor<i1>
  %x = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = graph.if %p : tensor<i1> -> (tensor<2xf32>) {
    %1 = graph.add %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    graph.yield %1 : tensor<2xf32>
  } else {
    graph.item "u0" = %n : tensor<i64>
    graph.yield %x : tensor<2xf32>
  }
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: @defines
// CHECK-NEXT: [2] : 1xf32
// CHECK-NEXT: 1 : i64
func.func @defines() -> (tensor<?xf32, #sym.shape<[u0]>>, tensor<i64>) attributes {sym.symbols = {u0 = #sym.range<1, 8>}} {
  %p = graph.constant dense<false> : tensor<i1>
  %x = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = graph.if %p : tensor<i1> defines ["u0"] -> (tensor<?xf32, #sym.shape<[u0]>>) {
    graph.yield %x : tensor<2xf32> symbols [2]
  } else {
    %1 = graph.slice %x starts <[1]> steps [1] : (tensor<2xf32>) -> tensor<1xf32>
    graph.yield %1 : tensor<1xf32> symbols [1]
  }
  %2 = graph.expr <u0> -> tensor<i64>
  return %0, %2 : tensor<?xf32, #sym.shape<[u0]>>, tensor<i64>
}

// Values of outside are used in each iteration, and behind the loop.
// CHECK-LABEL: @loop
// CHECK-NEXT: 3 : i64
// CHECK-NEXT: [4, 7] : 2xf32
// CHECK-NEXT: [1, 2] : 2xf32
func.func @loop() -> (tensor<i64>, tensor<2xf32>, tensor<2xf32>) {
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %three = graph.constant dense<3> : tensor<i64>
  %x = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %y = graph.constant dense<[1.0, 1.0]> : tensor<2xf32>
  %0:2 = graph.while %zero, %y : tensor<i64>, tensor<2xf32> {
  ^bb0(%j: tensor<i64>, %z: tensor<2xf32>):
    %p = graph.compare lt, %j, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
    graph.condition %p : tensor<i1>
  } do {
  ^bb0(%j: tensor<i64>, %z: tensor<2xf32>):
    %k = graph.add %j, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %a = graph.add %z, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    graph.yield %k, %a : tensor<i64>, tensor<2xf32>
  }
  return %0#0, %0#1, %x : tensor<i64>, tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: @never
// CHECK-NEXT: 5 : i64
func.func @never() -> tensor<i64> {
  %i = graph.constant dense<5> : tensor<i64>
  %p = graph.constant dense<false> : tensor<i1>
  %0 = graph.while %i : tensor<i64> {
  ^bb0(%j: tensor<i64>):
    graph.condition %p : tensor<i1>
  } do {
  ^bb0(%j: tensor<i64>):
    %k = graph.neg %j : (tensor<i64>) -> tensor<i64>
    graph.yield %k : tensor<i64>
  }
  return %0 : tensor<i64>
}

// CHECK-LABEL: @item
// CHECK-NEXT: 6 : i64
func.func @item() -> tensor<i64> attributes {sym.symbols = {u0 = #sym.range<0, 8>}} {
  %n = graph.constant dense<3> : tensor<i64>
  graph.item "u0" = %n : tensor<i64>
  %0 = graph.expr <u0 * 2> -> tensor<i64>
  return %0 : tensor<i64>
}
