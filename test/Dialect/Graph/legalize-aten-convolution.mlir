// RUN: coil-opt %s --graph-legalize-aten | FileCheck %s

// CHECK-LABEL: @convolution
// CHECK:         %[[C:.+]] = graph.conv %{{.*}} stride [2, 2] padding [1, 1] dilation [1, 1] groups 1
// CHECK:         %[[B:.+]] = graph.reshape %{{.*}} : (tensor<4xf32>) -> tensor<4x1x1xf32>
// CHECK:         graph.add %[[C]], %[[B]]
func.func @convolution(%x: tensor<2x3x8x8xf32>, %w: tensor<4x3x3x3xf32>, %b: tensor<4xf32>) -> tensor<2x4x4x4xf32> {
  %0 = graph.aten "aten.conv2d.default"(%x, %w, %b) ["input", "weight", "bias"] {stride = array<i64: 2, 2>, padding = array<i64: 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>) -> tensor<2x4x4x4xf32>
  return %0 : tensor<2x4x4x4xf32>
}

// An even kernel needs one more element behind than before.
// CHECK-LABEL: @same_padding
// CHECK:         graph.pad %{{.*}} low [0, 0, 0] high [0, 0, 1]
// CHECK:         graph.conv %{{.*}} padding [1]
func.func @same_padding(%x: tensor<2x3x8xf32>, %w: tensor<4x3x4xf32>) -> tensor<2x4x8xf32> {
  %0 = graph.aten "aten.conv1d.padding"(%x, %w) ["input", "weight"] {stride = array<i64: 1>, padding = "same", dilation = array<i64: 1>, groups = 1 : i64} : (tensor<2x3x8xf32>, tensor<4x3x4xf32>) -> tensor<2x4x8xf32>
  return %0 : tensor<2x4x8xf32>
}

// A bias of 16 bits is added before the result is rounded.
// CHECK-LABEL: @bias_of_half
// CHECK:         graph.conv %{{.*}}, %{{.*}}, %{{.*}} stride [1] {{.*}} : (tensor<2x3x8xbf16>, tensor<4x3x3xbf16>, tensor<4xbf16>) -> tensor<2x4x6xbf16>
// CHECK-NOT:     graph.add
// CHECK:         return
func.func @bias_of_half(%x: tensor<2x3x8xbf16>, %w: tensor<4x3x3xbf16>, %b: tensor<4xbf16>) -> tensor<2x4x6xbf16> {
  %0 = graph.aten "aten.conv1d.default"(%x, %w, %b) ["input", "weight", "bias"] {stride = array<i64: 1>, padding = array<i64: 0>, dilation = array<i64: 1>, groups = 1 : i64} : (tensor<2x3x8xbf16>, tensor<4x3x3xbf16>, tensor<4xbf16>) -> tensor<2x4x6xbf16>
  return %0 : tensor<2x4x6xbf16>
}

// With stride 1: channels exchanged, the kernel turned around.
// CHECK-LABEL: @transposed
// CHECK:         graph.slice %{{.*}} steps [1, 1, -1] : (tensor<4x3x4xf32>)
// CHECK-NOT:     graph.pad
// CHECK:         graph.conv {{.*}} stride [1] padding [1] dilation [1] groups 1 : (tensor<1x3x5xf32>, tensor<4x3x4xf32>) -> tensor<1x4x4xf32>
func.func @transposed(%x: tensor<1x3x5xf32>, %w: tensor<3x4x4xf32>) -> tensor<1x4x4xf32> {
  %0 = graph.aten "aten.conv_transpose1d.default"(%x, %w) ["input", "weight"] {stride = array<i64: 1>, padding = array<i64: 2>, output_padding = array<i64: 0>, groups = 1 : i64, dilation = array<i64: 1>} : (tensor<1x3x5xf32>, tensor<3x4x4xf32>) -> tensor<1x4x4xf32>
  return %0 : tensor<1x4x4xf32>
}

