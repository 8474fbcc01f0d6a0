// RUN: coil-opt %s --graph-decompose | FileCheck %s

// CHECK-LABEL: @plain
// CHECK-SAME:    %[[Q:.+]]: tensor<2x4x8x16xf32>, %[[K:.+]]: tensor<2x4x6x16xf32>, %[[V:.+]]: tensor<2x4x6x5xf32>
// CHECK:         %[[T:.+]] = graph.permute %[[K]] [0, 1, 3, 2]
// CHECK:         %[[S:.+]] = graph.matmul %[[Q]], %[[T]]
// CHECK:         %[[C:.+]] = graph.full 2.500000e-01 : f32
// CHECK:         %[[SCALED:.+]] = graph.mul %[[S]], %[[C]]
// CHECK:         %[[M:.+]] = graph.reduce max, %[[SCALED]] dims [3] keepdims
// CHECK:         %[[D:.+]] = graph.sub %[[SCALED]], %[[M]]
// CHECK:         %[[E:.+]] = graph.exp %[[D]]
// CHECK:         %[[SUM:.+]] = graph.reduce sum, %[[E]] dims [3] keepdims
// CHECK:         %[[P:.+]] = graph.div %[[E]], %[[SUM]]
// The second product is stored with the heads side by side.
// CHECK:         %[[PT:.+]] = graph.permute %[[P]] [0, 2, 1, 3]
// CHECK:         %[[P5:.+]] = graph.reshape %[[PT]] : {{.*}} -> tensor<2x8x4x6x1xf32>
// CHECK:         %[[V5:.+]] = graph.reshape %[[V]] : {{.*}} -> tensor<2x1x4x6x5xf32>
// CHECK:         %[[PV:.+]] = graph.mul %[[P5]], %[[V5]]
// CHECK:         %[[O:.+]] = graph.reduce sum, %[[PV]] dims [3] : {{.*}} -> tensor<2x8x4x5xf32>
// CHECK:         %[[R:.+]] = graph.permute %[[O]] [0, 2, 1, 3]
// CHECK:         return %[[R]] : tensor<2x4x8x5xf32>
func.func @plain(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x6x16xf32>, %v: tensor<2x4x6x5xf32>) -> tensor<2x4x8x5xf32> {
  %0 = graph.attention %q, %k, %v scale 0.25 : (tensor<2x4x8x16xf32>, tensor<2x4x6x16xf32>, tensor<2x4x6x5xf32>) -> tensor<2x4x8x5xf32>
  return %0 : tensor<2x4x8x5xf32>
}

// CHECK-LABEL: @causal_with_symbolic_length
// CHECK:         %[[I:.+]] = graph.iota 0 : i64 step 1 : i64 dim 0 -> tensor<?xi64, #sym.shape<[s0]>>
// CHECK:         %[[ROW:.+]] = graph.reshape %[[I]]
// CHECK:         %[[COL:.+]] = graph.iota
// CHECK:         %[[SEEN:.+]] = graph.compare le, %[[COL]], %[[ROW]]
// CHECK:         graph.select %[[SEEN]]
func.func @causal_with_symbolic_length(%q: tensor<2x?x8xf32, #sym.shape<[2, s0, 8]>>) -> tensor<2x?x8xf32, #sym.shape<[2, s0, 8]>>
    attributes {sym.symbols = {s0 = #sym.range<2, 64>}} {
  %0 = graph.attention %q, %q, %q causal scale 1.0 : (tensor<2x?x8xf32, #sym.shape<[2, s0, 8]>>, tensor<2x?x8xf32, #sym.shape<[2, s0, 8]>>, tensor<2x?x8xf32, #sym.shape<[2, s0, 8]>>) -> tensor<2x?x8xf32, #sym.shape<[2, s0, 8]>>
  return %0 : tensor<2x?x8xf32, #sym.shape<[2, s0, 8]>>
}

// A row that sees nothing gives zeros.
// CHECK-LABEL: @bool_mask
// CHECK-SAME:    %[[MASK:[a-z0-9]+]]: tensor<8x8xi1>
// CHECK:         %[[INF:.+]] = graph.full 0xFF800000 : f32
// CHECK:         %[[S:.+]] = graph.select %[[MASK]], %{{.*}}, %[[INF]]
// CHECK:         %[[M:.+]] = graph.reduce max, %[[S]]
// CHECK:         %[[NOTHING:.+]] = graph.compare eq, %[[M]]
// CHECK:         graph.select %[[NOTHING]]
func.func @bool_mask(%q: tensor<8x4xf32>, %mask: tensor<8x8xi1>) -> tensor<8x4xf32> {
  %0 = graph.attention %q, %q, %q mask %mask scale 1.0 : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x8xi1>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// CHECK-LABEL: @additive_mask
// CHECK:         graph.add %{{.*}}, %{{.*}} : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
func.func @additive_mask(%q: tensor<8x4xf32>, %mask: tensor<8xf32>) -> tensor<8x4xf32> {
  %0 = graph.attention %q, %q, %q mask %mask scale 1.0 : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// Scores and softmax of 16-bit floats are f32; the weights are rounded.
// CHECK-LABEL: @half_precision
// CHECK:         graph.matmul {{.*}} -> tensor<8x8xf32>
// CHECK:         %[[P:.+]] = graph.div {{.*}} -> tensor<8x8xf32>
// CHECK:         %[[R:.+]] = graph.convert %[[P]] : (tensor<8x8xf32>) -> tensor<8x8xbf16>
// CHECK:         graph.matmul %[[R]], %{{.*}} -> tensor<8x4xbf16>
func.func @half_precision(%q: tensor<8x4xbf16>) -> tensor<8x4xbf16> {
  %0 = graph.attention %q, %q, %q scale 1.0 : (tensor<8x4xbf16>, tensor<8x4xbf16>, tensor<8x4xbf16>) -> tensor<8x4xbf16>
  return %0 : tensor<8x4xbf16>
}

// A soft cap, and a number in place of minus infinity: no row sees nothing.
// CHECK-LABEL: @capped
// CHECK:         %[[CAP:.+]] = graph.full 5.0{{[0-9]+}}e+00 : f32
// CHECK:         %[[Q:.+]] = graph.div %{{.+}}, %[[CAP]]
// CHECK:         %[[T:.+]] = graph.tanh %[[Q]]
// CHECK:         %[[S:.+]] = graph.mul %[[T]], %[[CAP]]
// CHECK:         %[[FILL:.+]] = graph.full -9.0{{[0-9]+}}e+00 : f32
// CHECK:         graph.select %arg1, %[[S]], %[[FILL]]
// CHECK-NOT:     graph.compare eq
func.func @capped(%q: tensor<2x4x8xf32>, %m: tensor<4x4xi1>) -> tensor<2x4x8xf32> {
  %0 = graph.attention %q, %q, %q mask %m fill -9.0 scale 0.5 softcap 5.0 : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<4x4xi1>) -> tensor<2x4x8xf32>
  return %0 : tensor<2x4x8xf32>
}

// Rows that see nothing are NaN, as softmax makes them.
// CHECK-LABEL: @nan_rows
// CHECK-NOT:     graph.compare eq
func.func @nan_rows(%q: tensor<2x4x8xf32>, %m: tensor<4x4xi1>) -> tensor<2x4x8xf32> {
  %0 = graph.attention %q, %q, %q mask %m nan_rows scale 0.5 : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<4x4xi1>) -> tensor<2x4x8xf32>
  return %0 : tensor<2x4x8xf32>
}
