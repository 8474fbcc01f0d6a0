// RUN: coil-opt %s --graph-legalize-aten | FileCheck %s

// The gradient of the operand is a convolution with the kernel turned around, that of the weight a matrix product over
// all windows, that of the bias a sum.
// CHECK-LABEL: @convolution
// CHECK:         graph.conv {{.*}} stride [1, 1] padding [1, 1] dilation [1, 1] groups 1 : (tensor<2x4x8x8xf32>, tensor<3x4x3x3xf32>) -> tensor<2x3x8x8xf32>
// CHECK:         graph.matmul {{.*}} : (tensor<1x4x128xf32>, tensor<1x128x27xf32>) -> tensor<1x4x27xf32>
// CHECK:         graph.reduce sum, %{{.*}} dims [0, 2, 3] : (tensor<2x4x8x8xf32>) -> tensor<4xf32>
func.func @convolution(%g: tensor<2x4x8x8xf32>, %x: tensor<2x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) -> (tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>) {
  %0:3 = graph.aten "aten.convolution_backward.default"(%g, %x, %w) ["grad_output", "input", "weight"] {bias_sizes = array<i64: 4>, stride = array<i64: 1, 1>, padding = array<i64: 1, 1>, dilation = array<i64: 1, 1>, transposed = false, output_padding = array<i64: 0, 0>, groups = 1 : i64, output_mask = array<i1: true, true, true>} : (tensor<2x4x8x8xf32>, tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>) -> (tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>)
  return %0#0, %0#1, %0#2 : tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>
}

// An operator has the results that its mask names. Where each group has one row, no matrix of windows is made.
// CHECK-LABEL: @weight_of_groups
// CHECK-NOT:     graph.conv
// CHECK-NOT:     graph.matmul
// CHECK:         graph.reduce sum, %{{.*}} dims [1] : (tensor<3x{{[0-9]+}}x3xf32>) -> tensor<3x3xf32>
func.func @weight_of_groups(%g: tensor<2x3x8xf32>, %x: tensor<2x3x8xf32>, %w: tensor<3x1x3xf32>) -> tensor<3x1x3xf32> {
  %0 = graph.aten "aten.convolution_backward.default"(%g, %x, %w) ["grad_output", "input", "weight"] {bias_sizes = array<i64: 0>, stride = array<i64: 1>, padding = array<i64: 1>, dilation = array<i64: 1>, transposed = false, output_padding = array<i64: 0>, groups = 3 : i64, output_mask = array<i1: false, true, false>} : (tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<3x1x3xf32>) -> tensor<3x1x3xf32>
  return %0 : tensor<3x1x3xf32>
}

// CHECK-LABEL: @mask_is_missing
// CHECK:         graph.aten {{.*}}graph.reason = "it has 1 results instead of 3"
func.func @mask_is_missing(%g: tensor<2x3x8xf32>, %x: tensor<2x3x8xf32>, %w: tensor<3x1x3xf32>) -> tensor<3x1x3xf32> {
  %0 = graph.aten "aten.convolution_backward.default"(%g, %x, %w) ["grad_output", "input", "weight"] {stride = array<i64: 1>, padding = array<i64: 1>, dilation = array<i64: 1>, transposed = false, groups = 3 : i64} : (tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<3x1x3xf32>) -> tensor<3x1x3xf32>
  return %0 : tensor<3x1x3xf32>
}

// An element is in at most two windows of three elements with stride 2.
// CHECK-LABEL: @average
// CHECK:         graph.index %{{.*}} dims [2] : ({{.*}}) -> tensor<1x1x8x2x4xf32>
// CHECK:         graph.reduce sum, %{{.*}} dims [3] : (tensor<1x1x8x2x4xf32>) -> tensor<1x1x8x4xf32>
// CHECK:         graph.reduce sum, %{{.*}} dims [4] : (tensor<1x1x8x8x2xf32>) -> tensor<1x1x8x8xf32>
func.func @average(%g: tensor<1x1x4x4xf32>, %x: tensor<1x1x8x8xf32>) -> tensor<1x1x8x8xf32> {
  %0 = graph.aten "aten.avg_pool2d_backward.default"(%g, %x) ["grad_output", "self"] {kernel_size = array<i64: 3, 3>, stride = array<i64: 2, 2>, padding = array<i64: 1, 1>, ceil_mode = false, count_include_pad = true} : (tensor<1x1x4x4xf32>, tensor<1x1x8x8xf32>) -> tensor<1x1x8x8xf32>
  return %0 : tensor<1x1x8x8xf32>
}

// Elements that were repeated are added to their own.
// CHECK-LABEL: @replicated
// CHECK:         graph.index_put sum {{.*}} dims [2] : (tensor<1x2x5xf32>, tensor<8xi64>, tensor<1x2x8xf32>)
func.func @replicated(%g: tensor<1x2x8xf32>, %x: tensor<1x2x5xf32>) -> tensor<1x2x5xf32> {
  %0 = graph.aten "aten.replication_pad1d_backward.default"(%g, %x) ["grad_output", "self"] {padding = array<i64: 1, 2>} : (tensor<1x2x8xf32>, tensor<1x2x5xf32>) -> tensor<1x2x5xf32>
  return %0 : tensor<1x2x5xf32>
}

