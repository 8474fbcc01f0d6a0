// RUN: coil-opt %s --graph-legalize-aten | FileCheck %s

// All rows are multiplied at once, and the bias is rounded with the product.
// CHECK-LABEL: @linear
// CHECK:         %[[W:.+]] = graph.permute %{{.*}} [1, 0]
// CHECK:         %[[X:.+]] = graph.reshape %{{.*}} -> tensor<?x8xf32, #sym.shape<[s0 * 2, 8]>>
// CHECK:         %[[P:.+]] = graph.matmul %[[X]], %[[W]] bias %{{.*}}
// CHECK-NOT:     graph.add
// CHECK:         graph.reshape %[[P]] : {{.*}} -> tensor<2x?x3xf32, #sym.shape<[2, s0, 3]>>
func.func @linear(%x: tensor<2x?x8xf32, #sym.shape<[2, s0, 8]>>, %w: tensor<3x8xf32>, %b: tensor<3xf32>) -> tensor<2x?x3xf32, #sym.shape<[2, s0, 3]>>
    attributes {sym.symbols = {s0 = #sym.range<2, 64>}} {
  %0 = graph.aten "aten.linear.default"(%x, %w, %b) ["input", "weight", "bias"] {} : (tensor<2x?x8xf32, #sym.shape<[2, s0, 8]>>, tensor<3x8xf32>, tensor<3xf32>) -> tensor<2x?x3xf32, #sym.shape<[2, s0, 3]>>
  return %0 : tensor<2x?x3xf32, #sym.shape<[2, s0, 3]>>
}

// CHECK-LABEL: @matrix_times_vector
// CHECK:         graph.matmul %{{.*}} : (tensor<3x4xf32>, tensor<4x1xf32>) -> tensor<3x1xf32>
// CHECK:         graph.reshape %{{.*}} -> tensor<3xf32>
func.func @matrix_times_vector(%x: tensor<3x4xf32>, %y: tensor<4xf32>) -> tensor<3xf32> {
  %0 = graph.aten "aten.matmul.default"(%x, %y) ["self", "other"] {} : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: @batch_dimensions_broadcast
// CHECK:         graph.reshape %{{.*}} : (tensor<5x4x3xf32>) -> tensor<1x5x4x3xf32>
// CHECK:         graph.matmul %{{.*}} -> tensor<2x5x6x3xf32>
func.func @batch_dimensions_broadcast(%x: tensor<2x1x6x4xf32>, %y: tensor<5x4x3xf32>) -> tensor<2x5x6x3xf32> {
  %0 = graph.aten "aten.matmul.default"(%x, %y) ["self", "other"] {} : (tensor<2x1x6x4xf32>, tensor<5x4x3xf32>) -> tensor<2x5x6x3xf32>
  return %0 : tensor<2x5x6x3xf32>
}

// CHECK-LABEL: @addmm
// CHECK:         %[[P:.+]] = graph.matmul
// CHECK:         %[[A:.+]] = graph.mul %[[P]]
// CHECK:         graph.add %[[A]], %{{.*}}
func.func @addmm(%b: tensor<3xf32>, %x: tensor<2x4xf32>, %y: tensor<4x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.aten "aten.addmm.default"(%b, %x, %y) ["self", "mat1", "mat2"] {beta = 1 : i64, alpha = 0.5 : f64} : (tensor<3xf32>, tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @addmm_row
// CHECK-NEXT:    graph.matmul %{{.*}}, %{{.*}} bias %{{.*}} : (tensor<2x4xbf16>, tensor<4x3xbf16>, tensor<3xbf16>) -> tensor<2x3xbf16>
// CHECK-NEXT:    return
func.func @addmm_row(%b: tensor<3xbf16>, %x: tensor<2x4xbf16>, %y: tensor<4x3xbf16>) -> tensor<2x3xbf16> {
  %0 = graph.aten "aten.addmm.default"(%b, %x, %y) ["self", "mat1", "mat2"] {} : (tensor<3xbf16>, tensor<2x4xbf16>, tensor<4x3xbf16>) -> tensor<2x3xbf16>
  return %0 : tensor<2x3xbf16>
}

// What follows a product of 16 bits is computed before it is rounded.
// CHECK-LABEL: @addmm_half
// CHECK:         %[[P:.+]] = graph.matmul %{{.*}} : (tensor<2x4xbf16>, tensor<4x3xbf16>) -> tensor<2x3xf32>
// CHECK:         %[[A:.+]] = graph.add %[[P]], %{{.*}} : {{.*}} -> tensor<2x3xf32>
// CHECK:         graph.convert %[[A]] : (tensor<2x3xf32>) -> tensor<2x3xbf16>
func.func @addmm_half(%b: tensor<2x3xbf16>, %x: tensor<2x4xbf16>, %y: tensor<4x3xbf16>) -> tensor<2x3xbf16> {
  %0 = graph.aten "aten.addmm.default"(%b, %x, %y) ["self", "mat1", "mat2"] {} : (tensor<2x3xbf16>, tensor<2x4xbf16>, tensor<4x3xbf16>) -> tensor<2x3xbf16>
  return %0 : tensor<2x3xbf16>
}

// A matrix is no row, nor is one element.
// CHECK-LABEL: @addmm_matrix
// CHECK:         graph.matmul %{{.*}}, %{{.*}} :
// CHECK:         graph.add
// CHECK:         graph.matmul %{{.*}}, %{{.*}} :
// CHECK:         graph.add
func.func @addmm_matrix(%b: tensor<2x3xf32>, %c: tensor<1xf32>, %x: tensor<2x4xf32>, %y: tensor<4x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %0 = graph.aten "aten.addmm.default"(%b, %x, %y) ["self", "mat1", "mat2"] {} : (tensor<2x3xf32>, tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  %1 = graph.aten "aten.addmm.default"(%c, %x, %y) ["self", "mat1", "mat2"] {} : (tensor<1xf32>, tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  return %0, %1 : tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: @pooling_in_ceiling_mode
// CHECK:         graph.pool max, %{{.*}} kernel [3] stride [2] padding [0] dilation [1] : (tensor<1x2x8xf32>) -> tensor<1x2x4xf32>
func.func @pooling_in_ceiling_mode(%x: tensor<2x8xf32>) -> tensor<2x4xf32> {
  %0 = graph.aten "aten.max_pool1d.default"(%x) ["self"] {kernel_size = array<i64: 3>, stride = array<i64: 2>, padding = array<i64: 0>, dilation = array<i64: 1>, ceil_mode = true} : (tensor<2x8xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// CHECK-LABEL: @average_pooling
// CHECK:         graph.pool avg, %{{.*}} kernel [2, 2] stride [2, 2] padding [1, 1] dilation [1, 1] count_padding :
func.func @average_pooling(%x: tensor<1x2x8x8xf32>) -> tensor<1x2x5x5xf32> {
  %0 = graph.aten "aten.avg_pool2d.default"(%x) ["self"] {kernel_size = array<i64: 2, 2>, stride = array<i64>, padding = array<i64: 1, 1>, ceil_mode = false, count_include_pad = true} : (tensor<1x2x8x8xf32>) -> tensor<1x2x5x5xf32>
  return %0 : tensor<1x2x5x5xf32>
}

// CHECK-LABEL: @global_pooling
// CHECK:         graph.reduce sum, %{{.*}} dims [2, 3] keepdims
// CHECK:         graph.div
func.func @global_pooling(%x: tensor<1x2x7x5xf32>) -> tensor<1x2x1x1xf32> {
  %0 = graph.aten "aten.adaptive_avg_pool2d.default"(%x) ["self"] {output_size = array<i64: 1, 1>} : (tensor<1x2x7x5xf32>) -> tensor<1x2x1x1xf32>
  return %0 : tensor<1x2x1x1xf32>
}

// Of bools, whether any pair is true. The framework has these where a size is zero.
// CHECK-LABEL: @bools
// CHECK:         %[[N:.+]] = graph.matmul %{{.*}} : (tensor<2x0xi32>, tensor<0x3xi32>) -> tensor<2x3xi32>
// CHECK:         graph.convert %[[N]] : (tensor<2x3xi32>) -> tensor<2x3xi1>
func.func @bools(%x: tensor<2x0xi1>, %y: tensor<0x3xi1>) -> tensor<2x3xi1> {
  %0 = graph.aten "aten.mm.default"(%x, %y) ["self", "mat2"] {} : (tensor<2x0xi1>, tensor<0x3xi1>) -> tensor<2x3xi1>
  return %0 : tensor<2x3xi1>
}