// With stride 2 elements at even and at odd positions are channels of their
// own, each with half of the kernel.
// CHECK-LABEL: @transposed_stride
// CHECK:         %[[W:.+]] = graph.reshape %{{.*}} -> tensor<8x3x2xf32>
// CHECK:         %[[T:.+]] = graph.slice %[[W]] {{.*}} steps [1, 1, -1]
// CHECK:         %[[C:.+]] = graph.conv %{{.*}}, %[[T]] stride [1] padding [1] dilation [1] groups 1 : (tensor<1x3x5xf32>, tensor<8x3x2xf32>) -> tensor<1x8x6xf32>
// CHECK:         %[[S:.+]] = graph.reshape %[[C]] : (tensor<1x8x6xf32>) -> tensor<1x4x2x6xf32>
// CHECK:         %[[P:.+]] = graph.permute %[[S]] [0, 1, 3, 2]
// CHECK:         %[[A:.+]] = graph.reshape %[[P]] : {{.*}} -> tensor<1x4x12xf32>
// CHECK:         graph.pad %[[A]] low [0, 0, -1] high [0, 0, -1]
func.func @transposed_stride(%x: tensor<1x3x5xf32>, %w: tensor<3x4x4xf32>) -> tensor<1x4x10xf32> {
  %0 = graph.aten "aten.conv_transpose1d.default"(%x, %w) ["input", "weight"] {stride = array<i64: 2>, padding = array<i64: 1>, output_padding = array<i64: 0>, groups = 1 : i64, dilation = array<i64: 1>} : (tensor<1x3x5xf32>, tensor<3x4x4xf32>) -> tensor<1x4x10xf32>
  return %0 : tensor<1x4x10xf32>
}

