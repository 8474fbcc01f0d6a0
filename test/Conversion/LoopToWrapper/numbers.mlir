// RUN: coil-opt %s --convert-loop-to-wrapper --split-input-file | FileCheck %s

// A number that an argument holds is read before sizes and strides are, which
// need not be solvable for it, and are checked.
// CHECK-LABEL: wrapper.func @quotient(
// CHECK-SAME: %[[X:[a-z0-9]+]]: !wrapper.buffer<[s0, s1 floordiv 4], f32
// CHECK-SAME: %[[N:[a-z0-9]+]]: !wrapper.buffer<[], i64
// CHECK-NEXT: wrapper.item "s1" = %[[N]]
// CHECK-NEXT: wrapper.input_symbol "s0" = size 0 of %[[X]]
// CHECK-NEXT: wrapper.assert_layout %[[X]]
// CHECK-NEXT: wrapper.assert_layout %[[N]]
// CHECK-NOT: wrapper.item
!q = tensor<?x?xf32, #sym.shape<[s0, s1 floordiv 4]>>
func.func @quotient(%x: !q, %n: tensor<i64>) -> !q {
  graph.item "s1" = %n : tensor<i64>
  %0 = loop.kernel "negate" [s0, s1 floordiv 4] (%a = %x) : (!q) -> !q {
    %v = loop.load %a[d0, d1] : !q -> f32
    %m = arith.negf %v : f32
    loop.store %m, 0 [d0, d1] : f32
  }
  return %0 : !q
}

// -----

// Nor is it taken from a stride, which says nothing where a size is one.
// CHECK-LABEL: wrapper.func @stride(
// CHECK-NEXT: wrapper.item "s7" = %{{.+}}
// CHECK-NOT: wrapper.input_symbol
// CHECK: wrapper.return
!r = tensor<2x8xf32>
func.func @stride(%x: !r {coil.strides = #sym.shape<[s7, 1]>}, %n: tensor<i64>) -> !r {
  graph.item "s7" = %n : tensor<i64>
  %0 = loop.kernel "negate" [2, 8] (%a = %x) : (!r) -> !r {
    %v = loop.load %a[d0, d1] : !r -> f32
    %m = arith.negf %v : f32
    loop.store %m, 0 [d0, d1] : f32
  }
  return %0 : !r
}
