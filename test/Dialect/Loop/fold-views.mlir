// RUN: coil-opt %s --loop-fold-views | FileCheck %s

// CHECK-LABEL: @transpose
// CHECK-SAME: %[[X:.+]]: tensor<4x6xf32>
func.func @transpose(%x: tensor<4x6xf32>) -> tensor<6x4xf32> {
  // CHECK-NOT: loop.view
  // CHECK: loop.kernel "neg" [6, 4] (%[[A:.+]] = %[[X]])
  %t = loop.view %x[d1, d0] : tensor<4x6xf32> -> tensor<6x4xf32>
  %y = loop.kernel "neg" [6, 4] (%a = %t) : (tensor<6x4xf32>) -> tensor<6x4xf32> {
    // CHECK: loop.load %[[A]][d1, d0] : tensor<4x6xf32> -> f32
    %v = loop.load %a[d0, d1] : tensor<6x4xf32> -> f32
    %n = arith.negf %v : f32
    loop.store %n, 0 [d0, d1] : f32
  }
  return %y : tensor<6x4xf32>
}

// The stride of d0 in an empty tensor is zero. A load at [0, 0, d2] would not
// vary over the empty dimension, and so happen.
// CHECK-LABEL: @load_from_empty_tensor
func.func @load_from_empty_tensor(%x: tensor<2x0x3xf32>) -> tensor<2x3xf32> {
  // CHECK: loop.kernel
  // CHECK-NEXT: %[[ZERO:.+]] = arith.constant 0.000000e+00 : f32
  // CHECK-NEXT: loop.reduce sum %[[ZERO]] over [1] : f32
  %t = loop.view %x[d0 floordiv 3, d1, d0 mod 3] : tensor<2x0x3xf32> -> tensor<6x0xf32>
  %y = loop.kernel "sum" [6, 0] (%a = %t) : (tensor<6x0xf32>) -> tensor<2x3xf32> {
    %v = loop.load %a[d0, d1] : tensor<6x0xf32> -> f32
    %s = loop.reduce sum %v over [1] : f32
    loop.store %s, 0 [d0 floordiv 3, d0 mod 3] : f32
  }
  return %y : tensor<2x3xf32>
}

// An operand of a concatenation may be empty: its mask never holds.
// CHECK-LABEL: @masked_load_from_empty_tensor
func.func @masked_load_from_empty_tensor(%x: tensor<0xf32>) -> tensor<3xf32> {
  // CHECK: %[[ONE:.+]] = arith.constant 1.000000e+00 : f32
  // CHECK: loop.store %[[ONE]], 0[d0] : f32
  %y = loop.kernel "cat" [3] (%a = %x) : (tensor<0xf32>) -> tensor<3xf32> {
    %one = arith.constant 1.0 : f32
    %i = loop.index <d0>
    %zero = arith.constant 0 : i64
    %m = arith.cmpi slt, %i, %zero : i64
    %v = loop.load %a[d0] mask %m else %one : f32 : tensor<0xf32> -> f32
    loop.store %v, 0 [d0] : f32
  }
  return %y : tensor<3xf32>
}

// A scatter's target is no load that could go through the view.
// CHECK-LABEL: @target_stays
// CHECK:       %[[V:.+]] = loop.view
// CHECK:       (%[[A:.+]] = %[[V]])
// CHECK:       loop.scatter %{{.+}} into %[[A]]
func.func @target_stays(%x: tensor<4x6xf32>) -> tensor<6x4xf32> {
  %t = loop.view %x[d1, d0] : tensor<4x6xf32> -> tensor<6x4xf32>
  %0 = loop.kernel "scatter" [4] (%a = %t) : (tensor<6x4xf32>) -> tensor<6x4xf32> {
    %v = arith.constant 1.0 : f32
    loop.scatter %v into %a[0, d0] as 0 over [] : f32, tensor<6x4xf32>
  }
  return %0 : tensor<6x4xf32>
}

// What an index is checked against, and counts from the end of, is the size of
// the view.
// CHECK-LABEL: @indirect_into_part
// CHECK:       %[[V:.+]] = loop.view
// CHECK:       (%[[A:.+]] = %[[V]], %{{.+}} = %{{.+}})
// CHECK:       loop.load %[[A]][d0, t0]
func.func @indirect_into_part(%x: tensor<4x6xf32>, %i: tensor<4xi64>) -> tensor<4xf32> {
  %t = loop.view %x[d0, d1] : tensor<4x6xf32> -> tensor<4x1xf32>
  %0 = loop.kernel "gather" [4] (%a = %t, %b = %i) : (tensor<4x1xf32>, tensor<4xi64>) -> tensor<4xf32> {
    %p = loop.load %b[d0] : tensor<4xi64> -> i64
    %v = loop.load %a[d0, t0](%p) bounds wrap_check : tensor<4x1xf32> -> f32
    loop.store %v, 0 [d0] : f32
  }
  return %0 : tensor<4xf32>
}

