// RUN: coil-opt %s | coil-opt | FileCheck %s
// RUN: coil-opt %s --mlir-print-op-generic | coil-opt | FileCheck %s
// RUN: coil-opt %s --canonicalize --cse | FileCheck %s --check-prefix=CSE

// CHECK-LABEL: @branch
// CHECK:         %[[R:.+]]:2 = graph.if %{{.+}} : tensor<i1> -> (tensor<4xf32>, tensor<i64>) {
// CHECK:           graph.yield %{{.+}}, %{{.+}} : tensor<4xf32>, tensor<i64>
// CHECK:         } else {
// CHECK:           graph.yield
// CHECK:         return %[[R]]#0, %[[R]]#1
func.func @branch(%p: tensor<i1>, %x: tensor<4xf32>, %i: tensor<i64>) -> (tensor<4xf32>, tensor<i64>) {
  %0:2 = graph.if %p : tensor<i1> -> (tensor<4xf32>, tensor<i64>) {
    %1 = graph.sin %x : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %1, %i : tensor<4xf32>, tensor<i64>
  } else {
    %1 = graph.neg %i : (tensor<i64>) -> tensor<i64>
    graph.yield %x, %1 : tensor<4xf32>, tensor<i64>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<i64>
}

// A size that differs by branch.
// CHECK-LABEL: @defines
// CHECK:         graph.if %{{.+}} : tensor<1xi1> defines ["u0"] -> (tensor<?xf32, #sym.shape<[u0]>>) {
// CHECK:           graph.yield %{{.+}} : tensor<2xf32> symbols [2]
// CHECK:           graph.yield %{{.+}} : tensor<?xf32, #sym.shape<[s0]>> symbols [s0]
func.func @defines(%p: tensor<1xi1>, %x: tensor<?xf32, #sym.shape<[s0]>>, %y: tensor<2xf32>) -> tensor<?xf32, #sym.shape<[u0]>> attributes {sym.symbols = {s0 = #sym.range<1, 8>, u0 = #sym.range<1, 8>}} {
  %0 = graph.if %p : tensor<1xi1> defines ["u0"] -> (tensor<?xf32, #sym.shape<[u0]>>) {
    graph.yield %y : tensor<2xf32> symbols [2]
  } else {
    graph.yield %x : tensor<?xf32, #sym.shape<[s0]>> symbols [s0]
  }
  return %0 : tensor<?xf32, #sym.shape<[u0]>>
}

// CHECK-LABEL: @loop
// CHECK:         graph.while %{{.+}}, %{{.+}} : tensor<i64>, tensor<4xf32> {
// CHECK-NEXT:    ^bb0(%[[I:.+]]: tensor<i64>, %[[X:.+]]: tensor<4xf32>):
// CHECK:           graph.condition %{{.+}} : tensor<i1>
// CHECK:         } do {
// CHECK:           graph.yield %{{.+}}, %{{.+}} : tensor<i64>, tensor<4xf32>
func.func @loop(%i: tensor<i64>, %x: tensor<4xf32>, %n: tensor<i64>) -> tensor<4xf32> {
  %0:2 = graph.while %i, %x : tensor<i64>, tensor<4xf32> {
  ^bb0(%j: tensor<i64>, %y: tensor<4xf32>):
    %p = graph.compare lt, %j, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    graph.condition %p : tensor<i1>
  } do {
  ^bb0(%j: tensor<i64>, %y: tensor<4xf32>):
    %k = graph.add %j, %n : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %z = graph.sin %y : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %k, %z : tensor<i64>, tensor<4xf32>
  }
  return %0#1 : tensor<4xf32>
}

// CHECK-LABEL: @item
// CHECK:         graph.item "u0" = %{{.+}} : tensor<i64>
func.func @item(%n: tensor<i64>) -> tensor<i64> attributes {sym.symbols = {u0 = #sym.range<0, 8>}} {
  graph.item "u0" = %n : tensor<i64>
  %0 = graph.expr <u0 * 2> -> tensor<i64>
  return %0 : tensor<i64>
}

// What has no effect and no use goes; what binds a symbol stays.
// CSE-LABEL: @unused
// CSE-NOT:     graph.if
// CSE-NOT:     graph.while
// CSE:         graph.item
// CSE-NEXT:    return
func.func @unused(%p: tensor<i1>, %x: tensor<i64>) attributes {sym.symbols = {u0 = #sym.range<0, 8>}} {
  %0 = graph.if %p : tensor<i1> -> (tensor<i64>) {
    graph.yield %x : tensor<i64>
  } else {
    graph.yield %x : tensor<i64>
  }
  graph.item "u0" = %x : tensor<i64>
  return
}
