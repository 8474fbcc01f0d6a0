// RUN: coil-opt %s --graph-raise-attention=always --canonicalize --remarks-filter=graph-raise-attention --remark-policy=all 2>%t | FileCheck %s --implicit-check-not=graph.exp --implicit-check-not=graph.matmul
// RUN: FileCheck %s --check-prefix=REMARK < %t
// RUN: coil-opt %s --graph-raise-attention | FileCheck %s --check-prefix=NONE

// Without a library that computes it the operator would be decomposed again.
// NONE-NOT: graph.attention

// REMARK: raise-attention.mlir:[[#@LINE+14]]:{{.*}}attention of [2, 4, 8, 16] by [2, 4, 8, 16], scale 1.250000e-01
// CHECK-LABEL: @plain
// CHECK:         %[[O:.+]] = graph.attention %arg0, %arg1, %arg2 scale 1.250000e-01 :
// CHECK-NEXT:    return %[[O]]
func.func @plain(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32> {
  %t = graph.permute %k [0, 1, 3, 2] : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %x = graph.matmul %q, %t : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %c = graph.full 8.0 : f32 -> tensor<f32>
  %y = graph.div %x, %c : (tensor<2x4x8x8xf32>, tensor<f32>) -> tensor<2x4x8x8xf32>
  %rm = graph.reduce max, %y dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %rd = graph.sub %y, %rm : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %re = graph.exp %rd : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %rs = graph.reduce sum, %re dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %p = graph.div %re, %rs : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %o = graph.matmul %p, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %o : tensor<2x4x8x16xf32>
}

// Scales of query and key, and a sign, are joined.
// CHECK-LABEL: @split_scale
// CHECK:         graph.attention %arg0, %arg1, %arg2 scale -2.500000e-01 :
func.func @split_scale(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32> {
  %c = graph.full 0.5 : f32 -> tensor<f32>
  %a = graph.mul %q, %c : (tensor<2x4x8x16xf32>, tensor<f32>) -> tensor<2x4x8x16xf32>
  %b = graph.mul %c, %k : (tensor<f32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  %t = graph.permute %b [0, 1, 3, 2] : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %x = graph.matmul %a, %t : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %g = graph.neg %x : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %rm = graph.reduce max, %g dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %rd = graph.sub %g, %rm : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %re = graph.exp %rd : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %rs = graph.reduce sum, %re dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %p = graph.div %re, %rs : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %o = graph.matmul %p, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %o : tensor<2x4x8x16xf32>
}

// A row of minus infinities is NaN, as written.
// CHECK-LABEL: @minus_infinity
// CHECK:         %[[M:.+]] = graph.reshape %arg3
// CHECK:         graph.attention %arg0, %arg1, %arg2 mask %[[M]] nan_rows scale
func.func @minus_infinity(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %b: tensor<8x8xi1>) -> tensor<2x4x8x16xf32> {
  %t = graph.permute %k [0, 1, 3, 2] : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %x = graph.matmul %q, %t : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %f = graph.full 0xFF800000 : f32 -> tensor<f32>
  %y = graph.select %b, %x, %f : (tensor<8x8xi1>, tensor<2x4x8x8xf32>, tensor<f32>) -> tensor<2x4x8x8xf32>
  %rm = graph.reduce max, %y dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %rd = graph.sub %y, %rm : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %re = graph.exp %rd : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %rs = graph.reduce sum, %re dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %p = graph.div %re, %rs : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %o = graph.matmul %p, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %o : tensor<2x4x8x16xf32>
}

// Numbers that hide scores may be those of a whole row: its result is the mean.
// CHECK-LABEL: @finite
// CHECK:         graph.bitwise_not %arg3
// CHECK:         graph.attention {{.*}} mask %{{.+}} fill -1.000000e+09 scale
func.func @finite(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %b: tensor<8x8xi1>) -> tensor<2x4x8x16xf32> {
  %t = graph.permute %k [0, 1, 3, 2] : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %x = graph.matmul %q, %t : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %f = graph.full -1.0e9 : f32 -> tensor<f32>
  %y = graph.select %b, %f, %x : (tensor<8x8xi1>, tensor<f32>, tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %rm = graph.reduce max, %y dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %rd = graph.sub %y, %rm : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %re = graph.exp %rd : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %rs = graph.reduce sum, %re dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %p = graph.div %re, %rs : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %o = graph.matmul %p, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %o : tensor<2x4x8x16xf32>
}

// A number that absorbs any score hides it.
// CHECK-LABEL: @added_zeros
// CHECK:         graph.attention {{.*}} mask %{{.+}} fill -3.4028234{{[0-9]+}}E+38 scale
func.func @added_zeros(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %b: tensor<8x8xi1>) -> tensor<2x4x8x16xf32> {
  %t = graph.permute %k [0, 1, 3, 2] : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %x = graph.matmul %q, %t : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %z = graph.full 0.0 : f32 -> tensor<f32>
  %f = graph.full -3.40282347E+38 : f32 -> tensor<f32>
  %w = graph.select %b, %z, %f : (tensor<8x8xi1>, tensor<f32>, tensor<f32>) -> tensor<8x8xf32>
  %y = graph.add %w, %x : (tensor<8x8xf32>, tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %rm = graph.reduce max, %y dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %rd = graph.sub %y, %rm : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %re = graph.exp %rd : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %rs = graph.reduce sum, %re dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %p = graph.div %re, %rs : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %o = graph.matmul %p, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %o : tensor<2x4x8x16xf32>
}

// A bias is scaled as scores are; masks are joined.
// CHECK-LABEL: @bias_and_hide
// CHECK-DAG:     %[[C:.+]] = graph.full -2.000000e+00
// CHECK:         %[[A:.+]] = graph.mul %arg3, %[[C]]
// CHECK:         %[[R:.+]] = graph.reshape %[[A]]
// CHECK:         %[[M:.+]] = graph.select %{{.+}}, %[[R]]
// CHECK:         graph.attention {{.*}} mask %[[M]] nan_rows scale 2.0
func.func @bias_and_hide(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %a: tensor<4x8x8xf32>, %b: tensor<8xi1>) -> tensor<2x4x8x16xf32> {
  %t = graph.permute %k [0, 1, 3, 2] : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %x = graph.matmul %q, %t : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %c = graph.full 2.0 : f32 -> tensor<f32>
  %f = graph.full 0xFF800000 : f32 -> tensor<f32>
  %y = graph.sub %x, %a : (tensor<2x4x8x8xf32>, tensor<4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %w = graph.mul %y, %c : (tensor<2x4x8x8xf32>, tensor<f32>) -> tensor<2x4x8x8xf32>
  %u = graph.select %b, %w, %f : (tensor<8xi1>, tensor<2x4x8x8xf32>, tensor<f32>) -> tensor<2x4x8x8xf32>
  %rm = graph.reduce max, %u dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %rd = graph.sub %u, %rm : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %re = graph.exp %rd : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %rs = graph.reduce sum, %re dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %p = graph.div %re, %rs : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %o = graph.matmul %p, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %o : tensor<2x4x8x16xf32>
}

// CHECK-LABEL: @both_hide
// CHECK:         %[[N:.+]] = graph.bitwise_not %arg4
// CHECK:         %[[R:.+]] = graph.reshape %[[N]]
// CHECK:         %[[M:.+]] = graph.bitwise_and %arg3, %[[R]]
// CHECK:         graph.attention {{.*}} mask %[[M]] nan_rows scale
func.func @both_hide(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %a: tensor<2x1x1x8xi1>, %b: tensor<8x8xi1>) -> tensor<2x4x8x16xf32> {
  %t = graph.permute %k [0, 1, 3, 2] : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %x = graph.matmul %q, %t : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %f = graph.full 0xFF800000 : f32 -> tensor<f32>
  %y = graph.select %a, %x, %f : (tensor<2x1x1x8xi1>, tensor<2x4x8x8xf32>, tensor<f32>) -> tensor<2x4x8x8xf32>
  %w = graph.select %b, %f, %y : (tensor<8x8xi1>, tensor<f32>, tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %rm = graph.reduce max, %w dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %rd = graph.sub %w, %rm : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %re = graph.exp %rd : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %rs = graph.reduce sum, %re dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %p = graph.div %re, %rs : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %o = graph.matmul %p, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %o : tensor<2x4x8x16xf32>
}

// CHECK-LABEL: @softcap
// CHECK:         graph.attention %arg0, %arg1, %arg2 scale 1.000000e+00 softcap 5.000000e+00
func.func @softcap(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32> {
  %t = graph.permute %k [0, 1, 3, 2] : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %x = graph.matmul %q, %t : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %c = graph.full 5.0 : f32 -> tensor<f32>
  %y = graph.div %x, %c : (tensor<2x4x8x8xf32>, tensor<f32>) -> tensor<2x4x8x8xf32>
  %w = graph.tanh %y : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %u = graph.mul %w, %c : (tensor<2x4x8x8xf32>, tensor<f32>) -> tensor<2x4x8x8xf32>
  %rm = graph.reduce max, %u dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %rd = graph.sub %u, %rm : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %re = graph.exp %rd : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %rs = graph.reduce sum, %re dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %p = graph.div %re, %rs : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %o = graph.matmul %p, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %o : tensor<2x4x8x16xf32>
}

// Keys times queries: the softmax is over rows.
// CHECK-LABEL: @swapped
// CHECK:         graph.attention %arg0, %arg1, %arg2 scale 1.0
func.func @swapped(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32> {
  %t = graph.permute %q [0, 1, 3, 2] : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %x = graph.matmul %k, %t : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %rm = graph.reduce max, %x dims [2] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x1x8xf32>
  %rd = graph.sub %x, %rm : (tensor<2x4x8x8xf32>, tensor<2x4x1x8xf32>) -> tensor<2x4x8x8xf32>
  %re = graph.exp %rd : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %rs = graph.reduce sum, %re dims [2] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x1x8xf32>
  %p = graph.div %re, %rs : (tensor<2x4x8x8xf32>, tensor<2x4x1x8xf32>) -> tensor<2x4x8x8xf32>
  %r = graph.permute %p [0, 1, 3, 2] : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %o = graph.matmul %r, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %o : tensor<2x4x8x16xf32>
}

// Rows that see nothing are replaced by zeros, which is what the operator gives.
// CHECK-LABEL: @empty_rows
// CHECK:         graph.attention {{.*}} mask %{{.+}} scale
func.func @empty_rows(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %b: tensor<8x8xi1>) -> tensor<2x4x8x16xf32> {
  %t = graph.permute %k [0, 1, 3, 2] : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %x = graph.matmul %q, %t : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %f = graph.full 0xFF800000 : f32 -> tensor<f32>
  %z = graph.full 0.0 : f32 -> tensor<f32>
  %y = graph.select %b, %x, %f : (tensor<8x8xi1>, tensor<2x4x8x8xf32>, tensor<f32>) -> tensor<2x4x8x8xf32>
  %h = graph.compare eq, %y, %f : (tensor<2x4x8x8xf32>, tensor<f32>) -> tensor<2x4x8x8xi1>
  %n = graph.reduce all, %h dims [3] keepdims : (tensor<2x4x8x8xi1>) -> tensor<2x4x8x1xi1>
  %rm = graph.reduce max, %y dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %rd = graph.sub %y, %rm : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %re = graph.exp %rd : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %rs = graph.reduce sum, %re dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %w = graph.div %re, %rs : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %p = graph.select %n, %z, %w : (tensor<2x4x8x1xi1>, tensor<f32>, tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %o = graph.matmul %p, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %o : tensor<2x4x8x16xf32>
}

// The sum divides behind the second product.
// CHECK-LABEL: @late
// CHECK:         graph.attention %arg0, %arg1, %arg2 scale 1.0
func.func @late(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32> {
  %t = graph.permute %k [0, 1, 3, 2] : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %x = graph.matmul %q, %t : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %rm = graph.reduce max, %x dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %rd = graph.sub %x, %rm : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %re = graph.exp %rd : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %rs = graph.reduce sum, %re dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %w = graph.matmul %re, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  %o = graph.div %w, %rs : (tensor<2x4x8x16xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x16xf32>
  return %o : tensor<2x4x8x16xf32>
}

// CHECK-LABEL: @logarithm
// CHECK:         graph.attention %arg0, %arg1, %arg2 scale 1.0
func.func @logarithm(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32> {
  %t = graph.permute %k [0, 1, 3, 2] : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %x = graph.matmul %q, %t : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %rm = graph.reduce max, %x dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %rd = graph.sub %x, %rm : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %re = graph.exp %rd : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %rs = graph.reduce sum, %re dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %g = graph.log %rs : (tensor<2x4x8x1xf32>) -> tensor<2x4x8x1xf32>
  %h = graph.sub %rd, %g : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %p = graph.exp %h : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %o = graph.matmul %p, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %o : tensor<2x4x8x16xf32>
}

// 2^x is e^(x log 2).
// CHECK-LABEL: @base_two
// CHECK:         graph.attention %arg0, %arg1, %arg2 scale 0.69314718
func.func @base_two(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32> {
  %t = graph.permute %k [0, 1, 3, 2] : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %x = graph.matmul %q, %t : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %rm = graph.reduce max, %x dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %rd = graph.sub %x, %rm : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %re = graph.exp2 %rd : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %rs = graph.reduce sum, %re dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %i = graph.reciprocal %rs : (tensor<2x4x8x1xf32>) -> tensor<2x4x8x1xf32>
  %p = graph.mul %re, %i : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %o = graph.matmul %p, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %o : tensor<2x4x8x16xf32>
}

// A factor of each head scales its queries.
// CHECK-LABEL: @row_factor
// CHECK:         %[[A:.+]] = graph.mul %arg0, %{{.+}}
// CHECK:         graph.attention %[[A]], %arg1, %arg2 scale 1.0
func.func @row_factor(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %g: tensor<4x1x1xf32>) -> tensor<2x4x8x16xf32> {
  %t = graph.permute %k [0, 1, 3, 2] : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %x = graph.matmul %q, %t : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %y = graph.mul %x, %g : (tensor<2x4x8x8xf32>, tensor<4x1x1xf32>) -> tensor<2x4x8x8xf32>
  %rm = graph.reduce max, %y dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %rd = graph.sub %y, %rm : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %re = graph.exp %rd : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %rs = graph.reduce sum, %re dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %p = graph.div %re, %rs : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %o = graph.matmul %p, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %o : tensor<2x4x8x16xf32>
}

// Heads are joined with the batch for the products and apart between them; keys and
// values have half of the heads, each repeated.
// CHECK-LABEL: @grouped
// CHECK-DAG:     %[[K:.+]] = graph.broadcast %{{.+}} : (tensor<2x2x1x8x16xf32>) -> tensor<2x2x2x8x16xf32>
// CHECK:         %[[O:.+]] = graph.attention %{{.+}}, %{{.+}}, %{{.+}} mask %{{.+}} nan_rows scale 1.000000e+00 : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x1x1x8xf32>) -> tensor<2x4x8x16xf32>
func.func @grouped(%q: tensor<2x8x4x16xf32>, %k: tensor<2x2x8x16xf32>, %v: tensor<2x2x8x16xf32>, %m: tensor<2x1x1x8xf32>) -> tensor<2x8x64xf32> {
  %q1 = graph.permute %q [0, 2, 1, 3] : (tensor<2x8x4x16xf32>) -> tensor<2x4x8x16xf32>
  %q2 = graph.reshape %q1 : (tensor<2x4x8x16xf32>) -> tensor<8x8x16xf32>
  %k1 = graph.reshape %k : (tensor<2x2x8x16xf32>) -> tensor<2x2x1x8x16xf32>
  %k2 = graph.broadcast %k1 : (tensor<2x2x1x8x16xf32>) -> tensor<2x2x2x8x16xf32>
  %k3 = graph.reshape %k2 : (tensor<2x2x2x8x16xf32>) -> tensor<8x8x16xf32>
  %k4 = graph.permute %k3 [0, 2, 1] : (tensor<8x8x16xf32>) -> tensor<8x16x8xf32>
  %v1 = graph.reshape %v : (tensor<2x2x8x16xf32>) -> tensor<2x2x1x8x16xf32>
  %v2 = graph.broadcast %v1 : (tensor<2x2x1x8x16xf32>) -> tensor<2x2x2x8x16xf32>
  %v3 = graph.reshape %v2 : (tensor<2x2x2x8x16xf32>) -> tensor<8x8x16xf32>
  %x = graph.matmul %q2, %k4 : (tensor<8x8x16xf32>, tensor<8x16x8xf32>) -> tensor<8x8x8xf32>
  %y = graph.reshape %x : (tensor<8x8x8xf32>) -> tensor<2x4x8x8xf32>
  %z = graph.add %y, %m : (tensor<2x4x8x8xf32>, tensor<2x1x1x8xf32>) -> tensor<2x4x8x8xf32>
  %rm = graph.reduce max, %z dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %rd = graph.sub %z, %rm : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %re = graph.exp %rd : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %rs = graph.reduce sum, %re dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %p = graph.div %re, %rs : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %p1 = graph.reshape %p : (tensor<2x4x8x8xf32>) -> tensor<8x8x8xf32>
  %o = graph.matmul %p1, %v3 : (tensor<8x8x8xf32>, tensor<8x8x16xf32>) -> tensor<8x8x16xf32>
  %o1 = graph.reshape %o : (tensor<8x8x16xf32>) -> tensor<2x4x8x16xf32>
  %o2 = graph.permute %o1 [0, 2, 1, 3] : (tensor<2x4x8x16xf32>) -> tensor<2x8x4x16xf32>
  %o3 = graph.reshape %o2 : (tensor<2x8x4x16xf32>) -> tensor<2x8x64xf32>
  return %o3 : tensor<2x8x64xf32>
}

// All heads have one key: its rows multiply those of all heads at once. A mask that
// does not vary over heads keeps them apart.
// CHECK-LABEL: @one_key
// CHECK:         graph.attention %{{.+}}, %{{.+}}, %{{.+}} mask %{{.+}} nan_rows scale 1.000000e+00 : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<1x1x8x8xf32>)
func.func @one_key(%q: tensor<2x4x8x16xf32>, %k: tensor<2x8x16xf32>, %m: tensor<8x8xf32>) -> tensor<2x4x8x16xf32> {
  %q1 = graph.reshape %q : (tensor<2x4x8x16xf32>) -> tensor<2x32x16xf32>
  %t = graph.permute %k [0, 2, 1] : (tensor<2x8x16xf32>) -> tensor<2x16x8xf32>
  %x = graph.matmul %q1, %t : (tensor<2x32x16xf32>, tensor<2x16x8xf32>) -> tensor<2x32x8xf32>
  %y = graph.reshape %x : (tensor<2x32x8xf32>) -> tensor<2x4x8x8xf32>
  %z = graph.add %y, %m : (tensor<2x4x8x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8x8xf32>
  %rm = graph.reduce max, %z dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %rd = graph.sub %z, %rm : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %re = graph.exp %rd : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %rs = graph.reduce sum, %re dims [3] keepdims : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %p = graph.div %re, %rs : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %p1 = graph.reshape %p : (tensor<2x4x8x8xf32>) -> tensor<2x32x8xf32>
  %o = graph.matmul %p1, %k : (tensor<2x32x8xf32>, tensor<2x8x16xf32>) -> tensor<2x32x16xf32>
  %o1 = graph.reshape %o : (tensor<2x32x16xf32>) -> tensor<2x4x8x16xf32>
  return %o1 : tensor<2x4x8x16xf32>
}

// The softmax is computed in f32, as the operator does.
// CHECK-LABEL: @upcast
// CHECK:         graph.attention %{{.+}}, %{{.+}}, %{{.+}} mask %{{.+}} nan_rows scale 1.000000e+00 : (tensor<3x1x8x16xbf16>, tensor<3x1x8x16xbf16>, tensor<3x1x8x16xbf16>, tensor<1x1x8x8xbf16>) -> tensor<3x1x8x16xbf16>
func.func @upcast(%q: tensor<3x8x16xbf16>, %k: tensor<3x8x16xbf16>, %v: tensor<3x8x16xbf16>, %m: tensor<8x8xbf16>) -> tensor<3x8x16xbf16> {
  %t = graph.permute %k [0, 2, 1] : (tensor<3x8x16xbf16>) -> tensor<3x16x8xbf16>
  %x = graph.matmul %q, %t : (tensor<3x8x16xbf16>, tensor<3x16x8xbf16>) -> tensor<3x8x8xbf16>
  %y = graph.add %x, %m : (tensor<3x8x8xbf16>, tensor<8x8xbf16>) -> tensor<3x8x8xbf16>
  %z = graph.convert %y : (tensor<3x8x8xbf16>) -> tensor<3x8x8xf32>
  %rm = graph.reduce max, %z dims [2] keepdims : (tensor<3x8x8xf32>) -> tensor<3x8x1xf32>
  %rd = graph.sub %z, %rm : (tensor<3x8x8xf32>, tensor<3x8x1xf32>) -> tensor<3x8x8xf32>
  %re = graph.exp %rd : (tensor<3x8x8xf32>) -> tensor<3x8x8xf32>
  %rs = graph.reduce sum, %re dims [2] keepdims : (tensor<3x8x8xf32>) -> tensor<3x8x1xf32>
  %p = graph.div %re, %rs : (tensor<3x8x8xf32>, tensor<3x8x1xf32>) -> tensor<3x8x8xf32>
  %w = graph.convert %p : (tensor<3x8x8xf32>) -> tensor<3x8x8xbf16>
  %o = graph.matmul %w, %v : (tensor<3x8x8xbf16>, tensor<3x8x16xbf16>) -> tensor<3x8x16xbf16>
  return %o : tensor<3x8x16xbf16>
}

// CHECK-LABEL: @symbolic
// CHECK:         graph.attention
func.func @symbolic(%q: tensor<2x?x16xf32, #sym.shape<[2, s0, 16]>>, %k: tensor<2x?x16xf32, #sym.shape<[2, s1, 16]>>) -> tensor<2x?x16xf32, #sym.shape<[2, s0, 16]>> attributes {sym.symbols = {s0 = #sym.range<1, 4096>, s1 = #sym.range<1, 4096>}} {
  %t = graph.permute %k [0, 2, 1] : (tensor<2x?x16xf32, #sym.shape<[2, s1, 16]>>) -> tensor<2x16x?xf32, #sym.shape<[2, 16, s1]>>
  %x = graph.matmul %q, %t : (tensor<2x?x16xf32, #sym.shape<[2, s0, 16]>>, tensor<2x16x?xf32, #sym.shape<[2, 16, s1]>>) -> tensor<2x?x?xf32, #sym.shape<[2, s0, s1]>>
  %rm = graph.reduce max, %x dims [2] keepdims : (tensor<2x?x?xf32, #sym.shape<[2, s0, s1]>>) -> tensor<2x?x1xf32, #sym.shape<[2, s0, 1]>>
  %rd = graph.sub %x, %rm : (tensor<2x?x?xf32, #sym.shape<[2, s0, s1]>>, tensor<2x?x1xf32, #sym.shape<[2, s0, 1]>>) -> tensor<2x?x?xf32, #sym.shape<[2, s0, s1]>>
  %re = graph.exp %rd : (tensor<2x?x?xf32, #sym.shape<[2, s0, s1]>>) -> tensor<2x?x?xf32, #sym.shape<[2, s0, s1]>>
  %rs = graph.reduce sum, %re dims [2] keepdims : (tensor<2x?x?xf32, #sym.shape<[2, s0, s1]>>) -> tensor<2x?x1xf32, #sym.shape<[2, s0, 1]>>
  %p = graph.div %re, %rs : (tensor<2x?x?xf32, #sym.shape<[2, s0, s1]>>, tensor<2x?x1xf32, #sym.shape<[2, s0, 1]>>) -> tensor<2x?x?xf32, #sym.shape<[2, s0, s1]>>
  %o = graph.matmul %p, %k : (tensor<2x?x?xf32, #sym.shape<[2, s0, s1]>>, tensor<2x?x16xf32, #sym.shape<[2, s1, 16]>>) -> tensor<2x?x16xf32, #sym.shape<[2, s0, 16]>>
  return %o : tensor<2x?x16xf32, #sym.shape<[2, s0, 16]>>
}
