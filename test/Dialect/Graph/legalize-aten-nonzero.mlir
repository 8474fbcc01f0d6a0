// RUN: coil-opt %s --target-attach=target=cuda:sm_90a --graph-legalize-aten --graph-verify-contract --split-input-file | FileCheck %s
// RUN: coil-opt %s --target-attach=target=cpu:x86-64-v3 --graph-legalize-aten --graph-verify-contract --split-input-file | FileCheck %s --check-prefix=CPU

// A core writes one after the other: each element goes behind those that are
// selected, where the next one replaces it unless it is, and vectors count.
// CPU-LABEL: func.func @masked_select(
// CPU:         %[[NUMBER:.+]] = graph.scan sum
// CPU:         %[[AT:.+]] = graph.iota 0 : i64 step 1 : i64 dim 0 -> tensor<64xi32>
// CPU:         %[[FLAGS:.+]] = graph.convert %arg1 : (tensor<64xi1>) -> tensor<64xi32>
// CPU:         %[[PLACE:.+]] = graph.sub %[[NUMBER]], %[[FLAGS]]
// CPU:         graph.index_put %{{.+}}[%[[PLACE]]], %[[AT]] dims [0] {coil.in_range}
// CPU:         graph.reduce sum, %{{.+}} dims [0]
// CPU:         graph.item "u0"

