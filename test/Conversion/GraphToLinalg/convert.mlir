// RUN: coil-opt %s --convert-graph-to-linalg --split-input-file | FileCheck %s
// RUN: coil-opt %s --convert-graph-to-linalg --split-input-file | FileCheck %s --check-prefix=NONE

// Nothing of ours is left: neither operators nor types.
// NONE-NOT: graph.
// NONE-NOT: sym.

// CHECK-LABEL: func.func @elementwise(
// CHECK-SAME:    %[[X:.*]]: tensor<?x8xf32>, %[[Y:.*]]: tensor<1x8xf32>) -> tensor<?x8xf32> {
// CHECK:         %[[N:.*]] = tensor.dim %[[X]]
// CHECK:         linalg.generic {indexing_maps = [#{{.*}}, #{{.*}}, #{{.*}}], iterator_types = ["parallel", "parallel"]} ins(%[[X]], %[[Y]]
// CHECK:           arith.addf
!t = tensor<?x8xf32, #sym.shape<[s0, 8]>>
func.func @elementwise(%x: !t, %y: tensor<1x8xf32>) -> !t attributes {sym.symbols = {s0 = #sym.range<0, *>}} {
  %0 = graph.add %x, %y : (!t, tensor<1x8xf32>) -> !t
  return %0 : !t
}

// -----

// 16-bit floats are computed in f32 and rounded where the operator ends.
// CHECK-LABEL: func.func @bf16
// CHECK:         arith.extf %{{.*}} : bf16 to f32
// CHECK:         math.exp %{{.*}} : f32
// CHECK:         arith.truncf %{{.*}} : f32 to bf16
func.func @bf16(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  %0 = graph.exp %x : (tensor<4xbf16>) -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// -----

// CHECK-LABEL: func.func @contractions
// CHECK:         linalg.matmul
// CHECK:         linalg.generic
// CHECK:         linalg.batch_matmul
// CHECK:         tensor.pad
// CHECK:         linalg.generic {{.*}}"reduction", "reduction", "reduction"]
func.func @contractions(%a: tensor<4x8xf32>, %b: tensor<8x3xf32>, %c: tensor<3xf32>, %p: tensor<2x4x8xf32>, %q: tensor<2x8x3xf32>, %x: tensor<1x4x8x8xf32>, %w: tensor<6x2x3x3xf32>) -> (tensor<4x3xf32>, tensor<2x4x3xf32>, tensor<1x6x8x8xf32>) {
  %0 = graph.matmul %a, %b bias %c : (tensor<4x8xf32>, tensor<8x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %1 = graph.matmul %p, %q : (tensor<2x4x8xf32>, tensor<2x8x3xf32>) -> tensor<2x4x3xf32>
  %2 = graph.conv %x, %w stride [1, 1] padding [1, 1] dilation [1, 1] groups 2 : (tensor<1x4x8x8xf32>, tensor<6x2x3x3xf32>) -> tensor<1x6x8x8xf32>
  return %0, %1, %2 : tensor<4x3xf32>, tensor<2x4x3xf32>, tensor<1x6x8x8xf32>
}

// -----

// CHECK-LABEL: func.func @data
// CHECK:         linalg.transpose
// CHECK:         tensor.collapse_shape
// CHECK:         tensor.expand_shape
// CHECK:         tensor.extract_slice
// CHECK:         tensor.pad
// CHECK:         tensor.insert_slice
// CHECK:         tensor.insert_slice
func.func @data(%x: tensor<4x6xf32>) -> tensor<10x5xf32> {
  %0 = graph.permute %x [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %1 = graph.reshape %0 : (tensor<6x4xf32>) -> tensor<8x3xf32>
  %2 = graph.slice %1 starts <[1, 0]> steps [2, 1] : (tensor<8x3xf32>) -> tensor<4x3xf32>
  %3 = graph.pad %2 low [0, 1] high [1, 1] value 1.000000e+00 : f32 : (tensor<4x3xf32>) -> tensor<5x5xf32>
  %4 = graph.cat %3, %3 dim 0 : (tensor<5x5xf32>, tensor<5x5xf32>) -> tensor<10x5xf32>
  return %4 : tensor<10x5xf32>
}
