// RUN: coil-opt %s --graph-legalize-aten | FileCheck %s

// The state is an argument of the function; each operator begins where the one
// before ended, and the attribute says how far all of them go.
// CHECK-LABEL: @state
// CHECK-SAME:    %[[S:.+]]: tensor<2xi64> {coil.name = "random_state", graph.random_state = #sym.expr<12>}
// CHECK:         graph.random_bits %[[S]] skip <0> vector <1> blocks 1056 : tensor<2xi64> -> tensor<4xui32>
// CHECK:         graph.random_bits %[[S]] skip <1> vector <1> blocks 1056 : tensor<2xi64> -> tensor<1000000xui32>
func.func @state() -> (tensor<4xf32>, tensor<1000000xbf16>, tensor<8xi64>) {
  %0 = graph.aten "aten.rand.default"() [] {size = array<i64: 4>} : () -> tensor<4xf32>
  %1 = graph.aten "aten.rand.default"() [] {size = array<i64: 1000000>} : () -> tensor<1000000xbf16>
  // CHECK: graph.random_bits %[[S]] skip <2>
  // CHECK: graph.remainder
  %2 = graph.aten "aten.randint.low"() [] {low = 2 : i64, high = 9 : i64, size = array<i64: 8>} : () -> tensor<8xi64>
  return %0, %1, %2 : tensor<4xf32>, tensor<1000000xbf16>, tensor<8xi64>
}

// How many neighbours a thread takes depends on the number of elements.
// CHECK-LABEL: @dropout
// CHECK:         graph.random_bits %{{.+}} skip <0> vector <4>
// CHECK:         graph.compare lt
// CHECK:         graph.random_bits %{{.+}} skip <1> vector <2>
// CHECK:         graph.random_bits %{{.+}} skip <2> vector <1>
// CHECK:         graph.random_bits %{{.+}} skip <3> vector <8>
// CHECK:         graph.random_bits %{{.+}} skip <4> vector <2>
func.func @dropout(%x: tensor<4x2xf32>, %y: tensor<6xbf16>, %z: tensor<7xf64>, %v: tensor<16xbf16>, %w: tensor<16xf64>) -> (tensor<4x2xf32>, tensor<4x2xi1>, tensor<6xbf16>, tensor<7xf64>, tensor<16xbf16>, tensor<16xf64>) {
  %0:2 = graph.aten "aten.native_dropout.default"(%x) ["input"] {p = 0.25 : f64, train = true} : (tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xi1>)
  %1 = graph.aten "aten.dropout.default"(%y) ["input"] {p = 0.5 : f64, train = true} : (tensor<6xbf16>) -> tensor<6xbf16>
  %2 = graph.aten "aten.dropout.default"(%z) ["input"] {p = 0.5 : f64, train = true} : (tensor<7xf64>) -> tensor<7xf64>
  %3 = graph.aten "aten.dropout.default"(%v) ["input"] {p = 0.5 : f64, train = true} : (tensor<16xbf16>) -> tensor<16xbf16>
  %4 = graph.aten "aten.dropout.default"(%w) ["input"] {p = 0.5 : f64, train = true} : (tensor<16xf64>) -> tensor<16xf64>
  return %0#0, %0#1, %1, %2, %3, %4 : tensor<4x2xf32>, tensor<4x2xi1>, tensor<6xbf16>, tensor<7xf64>, tensor<16xbf16>, tensor<16xf64>
}

// A dynamic number of elements makes expressions.
// CHECK-LABEL: @dynamic
// CHECK-SAME:    graph.random_state = #sym.expr<{{.*}}s0{{.*}}>
// CHECK:         graph.random_bits %{{.+}} skip <0> vector <{{.*}}s0 mod 4{{.*}}> blocks 1056
func.func @dynamic(%x: tensor<?xf32, #sym.shape<[s0]>>) -> tensor<?xf32, #sym.shape<[s0]>> attributes {sym.symbols = {s0 = #sym.range<1, 100000000>}} {
  %0 = graph.aten "aten.dropout.default"(%x) ["input"] {p = 0.5 : f64, train = true} : (tensor<?xf32, #sym.shape<[s0]>>) -> tensor<?xf32, #sym.shape<[s0]>>
  return %0 : tensor<?xf32, #sym.shape<[s0]>>
}

// Nothing is drawn when nothing or everything is dropped.
// CHECK-LABEL: @certain
// CHECK-NOT:     random
// CHECK:         return
func.func @certain(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi1>) {
  %0 = graph.aten "aten.dropout.default"(%x) ["input"] {p = 0.0 : f64, train = true} : (tensor<4xf32>) -> tensor<4xf32>
  %1:2 = graph.aten "aten.native_dropout.default"(%x) ["input"] {p = 1.0 : f64, train = true} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi1>)
  return %0, %1#0, %1#1 : tensor<4xf32>, tensor<4xf32>, tensor<4xi1>
}

// CHECK-LABEL: @refused
// CHECK:         graph.reason = "its probability is not between 0 and 1"
// CHECK:         graph.reason = "its elements are not floats"
// CHECK:         graph.reason = "its operand has no features: fewer than two dimensions"
func.func @refused(%x: tensor<4xf32>, %i: tensor<4xi64>) -> (tensor<4xf32>, tensor<4xi64>, tensor<4xf32>) {
  %0 = graph.aten "aten.dropout.default"(%x) ["input"] {p = 1.5 : f64, train = true} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.aten "aten.dropout.default"(%i) ["input"] {p = 0.5 : f64, train = true} : (tensor<4xi64>) -> tensor<4xi64>
  %2 = graph.aten "aten.feature_dropout.default"(%x) ["input"] {p = 0.5 : f64, train = true} : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xi64>, tensor<4xf32>
}