// A check does not disappear with its index.
// CHECK-LABEL: @indirect_into_broadcast
// CHECK:       loop.view
// CHECK:       loop.load %{{.+}}[t0](%{{.+}}) bounds check : tensor<4xf32> -> f32
func.func @indirect_into_broadcast(%x: tensor<f32>, %i: tensor<4xi64>) -> tensor<4xf32> {
  %t = loop.view %x[] : tensor<f32> -> tensor<4xf32>
  %0 = loop.kernel "gather" [4] (%a = %t, %b = %i) : (tensor<4xf32>, tensor<4xi64>) -> tensor<4xf32> {
    %p = loop.load %b[d0] : tensor<4xi64> -> i64
    %v = loop.load %a[t0](%p) bounds check : tensor<4xf32> -> f32
    loop.store %v, 0 [d0] : f32
  }
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @indirect_into_transposed
// CHECK-NOT:   loop.view
// CHECK:       loop.load %{{.+}}[d0, t0](%{{.+}}) bounds check : tensor<4x6xf32> -> f32
func.func @indirect_into_transposed(%x: tensor<4x6xf32>, %i: tensor<4xi64>) -> tensor<4xf32> {
  %t = loop.view %x[d1, d0] : tensor<4x6xf32> -> tensor<6x4xf32>
  %0 = loop.kernel "gather" [4] (%a = %t, %b = %i) : (tensor<6x4xf32>, tensor<4xi64>) -> tensor<4xf32> {
    %p = loop.load %b[d0] : tensor<4xi64> -> i64
    %v = loop.load %a[t0, d0](%p) bounds check : tensor<6x4xf32> -> f32
    loop.store %v, 0 [d0] : f32
  }
  return %0 : tensor<4xf32>
}

// A part of what a kernel computes, returned: memory would be a copy of it, which fusion can compute.
// CHECK-LABEL: @returned_part
func.func @returned_part(%x: tensor<8x6xf32>) -> tensor<8x4xf32> {
  // CHECK: %[[N:.+]] = loop.kernel "neg"
  // CHECK: %[[C:.+]] = loop.kernel "copy" [8, 4] (%[[A:.+]] = %[[N]]) : (tensor<8x6xf32>) -> tensor<8x4xf32> {
  // CHECK-NEXT: %[[V:.+]] = loop.load %[[A]][d0, d1 + 1]
  // CHECK-NEXT: loop.store %[[V]], 0[d0, d1]
  // CHECK: return %[[C]]
  %y = loop.kernel "neg" [8, 6] (%a = %x) : (tensor<8x6xf32>) -> tensor<8x6xf32> {
    %v = loop.load %a[d0, d1] : tensor<8x6xf32> -> f32
    %n = arith.negf %v : f32
    loop.store %n, 0 [d0, d1] : f32
  }
  %t = loop.view %y[d0, d1 + 1] : tensor<8x6xf32> -> tensor<8x4xf32>
  return %t : tensor<8x4xf32>
}

// In another order of dimensions, or without the first rows, it is a view of memory.
// CHECK-LABEL: @returned_order
func.func @returned_order(%x: tensor<8x6xf32>) -> (tensor<6x8xf32>, tensor<5x6xf32>) {
  // CHECK: loop.kernel "neg"
  // CHECK-NOT: loop.kernel
  // CHECK: loop.view %{{.+}}[d1, d0]
  // CHECK: loop.view %{{.+}}[d0 + 3, d1]
  %y = loop.kernel "neg" [8, 6] (%a = %x) : (tensor<8x6xf32>) -> tensor<8x6xf32> {
    %v = loop.load %a[d0, d1] : tensor<8x6xf32> -> f32
    %n = arith.negf %v : f32
    loop.store %n, 0 [d0, d1] : f32
  }
  %t = loop.view %y[d1, d0] : tensor<8x6xf32> -> tensor<6x8xf32>
  %u = loop.view %y[d0 + 3, d1] : tensor<8x6xf32> -> tensor<5x6xf32>
  return %t, %u : tensor<6x8xf32>, tensor<5x6xf32>
}
