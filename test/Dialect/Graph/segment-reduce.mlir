// RUN: coil-opt %s | coil-opt | FileCheck %s
// RUN: coil-opt %s --convert-graph-to-loop | FileCheck %s --check-prefix=LOOP

!x = tensor<?x16x3xbf16, #sym.shape<[n, 16, 3]>>
!b = tensor<?xi64, #sym.shape<[v]>>
!y = tensor<?x16x3xf32, #sym.shape<[v, 16, 3]>>

// CHECK-LABEL: @listed
// CHECK:         graph.segment_reduce sum %{{.+}} at %{{.+}} from %{{.+}} to %{{.+}} : (tensor<?x16x3xbf16, #sym.shape<[n, 16, 3]>>, tensor<?xi64, #sym.shape<[v]>>, tensor<?xi64, #sym.shape<[v]>>, tensor<64xi32>) -> tensor<?x16x3xf32, #sym.shape<[v, 16, 3]>>
// LOOP-LABEL:  @listed
// LOOP:          loop.kernel "segment_sum" [v, 16, 3] (%[[X:.+]] = %{{.+}}, %[[LO:.+]] = %{{.+}}, %[[HI:.+]] = %{{.+}}, %[[P:.+]] = %{{.+}})
// LOOP-NEXT:       %[[L:.+]] = loop.load %[[LO]][d0]
// LOOP-NEXT:       %[[H:.+]] = loop.load %[[HI]][d0]
// LOOP-NEXT:       %[[S:.+]] = loop.segment_sum %[[X]][t0, d1, d2] at %[[P]] : tensor<64xi32> from %[[L]] to %[[H]] : tensor<?x16x3xbf16, #sym.shape<[n, 16, 3]>> -> f32
// LOOP-NEXT:       loop.store %[[S]], 0[d0, d1, d2] : f32
func.func @listed(%x: !x, %lo: !b, %hi: !b, %p: tensor<64xi32>) -> !y
    attributes {sym.symbols = {n = #sym.range<0, 64>, v = #sym.range<0, 64>}} {
  %0 = graph.segment_reduce sum %x at %p from %lo to %hi : (!x, !b, !b, tensor<64xi32>) -> !y
  return %0 : !y
}

// CHECK-LABEL: @ranges
// CHECK:         graph.segment_reduce sum %{{.+}} from %{{.+}} to %{{.+}} : (tensor<64xf64>, tensor<8xi64>, tensor<8xi64>) -> tensor<8xf64>
// LOOP-LABEL:  @ranges
// LOOP:          loop.segment_sum %{{.+}}[t0] from %{{.+}} to %{{.+}} : tensor<64xf64> -> f64
func.func @ranges(%x: tensor<64xf64>, %lo: tensor<8xi64>, %hi: tensor<8xi64>) -> tensor<8xf64> {
  %0 = graph.segment_reduce sum %x from %lo to %hi : (tensor<64xf64>, tensor<8xi64>, tensor<8xi64>) -> tensor<8xf64>
  return %0 : tensor<8xf64>
}

// CHECK-LABEL: @onto
// CHECK:         graph.segment_reduce sum %{{.+}} at %{{.+}} from %{{.+}} to %{{.+}} plus %{{.+}} : (tensor<64x4xf32>, tensor<8xi64>, tensor<8xi64>, tensor<9xi64>, tensor<8x4xf32>) -> tensor<8x4xf32>
// LOOP-LABEL:  @onto
// LOOP:          %[[I:.+]] = loop.load %{{.+}}[d0, d1] : tensor<8x4xf32> -> f32
// LOOP:          loop.segment_sum %{{.+}}[t0, d1] at %{{.+}} : tensor<9xi64> from %{{.+}} to %{{.+}} plus %[[I]] : f32 : tensor<64x4xf32> -> f32
func.func @onto(%x: tensor<64x4xf32>, %lo: tensor<8xi64>, %hi: tensor<8xi64>, %p: tensor<9xi64>, %y: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = graph.segment_reduce sum %x at %p from %lo to %hi plus %y : (tensor<64x4xf32>, tensor<8xi64>, tensor<8xi64>, tensor<9xi64>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
