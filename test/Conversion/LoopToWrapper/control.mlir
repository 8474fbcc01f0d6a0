// RUN: coil-opt %s --convert-loop-to-wrapper | FileCheck %s
// RUN: coil-opt %s --convert-loop-to-wrapper --wrapper-plan-memory --wrapper-verify-memory | FileCheck %s --check-prefix=PLAN

// What a branch gives is its own storage: one that it makes is handed over as
// it is, one from outside is copied, as is one that is given twice.
// CHECK-LABEL: wrapper.func @branch
// CHECK:         %[[R:.+]]:2 = wrapper.if %arg0 : {{.*}} -> (
// CHECK:           %[[A:.+]] = wrapper.alloc
// CHECK:           wrapper.launch @exp_0{{.*}} outs(%[[A]]
// CHECK:           %[[B:.+]] = wrapper.alloc
// CHECK:           wrapper.copy %[[A]] to %[[B]]
// CHECK:           wrapper.yield %[[A]], %[[B]]
// CHECK:         } else {
// CHECK:           %[[C:.+]] = wrapper.alloc
// CHECK:           wrapper.copy %arg1 to %[[C]]
// CHECK:           %[[D:.+]] = wrapper.alloc
// CHECK:           wrapper.copy %arg1 to %[[D]]
// CHECK:           wrapper.yield %[[C]], %[[D]]
// CHECK:         wrapper.return %[[R]]#0, %[[R]]#1
func.func @branch(%p: tensor<i1>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:2 = graph.if %p : tensor<i1> -> (tensor<4xf32>, tensor<4xf32>) {
    %1 = loop.kernel "exp" [4] (%in = %x) : (tensor<4xf32>) -> tensor<4xf32> {
      %2 = loop.load %in[d0] : tensor<4xf32> -> f32
      %3 = math.exp %2 : f32
      loop.store %3, 0 [d0] : f32
    }
    graph.yield %1, %1 : tensor<4xf32>, tensor<4xf32>
  } else {
    graph.yield %x, %x : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// A view is no storage of its own.
// CHECK-LABEL: wrapper.func @view
// CHECK:         wrapper.if %arg0 : {{.*}} defines ["u0"] -> (!wrapper.buffer<[u0]
// CHECK:           wrapper.reinterpret %arg1
// CHECK:           wrapper.launch @copy
// CHECK:           wrapper.yield %{{.+}} symbols [2]
// CHECK:           wrapper.yield %{{.+}} symbols [4]
func.func @view(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<?xf32, #sym.shape<[u0]>> attributes {sym.symbols = {u0 = #sym.range<2, 4>}} {
  %0 = graph.if %p : tensor<i1> defines ["u0"] -> (tensor<?xf32, #sym.shape<[u0]>>) {
    %1 = loop.view %x[d0 * 2] : tensor<4xf32> -> tensor<2xf32>
    graph.yield %1 : tensor<2xf32> symbols [2]
  } else {
    graph.yield %x : tensor<4xf32> symbols [4]
  }
  return %0 : tensor<?xf32, #sym.shape<[u0]>>
}

// A loop takes over copies; planning leaves out the one of what nobody needs.
// CHECK-LABEL: wrapper.func @loop
// CHECK:         %[[K:.+]] = wrapper.alloc
// CHECK:         wrapper.launch @exp_0{{.*}} outs(%[[K]]
// CHECK:         %[[I:.+]] = wrapper.alloc
// CHECK:         wrapper.copy %[[K]] to %[[I]]
// CHECK:         wrapper.while %[[I]] :
// CHECK-NEXT:    ^bb0(%[[A:.+]]: !wrapper.buffer
// CHECK-NEXT:      %[[P:.+]] = wrapper.item %arg0
// CHECK-NEXT:      wrapper.condition %[[P]] pass %[[A]]
// CHECK:           wrapper.yield
// PLAN-LABEL:  wrapper.func @loop
// PLAN:          wrapper.alloc
// PLAN:          wrapper.launch @exp_0
// PLAN-NEXT:     %[[R:.+]] = wrapper.reuse
// PLAN-NEXT:     wrapper.copy %[[R]] to %[[R]]
// PLAN-NEXT:     wrapper.while %[[R]] :
// PLAN:            %[[S:.+]] = wrapper.reuse
// PLAN-NEXT:       wrapper.launch @exp_0[] ins(%[[S]] {{.*}} outs(%[[S]]
// PLAN-NEXT:       wrapper.yield %[[S]]
func.func @loop(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = loop.kernel "exp" [4] (%in = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = loop.load %in[d0] : tensor<4xf32> -> f32
    %3 = math.exp %2 : f32
    loop.store %3, 0 [d0] : f32
  }
  %1 = graph.while %0 : tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    graph.condition %p : tensor<i1>
  } do {
  ^bb0(%a: tensor<4xf32>):
    %2 = loop.kernel "exp" [4] (%in = %a) : (tensor<4xf32>) -> tensor<4xf32> {
      %3 = loop.load %in[d0] : tensor<4xf32> -> f32
      %4 = math.exp %3 : f32
      loop.store %4, 0 [d0] : f32
    }
    graph.yield %2 : tensor<4xf32>
  }
  return %1 : tensor<4xf32>
}

// What is carried as it is, or changes places, is handed on.
// CHECK-LABEL: wrapper.func @swap
// CHECK:         wrapper.while
// CHECK:         } do {
// CHECK-NEXT:    ^bb0(%[[A:.+]]: !wrapper{{.+}}, %[[B:.+]]: !wrapper{{.+}}):
// CHECK-NEXT:      wrapper.yield %[[B]], %[[A]]
func.func @swap(%p: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:2 = graph.while %x, %y : tensor<4xf32>, tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    graph.condition %p : tensor<i1>
  } do {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    graph.yield %b, %a : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: wrapper.func @item
// CHECK:         wrapper.item "u0" = %arg0
func.func @item(%n: tensor<i64>) attributes {sym.symbols = {u0 = #sym.range<0, 8>}} {
  graph.item "u0" = %n : tensor<i64>
  return
}
