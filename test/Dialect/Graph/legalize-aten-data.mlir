// RUN: coil-opt %s --graph-legalize-aten | FileCheck %s

// Empty tensors of rank one do not count; types are promoted.
// CHECK-LABEL: @cat
// CHECK-SAME:    %[[X:.+]]: tensor<2x4xf32>, %{{.+}}: tensor<0xf32>, %[[Y:.+]]: tensor<3x4xi32>
// CHECK:         %[[C:.+]] = graph.convert %[[Y]]
// CHECK:         graph.cat %[[X]], %[[C]] dim 0 : (tensor<2x4xf32>, tensor<3x4xf32>) -> tensor<5x4xf32>
func.func @cat(%x: tensor<2x4xf32>, %e: tensor<0xf32>, %y: tensor<3x4xi32>) -> tensor<5x4xf32> {
  %0 = graph.aten "aten.cat.default"(%x, %e, %y) ["tensors", "tensors", "tensors"] {dim = 0 : i64} : (tensor<2x4xf32>, tensor<0xf32>, tensor<3x4xi32>) -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}

// CHECK-LABEL: @stack
// CHECK-COUNT-2: graph.reshape %{{.*}} : (tensor<4xf32>) -> tensor<4x1xf32>
// CHECK:         graph.cat %{{.*}} dim 1
func.func @stack(%x: tensor<4xf32>) -> tensor<4x2xf32> {
  %0 = graph.aten "aten.stack.default"(%x, %x) ["tensors", "tensors"] {dim = -1 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// Amounts are listed from the last dimension on.
// CHECK-LABEL: @pad
// CHECK-NEXT:    graph.pad %{{.*}} low [3, 1] high [4, 2] value 5.000000e-01 : f32
func.func @pad(%x: tensor<4x6xf32>) -> tensor<11x9xf32> {
  %0 = graph.aten "aten.constant_pad_nd.default"(%x) ["self"] {pad = array<i64: 1, 2, 3, 4>, value = 0.5 : f64} : (tensor<4x6xf32>) -> tensor<11x9xf32>
  return %0 : tensor<11x9xf32>
}

// A sequence is copied to its place, which repeats its sizes of one.
// CHECK-LABEL: @pad_sequence
// CHECK:         graph.broadcast %arg1 : (tensor<3x1xf32>) -> tensor<3x5xf32>
// CHECK:         graph.cat
func.func @pad_sequence(%x: tensor<2x5xf32>, %y: tensor<3x1xf32>) -> tensor<2x3x5xf32> {
  %0 = graph.aten "aten.pad_sequence.default"(%x, %y) ["sequences", "sequences"] {batch_first = true} : (tensor<2x5xf32>, tensor<3x1xf32>) -> tensor<2x3x5xf32>
  return %0 : tensor<2x3x5xf32>
}

// CHECK-LABEL: @embedding
// CHECK-NEXT:    graph.index %{{.*}}[%{{.*}}] dims [0]
func.func @embedding(%w: tensor<100x8xf32>, %i: tensor<2x3xi64>) -> tensor<2x3x8xf32> {
  %0 = graph.aten "aten.embedding.default"(%w, %i) ["weight", "indices"] {padding_idx = -1 : i64, scale_grad_by_freq = false, sparse = false} : (tensor<100x8xf32>, tensor<2x3xi64>) -> tensor<2x3x8xf32>
  return %0 : tensor<2x3x8xf32>
}

// Indices stand at their positions; the second of three is absent.
// CHECK-LABEL: @index_with_gap
// CHECK-NEXT:    graph.index %{{.*}}[%{{.*}}, %{{.*}}] dims [0, 2] : {{.*}} -> tensor<5x6xf32>
func.func @index_with_gap(%x: tensor<4x6x8xf32>, %i: tensor<5xi64>, %j: tensor<5xi64>) -> tensor<5x6xf32> {
  %0 = graph.aten "aten.index.Tensor"(%x, %i, %j) ["self", "indices.0", "indices.2"] {} : (tensor<4x6x8xf32>, tensor<5xi64>, tensor<5xi64>) -> tensor<5x6xf32>
  return %0 : tensor<5x6xf32>
}

// CHECK-LABEL: @gather
// CHECK-NEXT:    graph.gather %{{.*}}, %{{.*}} dim 1
func.func @gather(%x: tensor<4x6xf32>, %i: tensor<4x2xi64>) -> tensor<4x2xf32> {
  %0 = graph.aten "aten.gather.default"(%x, %i) ["self", "index"] {dim = 1 : i64, sparse_grad = false} : (tensor<4x6xf32>, tensor<4x2xi64>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// CHECK-LABEL: @masked_fill
// CHECK:         graph.select %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4xi1>, tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
func.func @masked_fill(%x: tensor<4xf32>, %m: tensor<4xi1>) -> tensor<4xf32> {
  %0 = graph.aten "aten.masked_fill.Scalar"(%x, %m) ["self", "mask"] {value = -1 : i64} : (tensor<4xf32>, tensor<4xi1>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @tril
// CHECK:         graph.iota 1 : i64 step 1 : i64
// CHECK:         graph.compare le
// CHECK:         graph.select
func.func @tril(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = graph.aten "aten.tril.default"(%x) ["self"] {diagonal = 1 : i64} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: @creation
// CHECK:         graph.full 1.500000e+00 : f32 -> tensor<f32>
// CHECK:         graph.full 1 : i64 -> tensor<3xi64>
// CHECK:         graph.iota 2 : i64 step 3 : i64 dim 0 -> tensor<4xi64>
// CHECK:         graph.iota 0.000000e+00 : f64 step 5.000000e-01 : f64 dim 0 -> tensor<4xf32>
func.func @creation() -> (tensor<2x2xf32>, tensor<3xi64>, tensor<4xi64>, tensor<4xf32>) {
  %0 = graph.aten "aten.full.default"() [] {size = array<i64: 2, 2>, fill_value = 1.5 : f64} : () -> tensor<2x2xf32>
  %1 = graph.aten "aten.ones.default"() [] {size = array<i64: 3>} : () -> tensor<3xi64>
  %2 = graph.aten "aten.arange.start_step"() [] {start = 2 : i64, end = 14 : i64, step = 3 : i64} : () -> tensor<4xi64>
  %3 = graph.aten "aten.arange.start_step"() [] {start = 0 : i64, end = 2 : i64, step = 0.5 : f64} : () -> tensor<4xf32>
  return %0, %1, %2, %3 : tensor<2x2xf32>, tensor<3xi64>, tensor<4xi64>, tensor<4xf32>
}

// CHECK-LABEL: @dropout_in_evaluation
// CHECK-SAME:    %[[X:.+]]: tensor<4xf32>
// CHECK-NEXT:    return %[[X]]
func.func @dropout_in_evaluation(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.aten "aten.dropout.default"(%x) ["input"] {p = 0.5 : f64, train = false} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// What the range of the symbol does not show becomes an assertion.
// CHECK-LABEL: @constrain_range
// CHECK-NEXT:    sym.assert <s0> le <16>
// CHECK-NEXT:    return
func.func @constrain_range() attributes {sym.symbols = {s0 = #sym.range<2, 64>}} {
  graph.aten "aten.sym_constrain_range.default"() [] {size = #sym.expr<s0>, min = 0 : i64, max = 16 : i64} : () -> ()
  return
}
