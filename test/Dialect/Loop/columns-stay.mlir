// RUN: coil-opt %s --loop-simplify-index --split-input-file | FileCheck %s
// RUN: coil-opt %s --loop-split-reduction="chunks=4 enough-results=64 min-elements=1" --split-input-file | FileCheck %s

// Rows are counted by the dimensions, which are neither joined nor dropped.
// CHECK-LABEL: @loop_simplify_index_c2
// CHECK:       loop.kernel "k" [4, 1, 8, 16]
// CHECK:       loop.accumulate sum %{{.+}}, 0 columns [3] rows 16 : f32
func.func @loop_simplify_index_c2(%x: tensor<4x1x8x16xf32>) -> tensor<2x16xf32> {
  %c = loop.kernel "k" [4, 1, 8, 16] (%a = %x) : (tensor<4x1x8x16xf32>) -> tensor<2x16xf32> {
    %v = loop.load %a[d0, d1, d2, d3] : tensor<4x1x8x16xf32> -> f32
    loop.accumulate sum %v, 0 columns [3] rows 16 : f32
  }
  return %c : tensor<2x16xf32>
}

// -----

// Such a kernel has chunks of its own.
// CHECK-LABEL: @loop_split_reduction_c3
// CHECK:       loop.kernel "k" [16, 65536]
// CHECK-NOT:   loop.kernel
func.func @loop_split_reduction_c3(%x: tensor<16x65536xf32>) -> (tensor<2x65536xf32>, tensor<16xf32>) {
  %c, %r = loop.kernel "k" [16, 65536] (%a = %x) : (tensor<16x65536xf32>) -> (tensor<2x65536xf32>, tensor<16xf32>) {
    %v = loop.load %a[d0, d1] : tensor<16x65536xf32> -> f32
    loop.accumulate sum %v, 0 columns [1] rows 8 : f32
    %s = loop.reduce sum %v over [1] : f32
    loop.store %s, 1[d0] : f32
  }
  return %c, %r : tensor<2x65536xf32>, tensor<16xf32>
}
