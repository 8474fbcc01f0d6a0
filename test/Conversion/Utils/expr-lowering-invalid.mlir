// What the lowering computes with are signless integers.
// RUN: coil-opt %s --test-coil-expr-lowering --verify-diagnostics

// expected-error@+1 {{expected signless integers but got 'ui64'}}
func.func @unsigned(%a: ui64, %v: vector<4xi64>) -> i64 attributes {expr = #sym.expr<d0 + d1>} {
  %0 = arith.constant 0 : i64
  return %0 : i64
}
