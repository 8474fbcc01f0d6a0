// RUN: coil-opt %s --pass-pipeline='builtin.module(func.func(graph-join-slices),canonicalize)' --split-input-file | FileCheck %s

// Slices of one dimension, in any order, and zeros where nothing is.
// CHECK-LABEL: func @disjoint
// CHECK-SAME: %[[A:.*]]: tensor<1x8xf32>, %[[B:.*]]: tensor<2x8xf32>
func.func @disjoint(%a: tensor<1x8xf32>, %b: tensor<2x8xf32>) -> tensor<5x8xf32> {
  // CHECK: %[[Z:.*]] = graph.full 0.000000e+00 : f32 -> tensor<2x8xf32>
  // CHECK: %[[CAT:.*]] = graph.cat %[[B]], %[[A]], %[[Z]] dim 0
  // CHECK: %[[ZERO:.*]] = graph.full 0.000000e+00 : f32 -> tensor<f32>
  // CHECK: %[[SUM:.*]] = graph.add %[[CAT]], %[[ZERO]]
  // CHECK: return %[[SUM]]
  %z2 = graph.full 0.0 : f32 -> tensor<2x8xf32>
  %z3 = graph.full 0.0 : f32 -> tensor<3x8xf32>
  %0 = graph.cat %z2, %a, %z2 dim 0 : (tensor<2x8xf32>, tensor<1x8xf32>, tensor<2x8xf32>) -> tensor<5x8xf32>
  %1 = graph.cat %b, %z3 dim 0 : (tensor<2x8xf32>, tensor<3x8xf32>) -> tensor<5x8xf32>
  %2 = graph.add %0, %1 : (tensor<5x8xf32>, tensor<5x8xf32>) -> tensor<5x8xf32>
  return %2 : tensor<5x8xf32>
}

// -----

// Everything else stays an operand. No zero is added to integers.
// CHECK-LABEL: func @others
// CHECK-SAME: %[[X:.*]]: tensor<4xi32>, %[[A:.*]]: tensor<1xi32>, %[[B:.*]]: tensor<3xi32>
func.func @others(%x: tensor<4xi32>, %a: tensor<1xi32>, %b: tensor<3xi32>) -> tensor<4xi32> {
  // CHECK: %[[CAT:.*]] = graph.cat %[[A]], %[[B]] dim 0
  // CHECK: %[[SUM:.*]] = graph.add %[[CAT]], %[[X]]
  // CHECK: return %[[SUM]]
  %z3 = graph.full 0 : i32 -> tensor<3xi32>
  %0 = graph.cat %a, %z3 dim 0 : (tensor<1xi32>, tensor<3xi32>) -> tensor<4xi32>
  %1 = graph.pad %b low [1] high [0] value 0 : i32 : (tensor<3xi32>) -> tensor<4xi32>
  %2 = graph.add %0, %x : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %3 = graph.add %2, %1 : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %3 : tensor<4xi32>
}

// -----

// Windows that overlap are in as few concatenations as hold them.
// CHECK-LABEL: func @windows
// CHECK-SAME: %[[A:.*]]: tensor<2xf32>, %[[B:.*]]: tensor<2xf32>, %[[C:.*]]: tensor<2xf32>
func.func @windows(%a: tensor<2xf32>, %b: tensor<2xf32>, %c: tensor<2xf32>) -> tensor<4xf32> {
  // CHECK: graph.cat %[[A]], %[[C]] dim 0
  // CHECK: graph.cat %{{.*}}, %[[B]], %{{.*}} dim 0
  // CHECK-NOT: graph.cat
  %z1 = graph.full 0.0 : f32 -> tensor<1xf32>
  %z2 = graph.full 0.0 : f32 -> tensor<2xf32>
  %0 = graph.cat %a, %z2 dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %1 = graph.cat %z1, %b, %z1 dim 0 : (tensor<1xf32>, tensor<2xf32>, tensor<1xf32>) -> tensor<4xf32>
  %2 = graph.cat %z2, %c dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %3 = graph.add %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = graph.add %3, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %4 : tensor<4xf32>
}

// -----

