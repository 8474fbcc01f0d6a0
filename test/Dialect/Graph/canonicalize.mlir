// RUN: coil-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: @reshape_of_reshape
// CHECK-NEXT:    graph.reshape %{{.*}} : (tensor<4x6xf32>) -> tensor<24xf32>
// CHECK-NEXT:    return
func.func @reshape_of_reshape(%x: tensor<4x6xf32>) -> tensor<24xf32> {
  %0 = graph.reshape %x : (tensor<4x6xf32>) -> tensor<2x12xf32>
  %1 = graph.reshape %0 : (tensor<2x12xf32>) -> tensor<24xf32>
  return %1 : tensor<24xf32>
}

// CHECK-LABEL: @reshape_and_back
// CHECK-SAME:    %[[X:.+]]: tensor<?x6xf32
// CHECK-NEXT:    return %[[X]]
func.func @reshape_and_back(%x: tensor<?x6xf32, #sym.shape<[s0, 6]>>) -> tensor<?x6xf32, #sym.shape<[s0, 6]>> {
  %0 = graph.reshape %x : (tensor<?x6xf32, #sym.shape<[s0, 6]>>) -> tensor<?xf32, #sym.shape<[s0 * 6]>>
  %1 = graph.reshape %0 : (tensor<?xf32, #sym.shape<[s0 * 6]>>) -> tensor<?x6xf32, #sym.shape<[s0, 6]>>
  return %1 : tensor<?x6xf32, #sym.shape<[s0, 6]>>
}

// CHECK-LABEL: @permute_of_permute
// CHECK-NEXT:    graph.permute %{{.*}} [2, 1, 0]
// CHECK-NEXT:    return
func.func @permute_of_permute(%x: tensor<2x3x4xf32>) -> tensor<4x3x2xf32> {
  %0 = graph.permute %x [1, 2, 0] : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  %1 = graph.permute %0 [1, 0, 2] : (tensor<3x4x2xf32>) -> tensor<4x3x2xf32>
  return %1 : tensor<4x3x2xf32>
}

// CHECK-LABEL: @transpose_twice
// CHECK-SAME:    %[[X:.+]]: tensor<2x3xf32>
// CHECK-NEXT:    return %[[X]]
func.func @transpose_twice(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.permute %x [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = graph.permute %0 [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}

// A permutation that moves only dimensions of size one moves no element.
// CHECK-LABEL: @permute_of_unit_dimensions
// CHECK-NEXT:    graph.reshape %{{.*}} : (tensor<1x3x4xf32>) -> tensor<3x1x4xf32>
func.func @permute_of_unit_dimensions(%x: tensor<1x3x4xf32>) -> tensor<3x1x4xf32> {
  %0 = graph.permute %x [1, 0, 2] : (tensor<1x3x4xf32>) -> tensor<3x1x4xf32>
  return %0 : tensor<3x1x4xf32>
}

// CHECK-LABEL: @permute_that_moves_stays
// CHECK-NEXT:    graph.permute
func.func @permute_that_moves_stays(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0 = graph.permute %x [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// CHECK-LABEL: @slice_of_slice
// CHECK-NEXT:    graph.slice %{{.*}} starts <[s0 + 7]> steps [6] : (tensor<100xf32>) -> tensor<3xf32>
// CHECK-NEXT:    return
func.func @slice_of_slice(%x: tensor<100xf32>) -> tensor<3xf32> {
  %0 = graph.slice %x starts <[s0 + 1]> steps [3] : (tensor<100xf32>) -> tensor<20xf32>
  %1 = graph.slice %0 starts <[2]> steps [2] : (tensor<20xf32>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}

// CHECK-LABEL: @flip_twice
// CHECK-SAME:    %[[X:.+]]: tensor<9xf32>
// CHECK-NEXT:    return %[[X]]
func.func @flip_twice(%x: tensor<9xf32>) -> tensor<9xf32> {
  %0 = graph.slice %x starts <[8]> steps [-1] : (tensor<9xf32>) -> tensor<9xf32>
  %1 = graph.slice %0 starts <[8]> steps [-1] : (tensor<9xf32>) -> tensor<9xf32>
  return %1 : tensor<9xf32>
}

// CHECK-LABEL: @broadcast_of_broadcast
// CHECK-NEXT:    graph.broadcast %{{.*}} : (tensor<4xf32>) -> tensor<2x3x4xf32>
// CHECK-NEXT:    return
func.func @broadcast_of_broadcast(%x: tensor<4xf32>) -> tensor<2x3x4xf32> {
  %0 = graph.broadcast %x : (tensor<4xf32>) -> tensor<3x4xf32>
  %1 = graph.broadcast %0 : (tensor<3x4xf32>) -> tensor<2x3x4xf32>
  return %1 : tensor<2x3x4xf32>
}

// Elementwise operators broadcast their operands.
// CHECK-LABEL: @elementwise_absorbs_broadcast
// CHECK-SAME:    %[[X:.+]]: tensor<4xf32>, %[[Y:.+]]: tensor<3x4xf32>
// CHECK-NEXT:    graph.add %[[X]], %[[Y]] : (tensor<4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
func.func @elementwise_absorbs_broadcast(%x: tensor<4xf32>, %y: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %0 = graph.broadcast %x : (tensor<4xf32>) -> tensor<3x4xf32>
  %1 = graph.add %0, %y : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %1 : tensor<3x4xf32>
}

// CHECK-LABEL: @views_of_full
// CHECK-NEXT:    graph.full 1.000000e+00 : f32 -> tensor<2x3xf32>
// CHECK-NEXT:    return
func.func @views_of_full() -> tensor<2x3xf32> {
  %0 = graph.full 1.0 : f32 -> tensor<12xf32>
  %1 = graph.reshape %0 : (tensor<12xf32>) -> tensor<3x4xf32>
  %2 = graph.permute %1 [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
  %3 = graph.slice %2 starts <[1, 0]> steps [1, 1] : (tensor<4x3xf32>) -> tensor<2x3xf32>
  return %3 : tensor<2x3xf32>
}

// CHECK-LABEL: @splat_constant
// CHECK-NEXT:    graph.full 2.500000e-01 : f32 -> tensor<4x4xf32>
func.func @splat_constant() -> tensor<4x4xf32> {
  %0 = graph.constant dense<0.25> : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// CHECK-LABEL: @convert_of_full
// CHECK-NEXT:    graph.full -3 : i8 -> tensor<4xi8>
func.func @convert_of_full() -> tensor<4xi8> {
  %0 = graph.full -3.75 : f32 -> tensor<4xf32>
  %1 = graph.convert %0 : (tensor<4xf32>) -> tensor<4xi8>
  return %1 : tensor<4xi8>
}

// CHECK-LABEL: @convert_of_full_out_of_range_stays
// CHECK:         graph.convert
func.func @convert_of_full_out_of_range_stays() -> tensor<4xi8> {
  %0 = graph.full 300.0 : f32 -> tensor<4xf32>
  %1 = graph.convert %0 : (tensor<4xf32>) -> tensor<4xi8>
  return %1 : tensor<4xi8>
}

// CHECK-LABEL: @widen_and_narrow
// CHECK-SAME:    %[[X:.+]]: tensor<4xbf16>
// CHECK-NEXT:    return %[[X]]
func.func @widen_and_narrow(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  %0 = graph.convert %x : (tensor<4xbf16>) -> tensor<4xf32>
  %1 = graph.convert %0 : (tensor<4xf32>) -> tensor<4xbf16>
  return %1 : tensor<4xbf16>
}

// Rounding to bf16 is an effect.
// CHECK-LABEL: @narrow_and_widen_stays
// CHECK-COUNT-2: graph.convert
func.func @narrow_and_widen_stays(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.convert %x : (tensor<4xf32>) -> tensor<4xbf16>
  %1 = graph.convert %0 : (tensor<4xbf16>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: @signed_to_unsigned_to_wide_stays
// CHECK-COUNT-2: graph.convert
func.func @signed_to_unsigned_to_wide_stays(%x: tensor<4xi8>) -> tensor<4xi32> {
  %0 = graph.convert %x : (tensor<4xi8>) -> tensor<4xui8>
  %1 = graph.convert %0 : (tensor<4xui8>) -> tensor<4xi32>
  return %1 : tensor<4xi32>
}

// CHECK-LABEL: @cat_of_cat
// CHECK-SAME:    %[[X:.+]]: tensor<2xf32>
// CHECK-NEXT:    graph.cat %[[X]], %[[X]], %[[X]] dim 0
// CHECK-NEXT:    return
func.func @cat_of_cat(%x: tensor<2xf32>) -> tensor<6xf32> {
  %0 = graph.cat %x, %x dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %1 = graph.cat %0, %x dim 0 : (tensor<4xf32>, tensor<2xf32>) -> tensor<6xf32>
  return %1 : tensor<6xf32>
}

// -----

// Slices that follow one another are one; together they are the whole.
// CHECK-LABEL: @cat_of_slices
// CHECK-SAME:    %[[X:.+]]: tensor<?x6xf32, #sym.shape<[s0, 6]>>
// CHECK-NEXT:    %[[S:.+]] = graph.slice %[[X]] starts <[0, 1]> steps [1, 2]
// CHECK-SAME:      -> tensor<?x3xf32, #sym.shape<[s0, 3]>>
// CHECK-NEXT:    return %[[X]], %[[S]]
func.func @cat_of_slices(%x: tensor<?x6xf32, #sym.shape<[s0, 6]>>)
    -> (tensor<?x6xf32, #sym.shape<[s0, 6]>>, tensor<?x3xf32, #sym.shape<[s0, 3]>>)
    attributes {sym.symbols = {s0 = #sym.range<1, 64>}} {
  %0 = graph.slice %x starts <[0, 0]> steps [1, 1]
      : (tensor<?x6xf32, #sym.shape<[s0, 6]>>) -> tensor<?x2xf32, #sym.shape<[s0, 2]>>
  %1 = graph.slice %x starts <[0, 2]> steps [1, 1]
      : (tensor<?x6xf32, #sym.shape<[s0, 6]>>) -> tensor<?x4xf32, #sym.shape<[s0, 4]>>
  %2 = graph.cat %0, %1 dim 1
      : (tensor<?x2xf32, #sym.shape<[s0, 2]>>, tensor<?x4xf32, #sym.shape<[s0, 4]>>) -> tensor<?x6xf32, #sym.shape<[s0, 6]>>
  %3 = graph.slice %x starts <[0, 1]> steps [1, 2]
      : (tensor<?x6xf32, #sym.shape<[s0, 6]>>) -> tensor<?x2xf32, #sym.shape<[s0, 2]>>
  %4 = graph.slice %x starts <[0, 5]> steps [1, 2]
      : (tensor<?x6xf32, #sym.shape<[s0, 6]>>) -> tensor<?x1xf32, #sym.shape<[s0, 1]>>
  %5 = graph.cat %3, %4 dim 1
      : (tensor<?x2xf32, #sym.shape<[s0, 2]>>, tensor<?x1xf32, #sym.shape<[s0, 1]>>) -> tensor<?x3xf32, #sym.shape<[s0, 3]>>
  return %2, %5 : tensor<?x6xf32, #sym.shape<[s0, 6]>>, tensor<?x3xf32, #sym.shape<[s0, 3]>>
}

// Slices in another order, of other tensors, or with a gap stay.
// CHECK-LABEL: @cat_of_other_slices
// CHECK-COUNT-4: graph.slice
// CHECK:         graph.cat %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} dim 0
func.func @cat_of_other_slices(%x: tensor<6xf32>, %y: tensor<6xf32>) -> tensor<8xf32> {
  %0 = graph.slice %x starts <[2]> steps [1] : (tensor<6xf32>) -> tensor<2xf32>
  %1 = graph.slice %x starts <[0]> steps [1] : (tensor<6xf32>) -> tensor<2xf32>
  %2 = graph.slice %y starts <[2]> steps [1] : (tensor<6xf32>) -> tensor<2xf32>
  %3 = graph.slice %x starts <[4]> steps [1] : (tensor<6xf32>) -> tensor<2xf32>
  %4 = graph.cat %0, %1, %2, %3 dim 0 : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<8xf32>
  return %4 : tensor<8xf32>
}

// -----

// An elementwise operator moves in front of a reshape, scalars come along.
// CHECK-LABEL: @sink_reshape
// CHECK:       %[[E:.+]] = graph.erf %arg0 : (tensor<6x4xf32>) -> tensor<6x4xf32>
// CHECK:       %[[M:.+]] = graph.mul %arg0, %[[E]] : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
// CHECK:       %[[S:.+]] = graph.mul %[[M]], %arg1 : (tensor<6x4xf32>, tensor<f32>) -> tensor<6x4xf32>
// CHECK:       graph.reshape %[[S]] : (tensor<6x4xf32>) -> tensor<2x3x4xf32>
func.func @sink_reshape(%x: tensor<6x4xf32>, %s: tensor<f32>) -> tensor<2x3x4xf32> {
  %r = graph.reshape %x : (tensor<6x4xf32>) -> tensor<2x3x4xf32>
  %e = graph.erf %r : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %m = graph.mul %r, %e : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %y = graph.mul %m, %s : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// -----

// A broadcast row has no place in the other shape.
// CHECK-LABEL: @keep_reshape_of_row
// CHECK:       graph.reshape %arg0
// CHECK-NEXT:  graph.add
func.func @keep_reshape_of_row(%x: tensor<6x4xf32>, %b: tensor<4xf32>) -> tensor<2x3x4xf32> {
  %r = graph.reshape %x : (tensor<6x4xf32>) -> tensor<2x3x4xf32>
  %y = graph.add %r, %b : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// -----

// Nothing is reduced along dimensions of size one.
// CHECK-LABEL: @reduce_units
// CHECK-NOT:   graph.reduce
// CHECK:       %[[R:.+]] = graph.reshape %arg0 : (tensor<4x1x6xf32>) -> tensor<4x6xf32>
// CHECK:       return %arg0, %[[R]]
func.func @reduce_units(%x: tensor<4x1x6xf32>) -> (tensor<4x1x6xf32>, tensor<4x6xf32>) {
  %k = graph.reduce sum, %x dims [1] keepdims : (tensor<4x1x6xf32>) -> tensor<4x1x6xf32>
  %d = graph.reduce max, %x dims [1] : (tensor<4x1x6xf32>) -> tensor<4x6xf32>
  return %k, %d : tensor<4x1x6xf32>, tensor<4x6xf32>
}

// -----

// The sum of everything is that of what the views are of, whatever they do to the order; that of columns is not.
// CHECK-LABEL: @reduce_view
// CHECK:       %[[P:.+]] = graph.permute %arg0
// CHECK:       %[[C:.+]] = graph.convert %arg0 : (tensor<4x6xbf16>) -> tensor<4x6xf32>
// CHECK:       %[[S:.+]] = graph.reduce sum, %[[C]] dims [0, 1] : (tensor<4x6xf32>) -> tensor<f32>
// CHECK:       graph.reshape %[[S]] : (tensor<f32>) -> tensor<1x1xf32>
// CHECK:       graph.reduce sum, %[[P]] dims [0] : (tensor<6x4xbf16>) -> tensor<4xbf16>
func.func @reduce_view(%x: tensor<4x6xbf16>) -> (tensor<1x1xf32>, tensor<4xbf16>) {
  %p = graph.permute %x [1, 0] : (tensor<4x6xbf16>) -> tensor<6x4xbf16>
  %c = graph.convert %p : (tensor<6x4xbf16>) -> tensor<6x4xf32>
  %s = graph.reduce sum, %c dims [0, 1] keepdims : (tensor<6x4xf32>) -> tensor<1x1xf32>
  %k = graph.reduce sum, %p dims [0] : (tensor<6x4xbf16>) -> tensor<4xbf16>
  return %s, %k : tensor<1x1xf32>, tensor<4xbf16>
}

// -----

// A matrix multiplication without a sum, rounded once.
// CHECK-LABEL: func @outer_product
// CHECK-SAME: %[[A:.*]]: tensor<2x3x1xbf16>, %[[B:.*]]: tensor<1x1x4xbf16>, %[[C:.*]]: tensor<4xbf16>
func.func @outer_product(%a: tensor<2x3x1xbf16>, %b: tensor<1x1x4xbf16>, %c: tensor<4xbf16>) -> tensor<2x3x4xbf16> {
  // CHECK-DAG: %[[X:.*]] = graph.convert %[[A]] : (tensor<2x3x1xbf16>) -> tensor<2x3x1xf32>
  // CHECK-DAG: %[[Y:.*]] = graph.convert %[[B]] : (tensor<1x1x4xbf16>) -> tensor<1x1x4xf32>
  // CHECK: %[[P:.*]] = graph.mul %[[X]], %[[Y]] : (tensor<2x3x1xf32>, tensor<1x1x4xf32>) -> tensor<2x3x4xf32>
  // CHECK: %[[Z:.*]] = graph.convert %[[C]] : (tensor<4xbf16>) -> tensor<4xf32>
  // CHECK: %[[S:.*]] = graph.add %[[P]], %[[Z]]
  // CHECK: graph.convert %[[S]] : (tensor<2x3x4xf32>) -> tensor<2x3x4xbf16>
  %0 = graph.matmul %a, %b bias %c : (tensor<2x3x1xbf16>, tensor<1x1x4xbf16>, tensor<4xbf16>) -> tensor<2x3x4xbf16>
  return %0 : tensor<2x3x4xbf16>
}

// -----

// Operands of a concatenation without elements go.
// CHECK-LABEL: func @empty_operands
// CHECK-SAME: %[[A:.*]]: tensor<0x3xf32>, %[[B:.*]]: tensor<2x3xf32>
func.func @empty_operands(%a: tensor<0x3xf32>, %b: tensor<2x3xf32>) -> (tensor<4x3xf32>, tensor<0x3xf32>) {
  // CHECK: %[[CAT:.*]] = graph.cat %[[B]], %[[B]] dim 0
  // CHECK: return %[[CAT]], %[[A]]
  %0 = graph.cat %a, %b, %a, %b dim 0 : (tensor<0x3xf32>, tensor<2x3xf32>, tensor<0x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %1 = graph.cat %a, %a dim 0 : (tensor<0x3xf32>, tensor<0x3xf32>) -> tensor<0x3xf32>
  return %0, %1 : tensor<4x3xf32>, tensor<0x3xf32>
}
