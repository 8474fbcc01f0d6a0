// RUN: coil-opt %s --convert-loop-to-wrapper --wrapper-plan-memory --wrapper-verify-memory | FileCheck %s
// RUN: coil-run %s --function=counts --symbol=s0=5 --random-inputs --reference=interp
// RUN: coil-run %s --function=counts --symbol=s0=0 --random-inputs --reference=interp

// A loop that carries a number from a constant in constant steps, up to an expression of symbols, is counted by the
// host: it launches nothing and reads nothing to know whether to go on.

// CHECK-LABEL: wrapper.func @counts(
// CHECK:         wrapper.while {{.*}} symbols ["iteration0"] from [0]
// CHECK-NEXT:    ^bb0(
// CHECK-NEXT:      %[[P:.+]] = wrapper.compare <iteration0> lt <(s0 + 1) floordiv 2>
// CHECK-NEXT:      wrapper.condition %[[P]]
// CHECK:           wrapper.yield {{.*}} symbols [iteration0 + 1]
func.func @counts(%x: tensor<?xf32, #sym.shape<[s0]>>) -> (tensor<i64>, tensor<?xf32, #sym.shape<[s0]>>)
    attributes {sym.symbols = {s0 = #sym.range<0, 100, hint = 7>}} {
  %i = loop.kernel "full" [] () : () -> tensor<i64> {
    %c = arith.constant 3 : i64
    loop.store %c, 0[] : i64
  }
  %0:2 = graph.while %i, %x : tensor<i64>, tensor<?xf32, #sym.shape<[s0]>> {
  ^bb0(%j: tensor<i64>, %y: tensor<?xf32, #sym.shape<[s0]>>):
    %p = loop.kernel "compare" [] (%in = %j) : (tensor<i64>) -> tensor<i1> {
      %n = loop.index <s0 + 2>
      %v = loop.load %in[] : tensor<i64> -> i64
      %r = arith.cmpi sge, %n, %v : i64
      loop.store %r, 0[] : i1
    }
    graph.condition %p : tensor<i1>
  } do {
  ^bb0(%j: tensor<i64>, %y: tensor<?xf32, #sym.shape<[s0]>>):
    %k = loop.kernel "add" [] (%in = %j) : (tensor<i64>) -> tensor<i64> {
      %v = loop.load %in[] : tensor<i64> -> i64
      %c = arith.constant 2 : i64
      %r = arith.addi %c, %v : i64
      loop.store %r, 0[] : i64
    }
    %z = loop.kernel "sin" [s0] (%in = %y) : (tensor<?xf32, #sym.shape<[s0]>>) -> tensor<?xf32, #sym.shape<[s0]>> {
      %v = loop.load %in[d0] : tensor<?xf32, #sym.shape<[s0]>> -> f32
      %r = math.sin %v : f32
      loop.store %r, 0[d0] : f32
    }
    graph.yield %k, %z : tensor<i64>, tensor<?xf32, #sym.shape<[s0]>>
  }
  return %0#0, %0#1 : tensor<i64>, tensor<?xf32, #sym.shape<[s0]>>
}

// A bound that is data, a start that is data, and a step that is.
// CHECK-LABEL: wrapper.func @reads(
// CHECK-COUNT-2: wrapper.while
// CHECK-NOT:   symbols [
// CHECK:       return
func.func @reads(%n: tensor<i64>) -> (tensor<i64>, tensor<i64>) {
  %i = loop.kernel "full" [] () : () -> tensor<i64> {
    %c = arith.constant 0 : i64
    loop.store %c, 0[] : i64
  }
  %0 = graph.while %i : tensor<i64> {
  ^bb0(%j: tensor<i64>):
    %p = loop.kernel "compare" [] (%in = %j, %m = %n) : (tensor<i64>, tensor<i64>) -> tensor<i1> {
      %v = loop.load %in[] : tensor<i64> -> i64
      %w = loop.load %m[] : tensor<i64> -> i64
      %r = arith.cmpi slt, %v, %w : i64
      loop.store %r, 0[] : i1
    }
    graph.condition %p : tensor<i1>
  } do {
  ^bb0(%j: tensor<i64>):
    %k = loop.kernel "add" [] (%in = %j) : (tensor<i64>) -> tensor<i64> {
      %v = loop.load %in[] : tensor<i64> -> i64
      %c = arith.constant 1 : i64
      %r = arith.addi %v, %c : i64
      loop.store %r, 0[] : i64
    }
    graph.yield %k : tensor<i64>
  }
  %1 = graph.while %n : tensor<i64> {
  ^bb0(%j: tensor<i64>):
    %p = loop.kernel "compare" [] (%in = %j) : (tensor<i64>) -> tensor<i1> {
      %v = loop.load %in[] : tensor<i64> -> i64
      %c = arith.constant 9 : i64
      %r = arith.cmpi slt, %v, %c : i64
      loop.store %r, 0[] : i1
    }
    graph.condition %p : tensor<i1>
  } do {
  ^bb0(%j: tensor<i64>):
    %k = loop.kernel "add" [] (%in = %j) : (tensor<i64>) -> tensor<i64> {
      %v = loop.load %in[] : tensor<i64> -> i64
      %r = arith.addi %v, %v : i64
      loop.store %r, 0[] : i64
    }
    graph.yield %k : tensor<i64>
  }
  return %0, %1 : tensor<i64>, tensor<i64>
}
