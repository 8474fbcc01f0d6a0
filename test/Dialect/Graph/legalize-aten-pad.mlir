// RUN: coil-opt %s --graph-legalize-aten | FileCheck %s

// A mirror on the first and the last element.
// CHECK-LABEL: @reflect
// CHECK-DAG:     %[[LAST:.+]] = graph.expr <s0 - 1> -> tensor<i64>
// CHECK-DAG:     %[[I:.+]] = graph.iota 0 : i64 step 1 : i64 dim 0 -> tensor<?xi64, #sym.shape<[s0 + 5]>>
// CHECK:         graph.abs
// CHECK:         graph.abs
// CHECK:         graph.index %{{.*}}[%{{.*}}] dims [1] : ({{.*}}) -> tensor<4x?xf32, #sym.shape<[4, s0 + 5]>>
func.func @reflect(%x: tensor<4x?xf32, #sym.shape<[4, s0]>>) -> tensor<4x?xf32, #sym.shape<[4, s0 + 5]>>
    attributes {sym.symbols = {s0 = #sym.range<4, 64>}} {
  %0 = graph.aten "aten.pad.default"(%x) ["self"] {pad = array<i64: 2, 3>, mode = "reflect"} : (tensor<4x?xf32, #sym.shape<[4, s0]>>) -> tensor<4x?xf32, #sym.shape<[4, s0 + 5]>>
  return %0 : tensor<4x?xf32, #sym.shape<[4, s0 + 5]>>
}

// A dimension that nothing is added to is not indexed.
// CHECK-LABEL: @replicate_rows
// CHECK:         graph.maximum
// CHECK:         graph.minimum
// CHECK:         graph.index %{{.*}}[%{{.*}}] dims [1] : (tensor<2x3x5xf32>, tensor<6xi64>) -> tensor<2x6x5xf32>
// CHECK-NOT:     graph.index
// CHECK:         return
func.func @replicate_rows(%x: tensor<2x3x5xf32>) -> tensor<2x6x5xf32> {
  %0 = graph.aten "aten.replication_pad2d.default"(%x) ["self"] {padding = array<i64: 0, 0, 1, 2>} : (tensor<2x3x5xf32>) -> tensor<2x6x5xf32>
  return %0 : tensor<2x6x5xf32>
}

// CHECK-LABEL: @circular
// CHECK:         graph.remainder
// CHECK:         graph.index
func.func @circular(%x: tensor<7xi8>) -> tensor<9xi8> {
  %0 = graph.aten "aten._pad_circular.default"(%x) ["self"] {pad = array<i64: 1, 1>} : (tensor<7xi8>) -> tensor<9xi8>
  return %0 : tensor<9xi8>
}

// CHECK-LABEL: @unknown_mode
// CHECK:         graph.aten {{.*}}graph.reason = "padding mode 'sideways' is not known"
func.func @unknown_mode(%x: tensor<7xf32>) -> tensor<9xf32> {
  %0 = graph.aten "aten.pad.default"(%x) ["self"] {pad = array<i64: 1, 1>, mode = "sideways"} : (tensor<7xf32>) -> tensor<9xf32>
  return %0 : tensor<9xf32>
}

// CHECK-LABEL: @empty_has_no_elements_to_repeat
// CHECK:         graph.aten {{.*}}graph.reason = "a dimension that it pads is empty"
func.func @empty_has_no_elements_to_repeat(%x: tensor<0xf32>) -> tensor<2xf32> {
  %0 = graph.aten "aten.pad.default"(%x) ["self"] {pad = array<i64: 1, 1>, mode = "replicate"} : (tensor<0xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