// Prefix sums number what is selected; positions of it go to the front, those
// of all else to the back; the last sum is what the host reads.
// CHECK-LABEL: func.func @masked_select(
// CHECK-SAME:    sym.symbols = {u0 = #sym.range<0, 64>}
// CHECK:         %[[FLAGS:.+]] = graph.convert %arg1 : (tensor<64xi1>) -> tensor<64xi32>
// CHECK:         %[[SUMS:.+]] = graph.scan sum, %[[FLAGS]] dim 0
// CHECK:         %[[AT:.+]] = graph.iota 0 : i64 step 1 : i64 dim 0 -> tensor<64xi32>
// CHECK:         %[[PLACE:.+]] = graph.select %arg1
// CHECK:         %[[ORDER:.+]] = graph.index_put %{{.+}}[%[[PLACE]]], %[[AT]] dims [0]
// CHECK:         %[[LAST:.+]] = graph.slice %[[SUMS]] starts <[63]>
// CHECK:         graph.item "u0" = %{{.+}} : tensor<i64>
// CHECK:         %[[FRONT:.+]] = graph.slice %[[ORDER]] starts <[0]> steps [1] : (tensor<64xi32>) -> tensor<?xi32, #sym.shape<[u0]>>
// CHECK:         %[[POSITIONS:.+]] = graph.convert %[[FRONT]]
// CHECK:         graph.index %arg0[%[[POSITIONS]]] dims [0]
func.func @masked_select(%x: tensor<64xf32>, %m: tensor<64xi1>) -> tensor<?xf32, #sym.shape<[u0]>>
    attributes {sym.symbols = {u0 = #sym.range<0, *>}} {
  %0 = graph.aten "aten.masked_select.default"(%x, %m) ["self", "mask"] {} defines ["u0"] : (tensor<64xf32>, tensor<64xi1>) -> tensor<?xf32, #sym.shape<[u0]>>
  return %0 : tensor<?xf32, #sym.shape<[u0]>>
}

// -----

// Rows and columns of positions in 32 bits at once, by products; the table that
// positions are written to holds nothing before.
// CHECK-LABEL: func.func @rows(
// CHECK:         %[[TABLE:.+]] = graph.full 0 : i32 {coil.uninitialized} -> tensor<28xi32>
// CHECK:         graph.index_put %[[TABLE]]
// CHECK:         %[[STRIDES:.+]] = graph.constant dense<{{.*}}0.1428{{.*}}1.0{{.*}}> : tensor<2x1xf64>
// CHECK:         graph.mul %{{.+}}, %[[STRIDES]]
// CHECK:         graph.convert %{{.+}} : (tensor<2x?xf64, #sym.shape<[2, u0]>>) -> tensor<2x?xi64, #sym.shape<[2, u0]>>
// CHECK:         graph.permute %{{.+}} [1, 0]
// CHECK-NOT:     graph.floor_div
func.func @rows(%x: tensor<4x7xf32>) -> tensor<?x2xi64, #sym.shape<[u0, 2]>>
    attributes {sym.symbols = {u0 = #sym.range<0, 28>}} {
  %0 = graph.aten "aten.nonzero.default"(%x) ["self"] {} defines ["u0"] : (tensor<4x7xf32>) -> tensor<?x2xi64, #sym.shape<[u0, 2]>>
  return %0 : tensor<?x2xi64, #sym.shape<[u0, 2]>>
}

// -----

// A vector that may be empty has no last sum. Sizes without a bound are numbered
// in 64 bits.
// CHECK-LABEL: func.func @nonzero(
// CHECK:         %[[SUMS:.+]] = graph.scan sum, %{{.+}} dim 0 : (tensor<?xi64, #sym.shape<[s0 * 3]>>)
// CHECK:         %[[PADDED:.+]] = graph.cat %{{.+}}, %[[SUMS]] dim 0
// CHECK:         graph.slice %[[PADDED]] starts <[s0 * 3]>
// CHECK:         graph.item "u0"
// CHECK:         graph.remainder
// CHECK:         graph.floor_div
// CHECK:         graph.cat %{{.+}}, %{{.+}} dim 0 : (tensor<1x?xi64, #sym.shape<[1, u0]>>, tensor<1x?xi64, #sym.shape<[1, u0]>>)
// CHECK:         graph.permute %{{.+}} [1, 0]
func.func @nonzero(%x: tensor<?x3xf32, #sym.shape<[s0, 3]>>) -> tensor<?x2xi64, #sym.shape<[u0, 2]>>
    attributes {sym.symbols = {s0 = #sym.range<0, *>, u0 = #sym.range<0, *>}} {
  %0 = graph.aten "aten.nonzero.default"(%x) ["self"] {} defines ["u0"] : (tensor<?x3xf32, #sym.shape<[s0, 3]>>) -> tensor<?x2xi64, #sym.shape<[u0, 2]>>
  return %0 : tensor<?x2xi64, #sym.shape<[u0, 2]>>
}

// -----

// One mask is numbered and read once.
// CHECK-LABEL: func.func @one_mask(
// CHECK-COUNT-1: graph.scan
// CHECK-NOT:     graph.scan
// CHECK:         graph.item "u0"
// CHECK-NOT:     graph.item
// CHECK:         return
func.func @one_mask(%x: tensor<8x3xf32>, %y: tensor<8xf32>, %m: tensor<8xi1>) -> (tensor<?x3xf32, #sym.shape<[u0, 3]>>, tensor<?xf32, #sym.shape<[u0]>>)
    attributes {sym.symbols = {u0 = #sym.range<0, *>}} {
  %0 = graph.aten "aten.index.Tensor"(%x, %m) ["self", "indices.0"] {} defines ["u0"] : (tensor<8x3xf32>, tensor<8xi1>) -> tensor<?x3xf32, #sym.shape<[u0, 3]>>
  %1 = graph.aten "aten.index.Tensor"(%y, %m) ["self", "indices.0"] {} : (tensor<8xf32>, tensor<8xi1>) -> tensor<?xf32, #sym.shape<[u0]>>
  return %0, %1 : tensor<?x3xf32, #sym.shape<[u0, 3]>>, tensor<?xf32, #sym.shape<[u0]>>
}

// -----

// What export knows already is read, and stated.
// CHECK-LABEL: func.func @known_size(
// CHECK-SAME:    sym.symbols = {n0 = #sym.range<0, 8>}
// CHECK:         graph.item "n0"
// CHECK:         sym.assert <n0> eq <5>, "sizes are equal"
func.func @known_size(%x: tensor<8xf32>, %m: tensor<8xi1>) -> tensor<5xf32> {
  %0 = graph.aten "aten.index.Tensor"(%x, %m) ["self", "indices.0"] {} : (tensor<8xf32>, tensor<8xi1>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

// A mask beside an index is an index for each of its dimensions.
// CHECK-LABEL: func.func @mask_and_index(
// CHECK:         graph.item "u0"
// CHECK:         graph.index %arg0[%{{.+}}, %{{.+}}, %arg2] dims [0, 1, 2]
func.func @mask_and_index(%x: tensor<4x5x6xf32>, %m: tensor<4x5xi1>, %i: tensor<1xi64>) -> tensor<?xf32, #sym.shape<[u0]>>
    attributes {sym.symbols = {u0 = #sym.range<0, *>}} {
  %0 = graph.aten "aten.index.Tensor"(%x, %m, %i) ["self", "indices.0", "indices.1"] {} defines ["u0"] : (tensor<4x5x6xf32>, tensor<4x5xi1>, tensor<1xi64>) -> tensor<?xf32, #sym.shape<[u0]>>
  return %0 : tensor<?xf32, #sym.shape<[u0]>>
}

// -----

// The largest element decides; a negative one makes the size -1, an error.
// CHECK-LABEL: func.func @bincount(
// CHECK:         graph.reduce max
// CHECK:         graph.reduce any
// CHECK:         graph.item "u0"
// CHECK:         graph.index_put sum %{{.+}}[%arg0]
func.func @bincount(%x: tensor<8xi64>) -> tensor<?xi64, #sym.shape<[u0]>>
    attributes {sym.symbols = {u0 = #sym.range<0, *>}} {
  %0 = graph.aten "aten.bincount.default"(%x) ["self"] {minlength = 0 : i64} defines ["u0"] : (tensor<8xi64>) -> tensor<?xi64, #sym.shape<[u0]>>
  return %0 : tensor<?xi64, #sym.shape<[u0]>>
}

// -----

// CHECK-LABEL: func.func @repeat_interleave(
// CHECK:         %[[ENDS:.+]] = graph.scan sum
// CHECK:         graph.reduce any
// CHECK:         graph.item "u0"
// CHECK:         graph.index %[[ENDS]]
func.func @repeat_interleave(%x: tensor<8xi64>) -> tensor<?xi64, #sym.shape<[u0]>>
    attributes {sym.symbols = {u0 = #sym.range<0, *>}} {
  %0 = graph.aten "aten.repeat_interleave.Tensor"(%x) ["repeats"] {} defines ["u0"] : (tensor<8xi64>) -> tensor<?xi64, #sym.shape<[u0]>>
  return %0 : tensor<?xi64, #sym.shape<[u0]>>
}

// -----

// A number that data gives is no tensor for promotion: the product of integers
// and a float is f32.
// CHECK-LABEL: func.func @float_number(
// CHECK:         %[[N:.+]] = graph.convert %arg1 : (tensor<f64>) -> tensor<f32>
// CHECK:         graph.mul %{{.+}}, %[[N]] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
func.func @float_number(%x: tensor<4xi64>, %n: tensor<f64>) -> tensor<4xf32> {
  %0 = graph.aten "aten.mul.Tensor"(%x, %n) ["self", "other"] {} numbers ["other"] : (tensor<4xi64>, tensor<f64>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// An index of any sign.
// CHECK-LABEL: func.func @select(
// CHECK:         sym.assert <0> le <u0 + min(1, max(0, -u0)) * 8>, "an index is inside its dimension"
// CHECK:         sym.assert <u0 + min(1, max(0, -u0)) * 8> lt <8>, "an index is inside its dimension"
func.func @select(%x: tensor<8x3xf32>, %n: tensor<i64>) -> tensor<3xf32>
    attributes {sym.symbols = {u0 = #sym.range<-9223372036854775807, *>}} {
  graph.item "u0" = %n : tensor<i64>
  %0 = graph.aten "aten.select.int"(%x) ["self"] {dim = 0 : i64, index = #sym.expr<u0>} : (tensor<8x3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