// Whole features are dropped together, in the order of PyTorch's own operators.
// CHECK-LABEL: @features
// CHECK:         graph.random_bits %{{.+}} skip <0> vector <1> blocks 1056 : tensor<2xi64> -> tensor<2x3x1x1xui32>
// CHECK:         graph.random uniform, %{{.+}} skip <1> blocks 1056 : tensor<2xi64> -> tensor<2x3xf64>
// CHECK-NOT:     graph.random
func.func @features(%x: tensor<2x3x4x4xf32>, %y: tensor<2x3xf64>) -> (tensor<2x3x4x4xf32>, tensor<2x3xf64>, tensor<2x3xf64>) {
  %0 = graph.aten "aten.feature_dropout.default"(%x) ["input"] {p = 0.25 : f64, train = true} : (tensor<2x3x4x4xf32>) -> tensor<2x3x4x4xf32>
  %1 = graph.aten "aten.alpha_dropout.default"(%y) ["input"] {p = 0.25 : f64, train = true} : (tensor<2x3xf64>) -> tensor<2x3xf64>
  %2 = graph.aten "aten.feature_alpha_dropout.default"(%y) ["input"] {p = 0.25 : f64, train = false} : (tensor<2x3xf64>) -> tensor<2x3xf64>
  return %0, %1, %2 : tensor<2x3x4x4xf32>, tensor<2x3xf64>, tensor<2x3xf64>
}

// In a branch the state is handed over, and in the other one as it was: the function says where it
// ends.
// CHECK-LABEL: @conditional(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[P:[a-z0-9]+]]: tensor<i1>, %[[S:[a-z0-9]+]]: tensor<2xi64> {coil.name = "random_state", graph.random_state = #sym.expr<0>})
// CHECK-SAME:    -> (tensor<4xf32>, tensor<2xi64> {coil.name = "random_state", graph.random_state})
// CHECK:         graph.random_bits %[[S]] skip <0>
// CHECK:         %[[MOVED:.*]] = graph.add %[[S]], %{{.*}} : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
// CHECK:         %[[R:.*]]:2 = graph.if %[[P]]
// CHECK:           graph.random_bits %[[MOVED]] skip <0>
// CHECK:           graph.random_bits %[[MOVED]] skip <1>
// CHECK:           %[[INNER:.*]] = graph.add %[[MOVED]]
// CHECK:           graph.yield %{{.*}}, %[[INNER]]
// CHECK:         } else {
// CHECK:           graph.yield %{{.*}}, %[[MOVED]]
// CHECK:         graph.random_bits %[[R]]#1 skip <0>
// CHECK:         %[[END:.*]] = graph.add %[[R]]#1
// CHECK:         return %{{.*}}, %[[END]]
func.func @conditional(%x: tensor<4xf32>, %p: tensor<i1>) -> tensor<4xf32> {
  %a = graph.aten "aten.dropout.default"(%x) ["input"] {p = 0.5 : f64, train = true} : (tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.if %p : tensor<i1> -> (tensor<4xf32>) {
    %1 = graph.aten "aten.dropout.default"(%a) ["input"] {p = 0.5 : f64, train = true} : (tensor<4xf32>) -> tensor<4xf32>
    %2 = graph.aten "aten.dropout.default"(%1) ["input"] {p = 0.5 : f64, train = true} : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %2 : tensor<4xf32>
  } else {
    graph.yield %a : tensor<4xf32>
  }
  %3 = graph.aten "aten.dropout.default"(%0) ["input"] {p = 0.5 : f64, train = true} : (tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// A loop carries it; in its condition nothing is drawn.
// CHECK-LABEL: @loop(
// CHECK-SAME:    %[[S:[a-z0-9]+]]: tensor<2xi64> {coil.name = "random_state"
// CHECK:         %{{.*}}:3 = graph.while %{{.*}}, %{{.*}}, %[[S]] : tensor<i64>, tensor<4xf32>, tensor<2xi64>
// CHECK:         ^bb0(%{{.*}}: tensor<i64>, %{{.*}}: tensor<4xf32>, %{{.*}}: tensor<2xi64>):
// CHECK:           graph.reason = "random numbers are not drawn in the condition of a loop"
// CHECK:         ^bb0(%{{.*}}: tensor<i64>, %{{.*}}: tensor<4xf32>, %[[T:.*]]: tensor<2xi64>):
// CHECK:           graph.random_bits %[[T]] skip <0>
// CHECK:           %[[U:.*]] = graph.add %[[T]]
// CHECK:           graph.yield %{{.*}}, %{{.*}}, %[[U]]
func.func @loop(%x: tensor<4xf32>, %n: tensor<i64>) -> tensor<4xf32> {
  %0:2 = graph.while %n, %x : tensor<i64>, tensor<4xf32> {
  ^bb0(%j: tensor<i64>, %y: tensor<4xf32>):
    %z = graph.aten "aten.dropout.default"(%y) ["input"] {p = 0.5 : f64, train = true} : (tensor<4xf32>) -> tensor<4xf32>
    %s = graph.reduce sum, %z dims [0] : (tensor<4xf32>) -> tensor<f32>
    %p = graph.compare lt, %s, %s : (tensor<f32>, tensor<f32>) -> tensor<i1>
    graph.condition %p : tensor<i1>
  } do {
  ^bb0(%j: tensor<i64>, %y: tensor<4xf32>):
    %z = graph.aten "aten.dropout.default"(%y) ["input"] {p = 0.5 : f64, train = true} : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %j, %z : tensor<i64>, tensor<4xf32>
  }
  return %0#1 : tensor<4xf32>
}
