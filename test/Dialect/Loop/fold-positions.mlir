// RUN: coil-opt %s --loop-fold-positions --split-input-file | FileCheck %s

// Windows: the index is a sum of positions.
// CHECK-LABEL: @unfold
// CHECK:       loop.load %{{.+}}[d0 * 2 + d1] : tensor<64xf32>
// CHECK-NOT:   arith
func.func @unfold(%x: tensor<64xf32>) -> tensor<31x4xf32> {
  %0 = loop.kernel "k" [31, 4] (%a = %x) : (tensor<64xf32>) -> tensor<31x4xf32> {
    %i = loop.index <d0>
    %two = arith.constant 2 : i64
    %m = arith.muli %i, %two : i64
    %j = loop.index <d1>
    %at = arith.addi %m, %j : i64
    %v = loop.load %a[t0](%at) bounds wrap_check : tensor<64xf32> -> f32
    loop.store %v, 0 [d0, d1] : f32
  }
  return %0 : tensor<31x4xf32>
}

// -----

// A circle: the remainder that has the sign of the divisor.
// CHECK-LABEL: @circular
// CHECK:       loop.load %{{.+}}[(d0 + 5) mod 8] : tensor<8xf32>
// CHECK-NOT:   arith
func.func @circular(%x: tensor<8xf32>) -> tensor<14xf32> {
  %0 = loop.kernel "k" [14] (%a = %x) : (tensor<8xf32>) -> tensor<14xf32> {
    %i = loop.index <d0>
    %three = arith.constant 3 : i64
    %eight = arith.constant 8 : i64
    %zero = arith.constant 0 : i64
    %at = arith.subi %i, %three : i64
    %r = arith.remsi %at, %eight : i64
    %ne = arith.cmpi ne, %r, %zero : i64
    %lt = arith.cmpi slt, %r, %zero : i64
    %neg = arith.cmpi slt, %eight, %zero : i64
    %x1 = arith.xori %lt, %neg : i1
    %c = arith.andi %ne, %x1 : i1
    %s = arith.addi %r, %eight : i64
    %w = arith.select %c, %s, %r : i64
    %v = loop.load %a[t0](%w) bounds wrap_check : tensor<8xf32> -> f32
    loop.store %v, 0 [d0] : f32
  }
  return %0 : tensor<14xf32>
}

// -----

// (C1) An index that may be out of range is tested at run time, unless it is
// in range wherever the mask holds. What is clamped needs no test.
// CHECK-LABEL: @ranges
// CHECK:       loop.load %{{.+}}[t0](%{{.+}}) bounds wrap_check : tensor<8xf32>
// CHECK:       loop.load %{{.+}}[d0 - 6] mask
// CHECK:       loop.load %{{.+}}[min(7, d0)] : tensor<8xf32>
func.func @ranges(%x: tensor<8xf32>) -> (tensor<14xf32>, tensor<14xf32>, tensor<14xf32>) {
  %0:3 = loop.kernel "k" [14] (%a = %x) : (tensor<8xf32>) -> (tensor<14xf32>, tensor<14xf32>, tensor<14xf32>) {
    %i = loop.index <d0>
    %six = arith.constant 6 : i64
    %zero = arith.constant 0.0 : f32
    %at = arith.subi %i, %six : i64
    %in = arith.cmpi sge, %i, %six : i64
    %u = loop.load %a[t0](%at) bounds wrap_check : tensor<8xf32> -> f32
    %v = loop.load %a[t0](%at) bounds wrap_check mask %in else %zero : f32 : tensor<8xf32> -> f32
    %w = loop.load %a[t0](%i) bounds clamp : tensor<8xf32> -> f32
    loop.store %u, 0 [d0] : f32
    loop.store %v, 1 [d0] : f32
    loop.store %w, 2 [d0] : f32
  }
  return %0#0, %0#1, %0#2 : tensor<14xf32>, tensor<14xf32>, tensor<14xf32>
}

// -----

// Of two indices, that which data decides stays.
// CHECK-LABEL: @of_data
// CHECK:       loop.load %{{.+}}[d1, t0](%[[P:.+]]) bounds check : tensor<4x8xf32>
func.func @of_data(%x: tensor<4x8xf32>, %y: tensor<6xi64>) -> tensor<6x4xf32> {
  %0 = loop.kernel "k" [6, 4] (%a = %x, %b = %y) : (tensor<4x8xf32>, tensor<6xi64>) -> tensor<6x4xf32> {
    %i = loop.index <d1>
    %p = loop.load %b[d0] : tensor<6xi64> -> i64
    %v = loop.load %a[t0, t1](%i, %p) bounds check : tensor<4x8xf32> -> f32
    loop.store %v, 0 [d0, d1] : f32
  }
  return %0 : tensor<6x4xf32>
}

// -----

// (C2) Arithmetic that may wrap around is not that of integers.
// CHECK-LABEL: @wraps
// CHECK:       arith.muli
// CHECK:       loop.load %{{.+}}[t0](%{{.+}}) bounds clamp
func.func @wraps(%x: tensor<8xf32>) -> tensor<14xf32> {
  %0 = loop.kernel "k" [14] (%a = %x) : (tensor<8xf32>) -> tensor<14xf32> {
    %i = loop.index <d0>
    %large = arith.constant 4611686018427387904 : i64
    %at = arith.muli %i, %large : i64
    %v = loop.load %a[t0](%at) bounds clamp : tensor<8xf32> -> f32
    loop.store %v, 0 [d0] : f32
  }
  return %0 : tensor<14xf32>
}

// -----

// Conditions that hold at every point are decided, and masks with them.
// CHECK-LABEL: @decided
// CHECK-NOT:   mask
// CHECK-NOT:   arith.select
func.func @decided(%x: tensor<?xf32, #sym.shape<[s0]>>) -> tensor<?xi64, #sym.shape<[s0]>> attributes {sym.symbols = {s0 = #sym.range<1, 100>}} {
  %0 = loop.kernel "k" [s0] (%a = %x) : (tensor<?xf32, #sym.shape<[s0]>>) -> tensor<?xi64, #sym.shape<[s0]>> {
    %i = loop.index <d0>
    %n = loop.index <s0>
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1 : i64
    %in = arith.cmpi slt, %i, %n : i64
    %v = loop.load %a[d0] mask %in else %zero : f32 : tensor<?xf32, #sym.shape<[s0]>> -> f32
    %p = arith.fptosi %v : f32 to i64
    %j = arith.addi %i, %one : i64
    %k = arith.select %in, %j, %i : i64
    %q = arith.addi %p, %k : i64
    loop.store %q, 0 [d0] : i64
  }
  return %0 : tensor<?xi64, #sym.shape<[s0]>>
}

// -----

// A mirror: an absolute value is not negative, as it is the larger of two numbers
// whose mean is zero.
// CHECK-LABEL: @mirror
// CHECK:       loop.load %{{.+}}[{{.*}}max{{.*}}] : tensor<8xf32>
// CHECK-NOT:   bounds
func.func @mirror(%x: tensor<8xf32>) -> tensor<13xf32> {
  %0 = loop.kernel "k" [13] (%a = %x) : (tensor<8xf32>) -> tensor<13xf32> {
    %at = loop.index <-max(max(d0 - 3, -d0 + 3) - 7, -max(d0 - 3, -d0 + 3) + 7) + 7>
    %v = loop.load %a[t0](%at) bounds wrap_check : tensor<8xf32> -> f32
    loop.store %v, 0 [d0] : f32
  }
  return %0 : tensor<13xf32>
}
