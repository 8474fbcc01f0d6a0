// Attention that is computed in f32 between operands of 16 bits and a result that is converted to them is of 16 bits.
// RUN: coil-opt %s --graph-raise-attention=always --canonicalize | FileCheck %s

// The decomposition of the framework, with a mask that hides nothing.
// CHECK-LABEL: @decomposed
// CHECK: %[[O:.+]] = graph.attention %arg0, %arg1, %arg2 scale 2.500000e-01 : {{.*}}bf16
// CHECK-NEXT: return %[[O]]
func.func @decomposed(%q: tensor<2x4x8x16xbf16>, %k: tensor<2x4x8x16xbf16>, %v: tensor<2x4x8x16xbf16>) -> tensor<2x4x8x16xbf16> {
  %qw = graph.convert %q : (tensor<2x4x8x16xbf16>) -> tensor<2x4x8x16xf32>
  %kw = graph.convert %k : (tensor<2x4x8x16xbf16>) -> tensor<2x4x8x16xf32>
  %vw = graph.convert %v : (tensor<2x4x8x16xbf16>) -> tensor<2x4x8x16xf32>
  %c = graph.full 0.5 : f32 -> tensor<f32>
  %qs = graph.mul %qw, %c : (tensor<2x4x8x16xf32>, tensor<f32>) -> tensor<2x4x8x16xf32>
  %t = graph.permute %kw [0, 1, 3, 2] : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %ks = graph.mul %t, %c : (tensor<2x4x16x8xf32>, tensor<f32>) -> tensor<2x4x16x8xf32>
  %x = graph.matmul %qs, %ks : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %z = graph.full 0.0 : f32 -> tensor<f32>
  %y = graph.add %x, %z : (tensor<2x4x8x8xf32>, tensor<f32>) -> tensor<2x4x8x8xf32>
  %rm = graph.reduce max, %y dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %rd = graph.sub %y, %rm : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %re = graph.exp %rd : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %rs = graph.reduce sum, %re dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %p = graph.div %re, %rs : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %o = graph.matmul %p, %vw : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  %n = graph.convert %o : (tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xbf16>
  return %n : tensor<2x4x8x16xbf16>
}

// Somebody reads the result in f32; and the values are of f32.
// CHECK-LABEL: @wide_result
// CHECK: graph.attention {{.*}} -> tensor<2x1x8x16xf32>
// CHECK-LABEL: @wide_values
// CHECK: graph.attention {{.*}} -> tensor<2x1x8x16xf32>
func.func @wide_result(%q: tensor<2x8x16xbf16>, %k: tensor<2x16x8xbf16>, %v: tensor<2x8x16xbf16>) -> (tensor<2x8x16xbf16>, tensor<2x8x16xf32>) {
  %qw = graph.convert %q : (tensor<2x8x16xbf16>) -> tensor<2x8x16xf32>
  %kw = graph.convert %k : (tensor<2x16x8xbf16>) -> tensor<2x16x8xf32>
  %vw = graph.convert %v : (tensor<2x8x16xbf16>) -> tensor<2x8x16xf32>
  %x = graph.matmul %qw, %kw : (tensor<2x8x16xf32>, tensor<2x16x8xf32>) -> tensor<2x8x8xf32>
  %rm = graph.reduce max, %x dims [2] keepdims : (tensor<2x8x8xf32>) -> tensor<2x8x1xf32>
  %rd = graph.sub %x, %rm : (tensor<2x8x8xf32>, tensor<2x8x1xf32>) -> tensor<2x8x8xf32>
  %re = graph.exp %rd : (tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %rs = graph.reduce sum, %re dims [2] keepdims : (tensor<2x8x8xf32>) -> tensor<2x8x1xf32>
  %p = graph.div %re, %rs : (tensor<2x8x8xf32>, tensor<2x8x1xf32>) -> tensor<2x8x8xf32>
  %o = graph.matmul %p, %vw : (tensor<2x8x8xf32>, tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  %n = graph.convert %o : (tensor<2x8x16xf32>) -> tensor<2x8x16xbf16>
  return %n, %o : tensor<2x8x16xbf16>, tensor<2x8x16xf32>
}
func.func @wide_values(%q: tensor<2x8x16xbf16>, %k: tensor<2x16x8xbf16>, %v: tensor<2x8x16xf32>) -> tensor<2x8x16xbf16> {
  %qw = graph.convert %q : (tensor<2x8x16xbf16>) -> tensor<2x8x16xf32>
  %kw = graph.convert %k : (tensor<2x16x8xbf16>) -> tensor<2x16x8xf32>
  %x = graph.matmul %qw, %kw : (tensor<2x8x16xf32>, tensor<2x16x8xf32>) -> tensor<2x8x8xf32>
  %rm = graph.reduce max, %x dims [2] keepdims : (tensor<2x8x8xf32>) -> tensor<2x8x1xf32>
  %rd = graph.sub %x, %rm : (tensor<2x8x8xf32>, tensor<2x8x1xf32>) -> tensor<2x8x8xf32>
  %re = graph.exp %rd : (tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %rs = graph.reduce sum, %re dims [2] keepdims : (tensor<2x8x8xf32>) -> tensor<2x8x1xf32>
  %p = graph.div %re, %rs : (tensor<2x8x8xf32>, tensor<2x8x1xf32>) -> tensor<2x8x8xf32>
  %o = graph.matmul %p, %v : (tensor<2x8x8xf32>, tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  %n = graph.convert %o : (tensor<2x8x16xf32>) -> tensor<2x8x16xbf16>
  return %n : tensor<2x8x16xbf16>
}