// Each channel on its own; a bias for each phase, of any number of elements.
// CHECK-LABEL: @transposed_groups
// CHECK:         graph.conv %{{.*}}, %{{.*}}, %{{.*}} stride [1, 1] padding [0, 0] dilation [1, 1] groups 3 : ({{.*}}, tensor<12x1x1x1xf16>, tensor<12xf16>) -> tensor<2x12x?x?xf16
func.func @transposed_groups(%x: tensor<2x3x?x?xf16, #sym.shape<[2, 3, s0, s1]>>, %w: tensor<3x1x2x2xf16>, %b: tensor<3xf16>) -> tensor<2x3x?x?xf16, #sym.shape<[2, 3, s0 * 2, s1 * 2]>>
    attributes {sym.symbols = {s0 = #sym.range<1, 64>, s1 = #sym.range<1, 64>}} {
  %0 = graph.aten "aten.conv_transpose2d.input"(%x, %w, %b) ["input", "weight", "bias"] {stride = array<i64: 2, 2>, padding = array<i64: 0, 0>, output_padding = array<i64: 0, 0>, groups = 3 : i64, dilation = array<i64: 1, 1>} : (tensor<2x3x?x?xf16, #sym.shape<[2, 3, s0, s1]>>, tensor<3x1x2x2xf16>, tensor<3xf16>) -> tensor<2x3x?x?xf16, #sym.shape<[2, 3, s0 * 2, s1 * 2]>>
  return %0 : tensor<2x3x?x?xf16, #sym.shape<[2, 3, s0 * 2, s1 * 2]>>
}

// CHECK-LABEL: @bools
// CHECK:         graph.reason = "its elements are bools"
func.func @bools(%x: tensor<1x3x5xi1>, %w: tensor<3x4x4xi1>) -> tensor<1x4x4xi1> {
  %0 = graph.aten "aten.conv_transpose1d.default"(%x, %w) ["input", "weight"] {stride = array<i64: 1>, padding = array<i64: 2>, output_padding = array<i64: 0>, groups = 1 : i64, dilation = array<i64: 1>} : (tensor<1x3x5xi1>, tensor<3x4x4xi1>) -> tensor<1x4x4xi1>
  return %0 : tensor<1x4x4xi1>
}

// A kernel of unknown size: the elements of all windows, multiplied with the
// weight. What lies outside of the input is a zero behind its end; groups that
// may not divide the channels are checked by the run.
// CHECK-LABEL: @symbolic_kernel
// CHECK:         sym.assert <s0> eq <(s0 floordiv 2) * 2>, "sizes are equal"
// CHECK:         graph.cat
// CHECK:         graph.index
// CHECK:         graph.matmul
func.func @symbolic_kernel(%x: tensor<2x4x9xf32>, %w: tensor<?x2x?xf32, #sym.shape<[s0, 2, s1]>>) -> tensor<2x?x?xf32, #sym.shape<[2, s0, 10 - s1]>> {
  %0 = graph.aten "aten.conv1d.default"(%x, %w) ["input", "weight"] {stride = array<i64: 1>, padding = array<i64: 0>, dilation = array<i64: 1>, groups = 2 : i64} : (tensor<2x4x9xf32>, tensor<?x2x?xf32, #sym.shape<[s0, 2, s1]>>) -> tensor<2x?x?xf32, #sym.shape<[2, s0, 10 - s1]>>
  return %0 : tensor<2x?x?xf32, #sym.shape<[2, s0, 10 - s1]>>
}

// CHECK-LABEL: @symbolic_transposed
// CHECK:         graph.floor_div
// CHECK:         graph.matmul
func.func @symbolic_transposed(%x: tensor<1x3x5xf64>, %w: tensor<3x4x?xf64, #sym.shape<[3, 4, s1]>>) -> tensor<1x4x?xf64, #sym.shape<[1, 4, s1 + 8]>> {
  %0 = graph.aten "aten.conv_transpose1d.default"(%x, %w) ["input", "weight"] {stride = array<i64: 2>, padding = array<i64: 0>, output_padding = array<i64: 0>, groups = 1 : i64, dilation = array<i64: 1>} : (tensor<1x3x5xf64>, tensor<3x4x?xf64, #sym.shape<[3, 4, s1]>>) -> tensor<1x4x?xf64, #sym.shape<[1, 4, s1 + 8]>>
  return %0 : tensor<1x4x?xf64, #sym.shape<[1, 4, s1 + 8]>>
}

// CHECK-LABEL: @channels_that_do_not_fit
// CHECK:         graph.aten {{.*}}graph.reason = "its channels do not fit those of its weight"
func.func @channels_that_do_not_fit(%x: tensor<2x4x9xf32>, %w: tensor<4x3x3xf32>) -> tensor<2x4x7xf32> {
  %0 = graph.aten "aten.conv1d.default"(%x, %w) ["input", "weight"] {stride = array<i64: 1>, padding = array<i64: 0>, dilation = array<i64: 1>, groups = 1 : i64} : (tensor<2x4x9xf32>, tensor<4x3x3xf32>) -> tensor<2x4x7xf32>
  return %0 : tensor<2x4x7xf32>
}

// As many groups as a symbol says: a product for each. It has to be known that
// there is one at all.
// CHECK-LABEL: @symbolic_groups
// CHECK:         graph.index
// CHECK:         graph.matmul {{.*}}#sym.shape<[2, s0, 8, 2]>
func.func @symbolic_groups(%x: tensor<2x?x9xf32, #sym.shape<[2, s0, 9]>>, %w: tensor<?x1x2xf32, #sym.shape<[s0, 1, 2]>>) -> tensor<2x?x8xf32, #sym.shape<[2, s0, 8]>> attributes {sym.symbols = {s0 = #sym.range<1, 64>}} {
  %0 = graph.aten "aten.conv1d.default"(%x, %w) ["input", "weight"] {stride = array<i64: 1>, padding = array<i64: 0>, dilation = array<i64: 1>, groups = #sym.expr<s0>} : (tensor<2x?x9xf32, #sym.shape<[2, s0, 9]>>, tensor<?x1x2xf32, #sym.shape<[s0, 1, 2]>>) -> tensor<2x?x8xf32, #sym.shape<[2, s0, 8]>>
  return %0 : tensor<2x?x8xf32, #sym.shape<[2, s0, 8]>>
}

// CHECK-LABEL: @maybe_no_groups
// CHECK:         graph.aten {{.*}}graph.reason = "it may have no groups"
func.func @maybe_no_groups(%x: tensor<2x?x9xf32, #sym.shape<[2, s0, 9]>>, %w: tensor<?x1x2xf32, #sym.shape<[s0, 1, 2]>>) -> tensor<2x?x8xf32, #sym.shape<[2, s0, 8]>> attributes {sym.symbols = {s0 = #sym.range<0, 64>}} {
  %0 = graph.aten "aten.conv1d.default"(%x, %w) ["input", "weight"] {stride = array<i64: 1>, padding = array<i64: 0>, dilation = array<i64: 1>, groups = #sym.expr<s0>} : (tensor<2x?x9xf32, #sym.shape<[2, s0, 9]>>, tensor<?x1x2xf32, #sym.shape<[s0, 1, 2]>>) -> tensor<2x?x8xf32, #sym.shape<[2, s0, 8]>>
  return %0 : tensor<2x?x8xf32, #sym.shape<[2, s0, 8]>>
}
