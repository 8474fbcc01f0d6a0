// RUN: coil-opt %s --graph-raise-attention=always --remarks-filter=graph-raise-attention --remark-policy=all 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t

// What the operator does not say, and why.
// CHECK-NOT: graph.attention
// REMARK-NOT: attention of

// REMARK: not attention: the softmax is not over the dimension that the second matrix multiplication sums
func.func @c1_other_dimension(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32> {
  %t = graph.permute %k [0, 1, 3, 2] : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %x = graph.matmul %q, %t : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %rm = graph.reduce max, %x dims [2] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x1x8xf32>
  %rd = graph.sub %x, %rm : (tensor<2x4x8x8xf32>, tensor<2x4x1x8xf32>) -> tensor<2x4x8x8xf32>
  %re = graph.exp %rd : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %rs = graph.reduce sum, %re dims [2] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x1x8xf32>
  %p = graph.div %re, %rs : (tensor<2x4x8x8xf32>, tensor<2x4x1x8xf32>) -> tensor<2x4x8x8xf32>
  %o = graph.matmul %p, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %o : tensor<2x4x8x16xf32>
}

// REMARK: not attention: the softmax is not over the dimension that the second matrix multiplication sums
func.func @c1_both_dimensions(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32> {
  %t = graph.permute %k [0, 1, 3, 2] : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %x = graph.matmul %q, %t : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %rm = graph.reduce max, %x dims [2, 3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x1x1xf32>
  %rd = graph.sub %x, %rm : (tensor<2x4x8x8xf32>, tensor<2x4x1x1xf32>) -> tensor<2x4x8x8xf32>
  %re = graph.exp %rd : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %rs = graph.reduce sum, %re dims [2, 3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x1x1xf32>
  %p = graph.div %re, %rs : (tensor<2x4x8x8xf32>, tensor<2x4x1x1xf32>) -> tensor<2x4x8x8xf32>
  %o = graph.matmul %p, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %o : tensor<2x4x8x16xf32>
}

// REMARK: not attention: its exponentials are not of differences from the largest score of a row
func.func @c2_no_shift(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32> {
  %t = graph.permute %k [0, 1, 3, 2] : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %x = graph.matmul %q, %t : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %re = graph.exp %x : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %rs = graph.reduce sum, %re dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %p = graph.div %re, %rs : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %o = graph.matmul %p, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %o : tensor<2x4x8x16xf32>
}

// REMARK: not attention: its exponentials have several users
func.func @c2_other_sum(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32> {
  %t = graph.permute %k [0, 1, 3, 2] : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %x = graph.matmul %q, %t : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %rm = graph.reduce max, %x dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %rd = graph.sub %x, %rm : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %re = graph.exp %rd : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %rs = graph.reduce sum, %re dims [2] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x1x8xf32>
  %p = graph.div %re, %rs : (tensor<2x4x8x8xf32>, tensor<2x4x1x8xf32>) -> tensor<2x4x8x8xf32>
  %o = graph.matmul %p, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %o : tensor<2x4x8x16xf32>
}

// REMARK: not attention: its scores have another user, 'func.return'
func.func @c3_scores(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x4x8x8xf32>) {
  %t = graph.permute %k [0, 1, 3, 2] : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %x = graph.matmul %q, %t : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %rm = graph.reduce max, %x dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %rd = graph.sub %x, %rm : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %re = graph.exp %rd : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %rs = graph.reduce sum, %re dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %p = graph.div %re, %rs : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %o = graph.matmul %p, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %o, %x : tensor<2x4x8x16xf32>, tensor<2x4x8x8xf32>
}

// REMARK: not attention: its probabilities have another user
func.func @c3_probabilities(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x4x8x8xf32>) {
  %t = graph.permute %k [0, 1, 3, 2] : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %x = graph.matmul %q, %t : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %rm = graph.reduce max, %x dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %rd = graph.sub %x, %rm : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %re = graph.exp %rd : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %rs = graph.reduce sum, %re dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %p = graph.div %re, %rs : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %o = graph.matmul %p, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %o, %p : tensor<2x4x8x16xf32>, tensor<2x4x8x8xf32>
}

// REMARK: not attention: its probabilities are changed by 'graph.mul' before they multiply values
func.func @c4_dropout(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %r: tensor<2x4x8x8xf32>) -> tensor<2x4x8x16xf32> {
  %t = graph.permute %k [0, 1, 3, 2] : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %x = graph.matmul %q, %t : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %rm = graph.reduce max, %x dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %rd = graph.sub %x, %rm : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %re = graph.exp %rd : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %rs = graph.reduce sum, %re dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %w = graph.div %re, %rs : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %p = graph.mul %w, %r : (tensor<2x4x8x8xf32>, tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %o = graph.matmul %p, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %o : tensor<2x4x8x16xf32>
}

// REMARK: not attention: its scores are multiplied by a tensor that varies over queries and keys
func.func @c5_factor(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %g: tensor<2x4x8x8xf32>) -> tensor<2x4x8x16xf32> {
  %t = graph.permute %k [0, 1, 3, 2] : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %x = graph.matmul %q, %t : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %y = graph.mul %x, %g : (tensor<2x4x8x8xf32>, tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %rm = graph.reduce max, %y dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %rd = graph.sub %y, %rm : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %re = graph.exp %rd : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %rs = graph.reduce sum, %re dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %p = graph.div %re, %rs : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %o = graph.matmul %p, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %o : tensor<2x4x8x16xf32>
}

// REMARK: not attention: its scores are multiplied by a tensor after they are masked
func.func @c5_after_mask(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %m: tensor<2x4x8x8xf32>, %g: tensor<f32>) -> tensor<2x4x8x16xf32> {
  %t = graph.permute %k [0, 1, 3, 2] : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %x = graph.matmul %q, %t : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %y = graph.add %x, %m : (tensor<2x4x8x8xf32>, tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %w = graph.mul %y, %g : (tensor<2x4x8x8xf32>, tensor<f32>) -> tensor<2x4x8x8xf32>
  %rm = graph.reduce max, %w dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %rd = graph.sub %w, %rm : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %re = graph.exp %rd : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %rs = graph.reduce sum, %re dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %p = graph.div %re, %rs : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %o = graph.matmul %p, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %o : tensor<2x4x8x16xf32>
}

// REMARK: not attention: its scores are multiplied by a tensor of f16
func.func @c5_f16(%q: tensor<2x4x8x16xf16>, %k: tensor<2x4x8x16xf16>, %v: tensor<2x4x8x16xf16>, %g: tensor<4x1x1xf16>) -> tensor<2x4x8x16xf16> {
  %t = graph.permute %k [0, 1, 3, 2] : (tensor<2x4x8x16xf16>) -> tensor<2x4x16x8xf16>
  %x = graph.matmul %q, %t : (tensor<2x4x8x16xf16>, tensor<2x4x16x8xf16>) -> tensor<2x4x8x8xf16>
  %y = graph.mul %x, %g : (tensor<2x4x8x8xf16>, tensor<4x1x1xf16>) -> tensor<2x4x8x8xf16>
  %z = graph.convert %y : (tensor<2x4x8x8xf16>) -> tensor<2x4x8x8xf32>
  %rm = graph.reduce max, %z dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %rd = graph.sub %z, %rm : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %re = graph.exp %rd : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %rs = graph.reduce sum, %re dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %w = graph.div %re, %rs : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %p = graph.convert %w : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf16>
  %o = graph.matmul %p, %v : (tensor<2x4x8x8xf16>, tensor<2x4x8x16xf16>) -> tensor<2x4x8x16xf16>
  return %o : tensor<2x4x8x16xf16>
}

// REMARK: not attention: its scores are capped after they are masked
func.func @c5_cap_of_mask(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %m: tensor<2x4x8x8xf32>) -> tensor<2x4x8x16xf32> {
  %t = graph.permute %k [0, 1, 3, 2] : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %x = graph.matmul %q, %t : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %y = graph.add %x, %m : (tensor<2x4x8x8xf32>, tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %w = graph.tanh %y : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %rm = graph.reduce max, %w dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %rd = graph.sub %w, %rm : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %re = graph.exp %rd : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %rs = graph.reduce sum, %re dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %p = graph.div %re, %rs : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %o = graph.matmul %p, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %o : tensor<2x4x8x16xf32>
}

// REMARK: not attention: its scores are replaced by a tensor
func.func @c6_tensor(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %m: tensor<2x4x8x8xf32>, %b: tensor<8x8xi1>) -> tensor<2x4x8x16xf32> {
  %t = graph.permute %k [0, 1, 3, 2] : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %x = graph.matmul %q, %t : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %y = graph.select %b, %x, %m : (tensor<8x8xi1>, tensor<2x4x8x8xf32>, tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %rm = graph.reduce max, %y dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %rd = graph.sub %y, %rm : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %re = graph.exp %rd : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %rs = graph.reduce sum, %re dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %p = graph.div %re, %rs : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %o = graph.matmul %p, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %o : tensor<2x4x8x16xf32>
}

// REMARK: not attention: its scores are masked twice, and the number -9{{.*}} that replaces some of them takes part in the softmax
func.func @c6_two_masks(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %m: tensor<2x4x8x8xf32>, %b: tensor<8x8xi1>) -> tensor<2x4x8x16xf32> {
  %t = graph.permute %k [0, 1, 3, 2] : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %x = graph.matmul %q, %t : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %f = graph.full -9.0 : f32 -> tensor<f32>
  %y = graph.select %b, %x, %f : (tensor<8x8xi1>, tensor<2x4x8x8xf32>, tensor<f32>) -> tensor<2x4x8x8xf32>
  %w = graph.add %y, %m : (tensor<2x4x8x8xf32>, tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %rm = graph.reduce max, %w dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %rd = graph.sub %w, %rm : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %re = graph.exp %rd : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %rs = graph.reduce sum, %re dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %p = graph.div %re, %rs : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %o = graph.matmul %p, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %o : tensor<2x4x8x16xf32>
}

// REMARK: not attention: its values have a batch dimension that its probabilities lack
func.func @c7_batch(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %w: tensor<3x2x4x8x16xf32>) -> tensor<3x2x4x8x16xf32> {
  %t = graph.permute %k [0, 1, 3, 2] : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %x = graph.matmul %q, %t : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %rm = graph.reduce max, %x dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %rd = graph.sub %x, %rm : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %re = graph.exp %rd : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %rs = graph.reduce sum, %re dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %p = graph.div %re, %rs : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %p1 = graph.reshape %p : (tensor<2x4x8x8xf32>) -> tensor<1x2x4x8x8xf32>
  %o = graph.matmul %p1, %w : (tensor<1x2x4x8x8xf32>, tensor<3x2x4x8x16xf32>) -> tensor<3x2x4x8x16xf32>
  return %o : tensor<3x2x4x8x16xf32>
}

// REMARK: not attention: queries and keys are of a wider type than probabilities and values
func.func @c8_types(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %u: tensor<2x4x8x16xbf16>) -> tensor<2x4x8x16xbf16> {
  %t = graph.permute %k [0, 1, 3, 2] : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %x = graph.matmul %q, %t : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %rm = graph.reduce max, %x dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %rd = graph.sub %x, %rm : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %re = graph.exp %rd : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %rs = graph.reduce sum, %re dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %w = graph.div %re, %rs : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %p = graph.convert %w : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xbf16>
  %o = graph.matmul %p, %u : (tensor<2x4x8x8xbf16>, tensor<2x4x8x16xbf16>) -> tensor<2x4x8x16xbf16>
  return %o : tensor<2x4x8x16xbf16>
}

// REMARK: not attention: its scores are computed by 'graph.maximum'
func.func @clamped(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32> {
  %t = graph.permute %k [0, 1, 3, 2] : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %x = graph.matmul %q, %t : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %f = graph.full -9.0 : f32 -> tensor<f32>
  %y = graph.maximum %x, %f : (tensor<2x4x8x8xf32>, tensor<f32>) -> tensor<2x4x8x8xf32>
  %rm = graph.reduce max, %y dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %rd = graph.sub %y, %rm : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %re = graph.exp %rd : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %rs = graph.reduce sum, %re dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %p = graph.div %re, %rs : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %o = graph.matmul %p, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %o : tensor<2x4x8x16xf32>
}

// A softmax that is not between two products is no near miss.
// REMARK-NOT: not attention
func.func @softmax(%x: tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32> {
  %rm = graph.reduce max, %x dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %rd = graph.sub %x, %rm : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %re = graph.exp %rd : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %rs = graph.reduce sum, %re dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %p = graph.div %re, %rs : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  return %p : tensor<2x4x8x8xf32>
}