// Nearest elements: the gradient of the grid is zero.
// CHECK-LABEL: @grid_nearest
// CHECK:         graph.index_put sum {{.*}} dims [0, 2, 3]
func.func @grid_nearest(%g: tensor<1x2x3x3xf32>, %x: tensor<1x2x4x4xf32>, %p: tensor<1x3x3x2xf32>) -> (tensor<1x2x4x4xf32>, tensor<1x3x3x2xf32>) {
  %0:2 = graph.aten "aten.grid_sampler_2d_backward.default"(%g, %x, %p) ["grad_output", "input", "grid"] {interpolation_mode = 1 : i64, padding_mode = 0 : i64, align_corners = false, output_mask = array<i1: true, true>} : (tensor<1x2x3x3xf32>, tensor<1x2x4x4xf32>, tensor<1x3x3x2xf32>) -> (tensor<1x2x4x4xf32>, tensor<1x3x3x2xf32>)
  return %0#0, %0#1 : tensor<1x2x4x4xf32>, tensor<1x3x3x2xf32>
}

// A gradient of an activation is arithmetic, rounded once.
// CHECK-LABEL: @sigmoid
// CHECK:         graph.convert {{.*}} : (tensor<4xbf16>) -> tensor<4xf32>
// CHECK-NOT:     bf16>) -> tensor<4xbf16>
// CHECK:         graph.convert {{.*}} : (tensor<4xf32>) -> tensor<4xbf16>
func.func @sigmoid(%g: tensor<4xbf16>, %y: tensor<4xbf16>) -> tensor<4xbf16> {
  %0 = graph.aten "aten.sigmoid_backward.default"(%g, %y) ["grad_output", "output"] {} : (tensor<4xbf16>, tensor<4xbf16>) -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// Gradients that nobody uses are not computed: neither a mean nor the gradient of the operand.
// CHECK-LABEL: @layer_norm_bias
// CHECK-NOT:     graph.rsqrt
// CHECK:         %[[B:.+]] = graph.reduce sum, %arg0 dims [0] : (tensor<?x8xf32, #sym.shape<[s0, 8]>>) -> tensor<8xf32>
// CHECK-NOT:     graph.reduce
// CHECK:         return
func.func @layer_norm_bias(%g: tensor<?x8xf32, #sym.shape<[s0, 8]>>, %x: tensor<?x8xf32, #sym.shape<[s0, 8]>>, %m: tensor<?x1xf32, #sym.shape<[s0, 1]>>, %r: tensor<?x1xf32, #sym.shape<[s0, 1]>>) -> tensor<8xf32>
    attributes {sym.symbols = {s0 = #sym.range<0, 64>}} {
  %0 = graph.aten "aten.native_layer_norm_backward.default"(%g, %x, %m, %r) ["grad_out", "input", "mean", "rstd"] {normalized_shape = array<i64: 8>, output_mask = array<i1: false, false, true>} : (tensor<?x8xf32, #sym.shape<[s0, 8]>>, tensor<?x8xf32, #sym.shape<[s0, 8]>>, tensor<?x1xf32, #sym.shape<[s0, 1]>>, tensor<?x1xf32, #sym.shape<[s0, 1]>>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Each element of the scores finds out whether its class is that of the sample.
// CHECK-LABEL: @class_loss
// CHECK-NOT:     graph.scatter
// CHECK-NOT:     graph.index_put
// CHECK:         graph.compare eq, %{{.*}} : (tensor<5xi64>, tensor<4x1xi64>) -> tensor<4x5xi1>
func.func @class_loss(%g: tensor<f32>, %x: tensor<4x5xf32>, %t: tensor<4xi64>, %w: tensor<f32>) -> tensor<4x5xf32> {
  %0 = graph.aten "aten.nll_loss_backward.default"(%g, %x, %t, %w) ["grad_output", "self", "target", "total_weight"] {reduction = 1 : i64, ignore_index = -100 : i64} : (tensor<f32>, tensor<4x5xf32>, tensor<4xi64>, tensor<f32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// CHECK-LABEL: @slice_of_symbol
// CHECK:         graph.cat %{{.*}} dim 0 : {{.*}} -> tensor<?x4xf32, #sym.shape<[s0, 4]>>
func.func @slice_of_symbol(%g: tensor<?x4xf32, #sym.shape<[s0 - 2, 4]>>) -> tensor<?x4xf32, #sym.shape<[s0, 4]>>
    attributes {sym.symbols = {s0 = #sym.range<2, 64>}} {
  %0 = graph.aten "aten.slice_backward.default"(%g) ["grad_output"] {input_sizes = #sym.shape<[s0, 4]>, dim = 0 : i64, start = 1 : i64, end = -1 : i64, step = 1 : i64} : (tensor<?x4xf32, #sym.shape<[s0 - 2, 4]>>) -> tensor<?x4xf32, #sym.shape<[s0, 4]>>
  return %0 : tensor<?x4xf32, #sym.shape<[s0, 4]>>
}

// The sums of an operator that pads them, and a gradient of what is added to the scores, which is a sum over heads.
// CHECK-LABEL: @attention
// CHECK:         graph.slice %{{.*}} : (tensor<2x3x32xf32>) -> tensor<2x3x5xf32>
// CHECK:         graph.reduce sum, %{{.*}} dims [1] keepdims : (tensor<2x3x5x7xf32>) -> tensor<2x1x5x7xf32>
func.func @attention(%g: tensor<2x3x5x8xf16>, %q: tensor<2x3x5x8xf16>, %k: tensor<2x3x7x8xf16>, %v: tensor<2x3x7x8xf16>, %b: tensor<2x1x5x7xf16>, %o: tensor<2x3x5x8xf16>, %l: tensor<2x3x32xf32>, %s: tensor<i64>) -> (tensor<2x3x5x8xf16>, tensor<2x3x7x8xf16>, tensor<2x3x7x8xf16>, tensor<2x1x5x7xf16>) {
  %0:4 = graph.aten "aten._scaled_dot_product_efficient_attention_backward.default"(%g, %q, %k, %v, %b, %o, %l, %s, %s) ["grad_out_", "query", "key", "value", "attn_bias", "out", "logsumexp", "philox_seed", "philox_offset"] {dropout_p = 0.0, grad_input_mask = array<i1: true, true, true, true>, is_causal = false} : (tensor<2x3x5x8xf16>, tensor<2x3x5x8xf16>, tensor<2x3x7x8xf16>, tensor<2x3x7x8xf16>, tensor<2x1x5x7xf16>, tensor<2x3x5x8xf16>, tensor<2x3x32xf32>, tensor<i64>, tensor<i64>) -> (tensor<2x3x5x8xf16>, tensor<2x3x7x8xf16>, tensor<2x3x7x8xf16>, tensor<2x1x5x7xf16>)
  return %0#0, %0#1, %0#2, %0#3 : tensor<2x3x5x8xf16>, tensor<2x3x7x8xf16>, tensor<2x3x7x8xf16>, tensor<2x1x5x7xf16>
}

// CHECK-LABEL: @attention_dropout
// CHECK:         graph.aten {{.*}}graph.reason = "which probabilities were dropped is not known any more"
func.func @attention_dropout(%g: tensor<2x3x5x8xf32>, %l: tensor<2x3x5xf32>) -> tensor<2x3x5x8xf32> {
  %0:3 = graph.aten "aten._scaled_dot_product_flash_attention_for_cpu_backward.default"(%g, %g, %g, %g, %g, %l) ["grad_out", "query", "key", "value", "out", "logsumexp"] {dropout_p = 0.5, is_causal = false} : (tensor<2x3x5x8xf32>, tensor<2x3x5x8xf32>, tensor<2x3x5x8xf32>, tensor<2x3x5x8xf32>, tensor<2x3x5x8xf32>, tensor<2x3x5xf32>) -> (tensor<2x3x5x8xf32>, tensor<2x3x5x8xf32>, tensor<2x3x5x8xf32>)
  return %0#0 : tensor<2x3x5x8xf32>
}

// The same numbers are drawn again, from the state that the forward operator
// saved.
// CHECK-LABEL: @attention_dropout_again
// CHECK-SAME:    %[[S:[a-z0-9]+]]: tensor<i64>, %[[O:[a-z0-9]+]]: tensor<i64>
// CHECK:         %[[SEED:.*]] = graph.reshape %[[S]]
// CHECK:         %[[OFFSET:.*]] = graph.reshape %[[O]]
// CHECK:         %[[STATE:.*]] = graph.cat %[[SEED]], %[[OFFSET]]
// CHECK:         graph.random_bits %[[STATE]] skip <0> vector <150> blocks 1 : tensor<2xi64> -> tensor<2x3x5x5xui32>
// CHECK-NOT:     graph.aten
func.func @attention_dropout_again(%g: tensor<2x3x5x8xf32>, %l: tensor<2x3x5xf32>, %s: tensor<i64>, %o: tensor<i64>) -> tensor<2x3x5x8xf32> {
  %0:3 = graph.aten "aten._scaled_dot_product_efficient_attention_backward.default"(%g, %g, %g, %g, %g, %l, %s, %o) ["grad_out_", "query", "key", "value", "out", "logsumexp", "philox_seed", "philox_offset"] {dropout_p = 0.5, grad_input_mask = array<i1: true, true, true, false>, is_causal = false} : (tensor<2x3x5x8xf32>, tensor<2x3x5x8xf32>, tensor<2x3x5x8xf32>, tensor<2x3x5x8xf32>, tensor<2x3x5x8xf32>, tensor<2x3x5xf32>, tensor<i64>, tensor<i64>) -> (tensor<2x3x5x8xf32>, tensor<2x3x5x8xf32>, tensor<2x3x5x8xf32>)
  return %0#0 : tensor<2x3x5x8xf32>
}
