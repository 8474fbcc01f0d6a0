// RUN: coil-opt %s --test-coil-expr-lowering | FileCheck %s
// RUN: coil-opt %s --test-coil-expr-lowering --canonicalize | FileCheck %s --check-prefix=FOLD

// Scalars meet before vectors do.
// CHECK-LABEL: @scalars_stay_scalar
// CHECK-SAME: (%[[A:.+]]: i64, %[[V:.+]]: vector<4xi64>, %[[B:.+]]: i64)
// CHECK: %[[S:.+]] = arith.addi %[[A]], %[[B]] : i64
// CHECK: %[[W:.+]] = vector.broadcast %[[S]] : i64 to vector<4xi64>
// CHECK: arith.addi %[[W]], %[[V]] : vector<4xi64>
func.func @scalars_stay_scalar(%a: i64, %v: vector<4xi64>, %b: i64) -> i64
    attributes {expr = #sym.expr<d0 + d1 + d2>} {
  return %a : i64
}

// CHECK-LABEL: @powers_of_two
// CHECK-DAG: arith.shrsi
// CHECK-DAG: arith.andi
// CHECK-NOT: arith.divsi
func.func @powers_of_two(%a: vector<4xi64>) -> i64
    attributes {expr = #sym.expr<d0 floordiv 8 + d0 mod 4>} {
  %0 = arith.constant 0 : i64
  return %0 : i64
}

// What cannot be negative needs no correction, and what is positive no guard.
// CHECK-LABEL: @facts
// CHECK-NOT: arith.maxsi
// CHECK-NOT: arith.cmpi
// CHECK: arith.divui
func.func @facts() -> i64 attributes {facts, s0 = 100, s1 = 7,
    sym.symbols = {s0 = #sym.range<0, 200>, s1 = #sym.range<1, 9>}, expr = #sym.expr<s0 floordiv s1>} {
  %0 = arith.constant 0 : i64
  return %0 : i64
}

// FOLD-LABEL: @floordiv_of_negative
// FOLD: arith.constant -3 : i64
func.func @floordiv_of_negative() -> i64 attributes {s0 = -7, s1 = 3, expr = #sym.expr<s0 floordiv s1>} {
  %0 = arith.constant 0 : i64
  return %0 : i64
}

// FOLD-LABEL: @mod_of_negative
// FOLD: arith.constant 2 : i64
func.func @mod_of_negative() -> i64 attributes {s0 = -7, s1 = 3, expr = #sym.expr<s0 mod s1>} {
  %0 = arith.constant 0 : i64
  return %0 : i64
}

// A divisor of zero counts as one.
// FOLD-LABEL: @zero_divisor
// FOLD: arith.constant 7 : i64
func.func @zero_divisor() -> i64 attributes {s0 = 7, s1 = 0, expr = #sym.expr<s0 floordiv s1>} {
  %0 = arith.constant 0 : i64
  return %0 : i64
}

// 3 * (-5) - 4 + min(2, -5) - max(2, -5) == -26
// FOLD-LABEL: @sum_of_products
// FOLD: arith.constant -26 : i64
func.func @sum_of_products() -> i64
    attributes {s0 = -5, s1 = 2, expr = #sym.expr<s0 * 3 - s1 * 2 + min(s0, s1) - max(s1, s0)>} {
  %0 = arith.constant 0 : i64
  return %0 : i64
}

// FOLD-LABEL: @only_negated_terms
// FOLD: arith.constant 8 : i64
func.func @only_negated_terms() -> i64 attributes {s0 = -5, s1 = 2, expr = #sym.expr<5 - s0 - s1>} {
  %0 = arith.constant 0 : i64
  return %0 : i64
}
