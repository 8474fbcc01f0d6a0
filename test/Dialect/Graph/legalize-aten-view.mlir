// RUN: coil-opt %s --graph-legalize-aten | FileCheck %s

// CHECK-LABEL: @views
// CHECK:         graph.reshape %{{.*}} -> tensor<?x2x3xf32, #sym.shape<[s0, 2, 3]>>
// CHECK:         graph.permute %{{.*}} [2, 1, 0]
// CHECK:         graph.reshape %{{.*}} -> tensor<?x2x1x3xf32, #sym.shape<[s0, 2, 1, 3]>>
func.func @views(%x: tensor<?x6xf32, #sym.shape<[s0, 6]>>) -> (tensor<3x2x?xf32, #sym.shape<[3, 2, s0]>>, tensor<?x2x1x3xf32, #sym.shape<[s0, 2, 1, 3]>>)
    attributes {sym.symbols = {s0 = #sym.range<2, 64>}} {
  %0 = graph.aten "aten.view.default"(%x) ["self"] {size = #sym.shape<[s0, 2, 3]>} : (tensor<?x6xf32, #sym.shape<[s0, 6]>>) -> tensor<?x2x3xf32, #sym.shape<[s0, 2, 3]>>
  %1 = graph.aten "aten.transpose.int"(%0) ["self"] {dim0 = 0 : i64, dim1 = -1 : i64} : (tensor<?x2x3xf32, #sym.shape<[s0, 2, 3]>>) -> tensor<3x2x?xf32, #sym.shape<[3, 2, s0]>>
  %2 = graph.aten "aten.unsqueeze.default"(%0) ["self"] {dim = 2 : i64} : (tensor<?x2x3xf32, #sym.shape<[s0, 2, 3]>>) -> tensor<?x2x1x3xf32, #sym.shape<[s0, 2, 1, 3]>>
  return %1, %2 : tensor<3x2x?xf32, #sym.shape<[3, 2, s0]>>, tensor<?x2x1x3xf32, #sym.shape<[s0, 2, 1, 3]>>
}

// CHECK-LABEL: @expand
// CHECK-NEXT:    graph.broadcast %{{.*}} : (tensor<1x4xf32>) -> tensor<2x3x4xf32>
func.func @expand(%x: tensor<1x4xf32>) -> tensor<2x3x4xf32> {
  %0 = graph.aten "aten.expand.default"(%x) ["self"] {size = array<i64: 2, 3, -1>, implicit = false} : (tensor<1x4xf32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// CHECK-LABEL: @select_from_the_end
// CHECK:         graph.slice %{{.*}} starts <[0, 5]> steps [1, 1] : (tensor<4x6xf32>) -> tensor<4x1xf32>
// CHECK:         graph.reshape %{{.*}} : (tensor<4x1xf32>) -> tensor<4xf32>
func.func @select_from_the_end(%x: tensor<4x6xf32>) -> tensor<4xf32> {
  %0 = graph.aten "aten.select.int"(%x) ["self"] {dim = 1 : i64, index = -1 : i64} : (tensor<4x6xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The range of the symbol shows that the start is not negative.
// CHECK-LABEL: @slice_from_the_end
// CHECK-NEXT:    graph.slice %{{.*}} starts <[s0 - 2]> steps [1]
func.func @slice_from_the_end(%x: tensor<?xf32, #sym.shape<[s0]>>) -> tensor<2xf32>
    attributes {sym.symbols = {s0 = #sym.range<2, 64>}} {
  %0 = graph.aten "aten.slice.Tensor"(%x) ["self"] {dim = 0 : i64, start = -2 : i64, end = 9223372036854775807 : i64, step = 1 : i64} : (tensor<?xf32, #sym.shape<[s0]>>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: @slice_with_step
// CHECK-NEXT:    graph.slice %{{.*}} starts <[1]> steps [3] : (tensor<10xf32>) -> tensor<3xf32>
func.func @slice_with_step(%x: tensor<10xf32>) -> tensor<3xf32> {
  %0 = graph.aten "aten.slice.Tensor"(%x) ["self"] {dim = 0 : i64, start = 1 : i64, end = 9 : i64, step = 3 : i64} : (tensor<10xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: @split
// CHECK:         graph.slice %{{.*}} starts <[0]> {{.*}} -> tensor<4xf32>
// CHECK:         graph.slice %{{.*}} starts <[4]> {{.*}} -> tensor<4xf32>
// CHECK:         graph.slice %{{.*}} starts <[8]> {{.*}} -> tensor<2xf32>
func.func @split(%x: tensor<10xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<2xf32>) {
  %0:3 = graph.aten "aten.split.Tensor"(%x) ["self"] {split_size = 4 : i64, dim = 0 : i64} : (tensor<10xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<2xf32>)
  return %0#0, %0#1, %0#2 : tensor<4xf32>, tensor<4xf32>, tensor<2xf32>
}

// CHECK-LABEL: @flip
// CHECK-NEXT:    graph.slice %{{.*}} starts <[0, 5]> steps [1, -1]
func.func @flip(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = graph.aten "aten.flip.default"(%x) ["self"] {dims = array<i64: -1>} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: @repeat
// CHECK:         graph.reshape %{{.*}} : (tensor<3xf32>) -> tensor<1x1x1x3xf32>
// CHECK:         graph.broadcast %{{.*}} -> tensor<4x1x2x3xf32>
// CHECK:         graph.reshape %{{.*}} -> tensor<4x6xf32>
func.func @repeat(%x: tensor<3xf32>) -> tensor<4x6xf32> {
  %0 = graph.aten "aten.repeat.default"(%x) ["self"] {repeats = array<i64: 4, 2>} : (tensor<3xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: @roll
// CHECK:         %[[A:.+]] = graph.slice %{{.*}} starts <[6]> {{.*}} -> tensor<2xf32>
// CHECK:         %[[B:.+]] = graph.slice %{{.*}} starts <[0]> {{.*}} -> tensor<6xf32>
// CHECK:         graph.cat %[[A]], %[[B]] dim 0
func.func @roll(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = graph.aten "aten.roll.default"(%x) ["self"] {shifts = array<i64: 2>, dims = array<i64: 0>} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: @diff
// CHECK:         %[[A:.+]] = graph.slice %{{.*}} starts <[0, 1]> {{.*}} -> tensor<4x7xf32>
// CHECK:         %[[B:.+]] = graph.slice %{{.*}} starts <[0, 0]> {{.*}} -> tensor<4x7xf32>
// CHECK:         %[[D:.+]] = graph.sub %[[A]], %[[B]]
// CHECK:         %[[E:.+]] = graph.slice %[[D]] {{.*}} -> tensor<4x6xf32>
// CHECK:         %[[F:.+]] = graph.slice %[[D]] {{.*}} -> tensor<4x6xf32>
// CHECK:         graph.sub %[[E]], %[[F]]
func.func @diff(%x: tensor<4x8xf32>) -> tensor<4x6xf32> {
  %0 = graph.aten "aten.diff.default"(%x) ["self"] {n = 2 : i64} : (tensor<4x8xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// Bools differ or do not; what is put in front takes part.
// CHECK-LABEL: @diff_of_bools
// CHECK:         %[[C:.+]] = graph.cat %arg1, %arg0 dim 0
// CHECK:         graph.bitwise_xor %{{.*}} -> tensor<8xi1>
func.func @diff_of_bools(%x: tensor<8xi1>, %first: tensor<1xi1>) -> tensor<8xi1> {
  %0 = graph.aten "aten.diff.default"(%x, %first) ["self", "prepend"] {dim = 0 : i64} : (tensor<8xi1>, tensor<1xi1>) -> tensor<8xi1>
  return %0 : tensor<8xi1>
}

// There are no more differences than elements.
// CHECK-LABEL: @diff_to_nothing
// CHECK:         return %{{.*}} : tensor<0xf32>
func.func @diff_to_nothing(%x: tensor<3xf32>) -> tensor<0xf32> {
  %0 = graph.aten "aten.diff.default"(%x) ["self"] {n = 5 : i64} : (tensor<3xf32>) -> tensor<0xf32>
  return %0 : tensor<0xf32>
}

// CHECK-LABEL: @copies
// CHECK-SAME:    %[[X:.+]]: tensor<4xf32>
// CHECK-NEXT:    %[[C:.+]] = graph.convert %[[X]] : (tensor<4xf32>) -> tensor<4xf16>
// CHECK-NEXT:    return %[[X]], %[[C]]
func.func @copies(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf16>) {
  %0 = graph.aten "aten.clone.default"(%x) ["self"] {} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.aten "aten._to_copy.default"(%0) ["self"] {dtype = f16, non_blocking = false} : (tensor<4xf32>) -> tensor<4xf16>
  return %0, %1 : tensor<4xf32>, tensor<4xf16>
}

// CHECK-LABEL: @plain_as_strided
// CHECK-NEXT:    graph.reshape
func.func @plain_as_strided(%x: tensor<4x6xf32>) -> tensor<3x8xf32> {
  %0 = graph.aten "aten.as_strided.default"(%x) ["self"] {size = array<i64: 3, 8>, stride = array<i64: 8, 1>} : (tensor<4x6xf32>) -> tensor<3x8xf32>
  return %0 : tensor<3x8xf32>
}

// Overlapping windows of what lies in memory in its order.
// CHECK-LABEL: @overlapping_as_strided
// CHECK:         %[[F:.+]] = graph.reshape %{{.*}} -> tensor<24xf32>
// CHECK:         graph.index %[[F]][%{{.*}}] dims [0] : (tensor<24xf32>, tensor<3x3xi64>)
func.func @overlapping_as_strided(%x: tensor<4x6xf32>) -> tensor<3x3xf32> {
  %0 = graph.aten "aten.as_strided.default"(%x) ["self"] {size = array<i64: 3, 3>, stride = array<i64: 1, 1>, storage_offset = 2 : i64} : (tensor<4x6xf32>) -> tensor<3x3xf32>
  return %0 : tensor<3x3xf32>
}

// A tensor has no layout.
// CHECK-LABEL: @as_strided_of_other_layout_stays
// CHECK:         graph.aten "aten.as_strided.default"
// CHECK-SAME:    graph.reason = "it depends on how its operand lies in memory"
func.func @as_strided_of_other_layout_stays(%x: tensor<4x6xf32> {coil.strides = array<i64: 1, 4>}) -> tensor<3x3xf32> {
  %0 = graph.aten "aten.as_strided.default"(%x) ["self"] {size = array<i64: 3, 3>, stride = array<i64: 1, 1>} : (tensor<4x6xf32>) -> tensor<3x3xf32>
  return %0 : tensor<3x3xf32>
}

// Any positions of the flattened operand.
// CHECK-LABEL: @as_strided_gathers
// CHECK:         graph.reshape %arg0 {{.*}} -> tensor<24xf32>
// CHECK:         graph.index
// CHECK-NOT:     graph.aten
func.func @as_strided_gathers(%x: tensor<4x6xf32>) -> tensor<3x3xf32> {
  %0 = graph.aten "aten.as_strided.default"(%x) ["self"] {size = array<i64: 3, 3>, stride = array<i64: 1, 1>, storage_offset = 5 : i64} : (tensor<4x6xf32>) -> tensor<3x3xf32>
  return %0 : tensor<3x3xf32>
}

// The words of an element are the last dimension, the lowest first.
// CHECK-LABEL: @view_as_smaller
// CHECK:         %[[BITS:.+]] = graph.bitcast %arg0 : (tensor<3xf32>) -> tensor<3xi32>
// CHECK:         graph.shift_right
// CHECK:         graph.convert {{.*}} -> tensor<3x4xi8>
// CHECK:         graph.reshape {{.*}} -> tensor<12xi8>
func.func @view_as_smaller(%x: tensor<3xf32>) -> tensor<12xi8> {
  %0 = graph.aten "aten.view.dtype"(%x) ["self"] {dtype = i8} : (tensor<3xf32>) -> tensor<12xi8>
  return %0 : tensor<12xi8>
}

// CHECK-LABEL: @view_as_larger
// CHECK:         graph.reshape {{.*}} -> tensor<3x4x
// CHECK:         graph.shift_left
// CHECK:         graph.reduce sum, %{{.*}} dims [1] : (tensor<3x4xi32>) -> tensor<3xi32>
// CHECK:         graph.bitcast {{.*}} -> tensor<3xf32>
func.func @view_as_larger(%x: tensor<12xi8>) -> tensor<3xf32> {
  %0 = graph.aten "aten.view.dtype"(%x) ["self"] {dtype = f32} : (tensor<12xi8>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// A bool is a byte, in which one bit counts.
// CHECK-LABEL: @view_as_bools
// CHECK:         graph.bitcast %arg0 : (tensor<12xi8>) -> tensor<12xui8>
// CHECK:         graph.convert {{.*}} -> tensor<12xi1>
func.func @view_as_bools(%x: tensor<12xi8>) -> tensor<12xi1> {
  %0 = graph.aten "aten.view.dtype"(%x) ["self"] {dtype = i1} : (tensor<12xi8>) -> tensor<12xi1>
  return %0 : tensor<12xi1>
}

// CHECK-LABEL: @as_strided_past_the_end_stays
// CHECK-NEXT:    graph.aten "aten.as_strided.default"
// CHECK-SAME:    graph.reason = "it reads past the end of its operand"
func.func @as_strided_past_the_end_stays(%x: tensor<4x6xf32>) -> tensor<3x3xf32> {
  %0 = graph.aten "aten.as_strided.default"(%x) ["self"] {size = array<i64: 3, 3>, stride = array<i64: 11, 1>} : (tensor<4x6xf32>) -> tensor<3x3xf32>
  return %0 : tensor<3x3xf32>
}

// CHECK-LABEL: @as_strided_in_front_stays
// CHECK-NEXT:    graph.aten "aten.as_strided.default"
// CHECK-SAME:    graph.reason = "it reads before the start of its operand"
func.func @as_strided_in_front_stays(%x: tensor<4x6xf32>) -> tensor<3xf32> {
  %0 = graph.aten "aten.as_strided.default"(%x) ["self"] {size = array<i64: 3>, stride = array<i64: 1>, storage_offset = -1 : i64} : (tensor<4x6xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// A copy of another size has the first elements, and anything behind them.
// CHECK-LABEL: @resize
// CHECK:         %[[L:.+]] = graph.reshape %{{.*}} -> tensor<12xf32>
// CHECK:         %[[S:.+]] = graph.slice %[[L]]
// CHECK:         graph.reshape %[[S]] : (tensor<4xf32>) -> tensor<2x2xf32>
// CHECK:         graph.cat {{.*}} -> tensor<15xf32>
func.func @resize(%x: tensor<3x4xf32>) -> (tensor<2x2xf32>, tensor<3x5xf32>) {
  %0 = graph.aten "aten.resize.default"(%x) ["self"] {size = array<i64: 2, 2>} : (tensor<3x4xf32>) -> tensor<2x2xf32>
  %1 = graph.aten "aten.resize.default"(%x) ["self"] {size = array<i64: 3, 5>} : (tensor<3x4xf32>) -> tensor<3x5xf32>
  return %0, %1 : tensor<2x2xf32>, tensor<3x5xf32>
}

// CHECK-LABEL: @resize_of_other_layout_stays
// CHECK:         graph.aten "aten.resize.default"
// CHECK-SAME:    graph.reason = "it depends on how its operand lies in memory"
func.func @resize_of_other_layout_stays(%x: tensor<4x6xf32> {coil.strides = array<i64: 1, 4>}) -> tensor<3xf32> {
  %0 = graph.aten "aten.resize.default"(%x) ["self"] {size = array<i64: 3>} : (tensor<4x6xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// Pieces begin where the indices say, which are not sorted, or beyond the end.
// CHECK-LABEL: @split_at_indices
// CHECK:         graph.slice %arg0 starts <[0, 0]> steps [1, 1] : (tensor<2x5xf32>) -> tensor<2x3xf32>
// CHECK:         -> tensor<2x0xf32>
// CHECK:         graph.slice %arg0 starts <[0, 1]> steps [1, 1] : (tensor<2x5xf32>) -> tensor<2x4xf32>
// CHECK:         -> tensor<2x0xf32>
func.func @split_at_indices(%x: tensor<2x5xf32>) -> (tensor<2x3xf32>, tensor<2x0xf32>, tensor<2x4xf32>, tensor<2x0xf32>) {
  %0:4 = graph.aten "aten.tensor_split.indices"(%x) ["self"] {indices = array<i64: 3, 1, 9>, dim = 1 : i64} : (tensor<2x5xf32>) -> (tensor<2x3xf32>, tensor<2x0xf32>, tensor<2x4xf32>, tensor<2x0xf32>)
  return %0#0, %0#1, %0#2, %0#3 : tensor<2x3xf32>, tensor<2x0xf32>, tensor<2x4xf32>, tensor<2x0xf32>
}