// In one place is a sum, of slices along another dimension. All operands are
// there, so that minus zero may be.
// CHECK-LABEL: func @nested
// CHECK-SAME: %[[A:.*]]: tensor<1x1xf32>, %[[B:.*]]: tensor<1x1xf32>
func.func @nested(%a: tensor<1x1xf32>, %b: tensor<1x1xf32>) -> tensor<2x2xf32> {
  // CHECK: %[[ROW:.*]] = graph.cat %[[A]], %[[B]] dim 1
  // CHECK: %[[SUM:.*]] = graph.add %[[ROW]], %
  // CHECK: %[[CAT:.*]] = graph.cat %{{.*}}, %[[SUM]] dim 0
  // CHECK: return %[[CAT]]
  %z = graph.full 0.0 : f32 -> tensor<1x1xf32>
  %row = graph.full 0.0 : f32 -> tensor<1x2xf32>
  %0 = graph.cat %a, %z dim 1 : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x2xf32>
  %1 = graph.cat %row, %0 dim 0 : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<2x2xf32>
  %2 = graph.cat %z, %b dim 1 : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x2xf32>
  %3 = graph.cat %row, %2 dim 0 : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<2x2xf32>
  %4 = graph.add %1, %3 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %4 : tensor<2x2xf32>
}

// -----

// Sums of 16-bit floats are rounded each time.
// CHECK-LABEL: func @rounded
// CHECK-SAME: %[[A:.*]]: tensor<1xbf16>, %[[B:.*]]: tensor<1xbf16>
func.func @rounded(%a: tensor<1xbf16>, %b: tensor<1xbf16>) -> tensor<2xbf16> {
  // CHECK: %[[CAT:.*]] = graph.cat %[[A]], %[[B]] dim 0 : {{.*}} -> tensor<2xbf16>
  // CHECK: %[[WIDE:.*]] = graph.convert %[[CAT]]
  // CHECK: %[[SUM:.*]] = graph.add %[[WIDE]], %
  // CHECK: graph.convert %[[SUM]] : (tensor<2xf32>) -> tensor<2xbf16>
  %z = graph.full 0.0 : bf16 -> tensor<1xbf16>
  %0 = graph.cat %a, %z dim 0 : (tensor<1xbf16>, tensor<1xbf16>) -> tensor<2xbf16>
  %1 = graph.cat %z, %b dim 0 : (tensor<1xbf16>, tensor<1xbf16>) -> tensor<2xbf16>
  %2 = graph.convert %0 : (tensor<2xbf16>) -> tensor<2xf32>
  %3 = graph.convert %1 : (tensor<2xbf16>) -> tensor<2xf32>
  %4 = graph.add %2, %3 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %5 = graph.convert %4 : (tensor<2xf32>) -> tensor<2xbf16>
  return %5 : tensor<2xbf16>
}

// -----

// At symbolic positions it has to be known which slice is before the other.
// CHECK-LABEL: func @symbolic
func.func @symbolic(%a: tensor<?xf32, #sym.shape<[s0]>>, %b: tensor<?xf32, #sym.shape<[s1]>>) -> tensor<?xf32, #sym.shape<[s0 + s1]>>
    attributes {sym.symbols = {s0 = #sym.range<1, 64>, s1 = #sym.range<1, 64>}} {
  // CHECK: graph.cat %arg0, %arg1 dim 0
  // CHECK-NOT: graph.cat
  %z0 = graph.full 0.0 : f32 -> tensor<?xf32, #sym.shape<[s0]>>
  %z1 = graph.full 0.0 : f32 -> tensor<?xf32, #sym.shape<[s1]>>
  %0 = graph.cat %z0, %b dim 0 : (tensor<?xf32, #sym.shape<[s0]>>, tensor<?xf32, #sym.shape<[s1]>>) -> tensor<?xf32, #sym.shape<[s0 + s1]>>
  %1 = graph.cat %a, %z1 dim 0 : (tensor<?xf32, #sym.shape<[s0]>>, tensor<?xf32, #sym.shape<[s1]>>) -> tensor<?xf32, #sym.shape<[s0 + s1]>>
  %2 = graph.add %0, %1 : (tensor<?xf32, #sym.shape<[s0 + s1]>>, tensor<?xf32, #sym.shape<[s0 + s1]>>) -> tensor<?xf32, #sym.shape<[s0 + s1]>>
  return %2 : tensor<?xf32, #sym.shape<[s0 + s1]>>
}

// -----

// Minus zero is none of the zeros, and strict sums stay as they are.
// CHECK-LABEL: func @not_joined
func.func @not_joined(%a: tensor<1xf32>, %b: tensor<1xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  // CHECK: graph.add {{.*}} : (tensor<2xf32>, tensor<2xf32>)
  // CHECK: graph.add {{.*}} : (tensor<2xf32>, tensor<2xf32>)
  %m = graph.full -0.0 : f32 -> tensor<1xf32>
  %z = graph.full 0.0 : f32 -> tensor<1xf32>
  %0 = graph.cat %a, %m dim 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
  %1 = graph.cat %z, %b dim 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
  %2 = graph.add %0, %1 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %3 = graph.cat %b, %z dim 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
  %4 = graph.add %1, %3 {coil.strict} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %2, %4 : tensor<2xf32>, tensor<2xf32>
}
