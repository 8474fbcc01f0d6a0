// RUN: coil-interpret %s | FileCheck %s
// RUN: coil-interpret %s --function=symbols --input='dense<[5.0, 6.0, 7.0]> : tensor<3xf32>' | FileCheck %s --check-prefix=SYMBOLS
// The same through the lowering.
// RUN: coil-opt %s --convert-graph-to-loop | coil-interpret | FileCheck %s
// RUN: coil-opt %s --convert-graph-to-loop | coil-interpret --function=symbols --input='dense<[5.0, 6.0, 7.0]> : tensor<3xf32>' | FileCheck %s --check-prefix=SYMBOLS

// CHECK-LABEL: @views
// CHECK-NEXT: {{\[}}[0, 1], [2, 3], [4, 5]] : 3x2xi32
// CHECK-NEXT: {{\[}}[0, 3], [1, 4], [2, 5]] : 3x2xi32
// CHECK-NEXT: {{\[}}[2, 0], [5, 3]] : 2x2xi32
func.func @views() -> (tensor<3x2xi32>, tensor<3x2xi32>, tensor<2x2xi32>) {
  %x = graph.constant dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi32>
  %0 = graph.reshape %x : (tensor<2x3xi32>) -> tensor<3x2xi32>
  %1 = graph.permute %x [1, 0] : (tensor<2x3xi32>) -> tensor<3x2xi32>
  %2 = graph.slice %x starts <[0, 2]> steps [1, -2] : (tensor<2x3xi32>) -> tensor<2x2xi32>
  return %0, %1, %2 : tensor<3x2xi32>, tensor<3x2xi32>, tensor<2x2xi32>
}

// CHECK-LABEL: @cat_and_pad
// CHECK-NEXT: {{\[}}[1, 2, 9], [3, 4, 8]] : 2x3xi16
// CHECK-NEXT: [7, 1, 2, 3] : 4xi16
// CHECK-NEXT: [2, 3, 4, 7] : 4xi16
func.func @cat_and_pad() -> (tensor<2x3xi16>, tensor<4xi16>, tensor<4xi16>) {
  %x = graph.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi16>
  %y = graph.constant dense<[[9], [8]]> : tensor<2x1xi16>
  %0 = graph.cat %x, %y dim 1 : (tensor<2x2xi16>, tensor<2x1xi16>) -> tensor<2x3xi16>
  %z = graph.reshape %x : (tensor<2x2xi16>) -> tensor<4xi16>
  %1 = graph.pad %z low [1] high [-1] value 7 : i16 : (tensor<4xi16>) -> tensor<4xi16>
  %2 = graph.pad %z low [-1] high [1] value 7 : i16 : (tensor<4xi16>) -> tensor<4xi16>
  return %0, %1, %2 : tensor<2x3xi16>, tensor<4xi16>, tensor<4xi16>
}

// Negative indices count from the end; the shape of indices that are not
// adjacent comes first.
// CHECK-LABEL: @indexing
// CHECK-NEXT: {{\[}}[20, 10], [40, 60]] : 2x2xi32
// CHECK-NEXT: {{\[}}[40, 50, 60], [10, 20, 30], [40, 50, 60]] : 3x3xi32
// CHECK-NEXT: {{\[}}[0, 2], [5, 7]] : 2x2xi32
// CHECK-NEXT: {{\[}}[0, 1], [6, 7]] : 2x2xi32
func.func @indexing() -> (tensor<2x2xi32>, tensor<3x3xi32>, tensor<2x2xi32>, tensor<2x2xi32>) {
  %x = graph.constant dense<[[10, 20, 30], [40, 50, 60]]> : tensor<2x3xi32>
  %i = graph.constant dense<[[1, 0], [-3, 2]]> : tensor<2x2xi64>
  %0 = graph.gather %x, %i dim 1 : (tensor<2x3xi32>, tensor<2x2xi64>) -> tensor<2x2xi32>
  %j = graph.constant dense<[1, 0, -1]> : tensor<3xi32>
  %1 = graph.index %x[%j] dims [0] : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<3x3xi32>
  %c = graph.constant dense<[[[0, 1], [2, 3]], [[4, 5], [6, 7]]]> : tensor<2x2x2xi32>
  %k = graph.constant dense<[0, 1]> : tensor<2xi64>
  %2 = graph.index %c[%k, %k] dims [0, 2] : (tensor<2x2x2xi32>, tensor<2xi64>, tensor<2xi64>) -> tensor<2x2xi32>
  %3 = graph.index %c[%k, %k] dims [0, 1] : (tensor<2x2x2xi32>, tensor<2xi64>, tensor<2xi64>) -> tensor<2x2xi32>
  return %0, %1, %2, %3 : tensor<2x2xi32>, tensor<3x3xi32>, tensor<2x2xi32>, tensor<2x2xi32>
}

// CHECK-LABEL: @creation
// CHECK-NEXT: {{\[}}[1.5, 1.5]] : 1x2xbf16
// CHECK-NEXT: {{\[}}[5, 3, 1], [5, 3, 1]] : 2x3xi64
// CHECK-NEXT: [0, 0.1, 0.2] : 3xf32
func.func @creation() -> (tensor<1x2xbf16>, tensor<2x3xi64>, tensor<3xf32>) {
  %0 = graph.full 1.5 : bf16 -> tensor<1x2xbf16>
  %1 = graph.iota 5 : i64 step -2 : i64 dim 1 -> tensor<2x3xi64>
  %2 = graph.iota 0.0 : f64 step 0.1 : f64 dim 0 -> tensor<3xf32>
  return %0, %1, %2 : tensor<1x2xbf16>, tensor<2x3xi64>, tensor<3xf32>
}

// SYMBOLS-LABEL: @symbols
// SYMBOLS-NEXT: 6 : i64
// SYMBOLS-NEXT: [5, 6, 7, 5, 6, 7] : 6xf32
// SYMBOLS-NEXT: [6, 7] : 2xf32
func.func @symbols(%x: tensor<?xf32, #sym.shape<[s0]>>) -> (tensor<i64>, tensor<?xf32, #sym.shape<[s0 * 2]>>, tensor<?xf32, #sym.shape<[s0 - 1]>>)
    attributes {sym.symbols = {s0 = #sym.range<2, 8>}} {
  %0 = graph.expr <s0 * 2> -> tensor<i64>
  %1 = graph.cat %x, %x dim 0 : (tensor<?xf32, #sym.shape<[s0]>>, tensor<?xf32, #sym.shape<[s0]>>) -> tensor<?xf32, #sym.shape<[s0 * 2]>>
  %2 = graph.slice %x starts <[1]> steps [1] : (tensor<?xf32, #sym.shape<[s0]>>) -> tensor<?xf32, #sym.shape<[s0 - 1]>>
  return %0, %1, %2 : tensor<i64>, tensor<?xf32, #sym.shape<[s0 * 2]>>, tensor<?xf32, #sym.shape<[s0 - 1]>>
}

// The last of several writes wins, sums take all of them, in order.
// CHECK-LABEL: @scatter
// CHECK-NEXT:  [1, 9, 3] : 3xi64
// CHECK-NEXT:  [1, 19, 3] : 3xi64
// CHECK-NEXT:  {{\[}}[0, 0, 8], [7, 0, 0]] : 2x3xi64
func.func @scatter() -> (tensor<3xi64>, tensor<3xi64>, tensor<2x3xi64>) {
  %x = graph.constant dense<[1, 2, 3]> : tensor<3xi64>
  %i = graph.constant dense<[1, -2]> : tensor<2xi64>
  %v = graph.constant dense<[8, 9]> : tensor<2xi64>
  %0 = graph.scatter %x, %i, %v dim 0 : (tensor<3xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<3xi64>
  %1 = graph.index_put sum %x[%i], %v dims [0] : (tensor<3xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<3xi64>
  %z = graph.full 0 : i64 -> tensor<2x3xi64>
  %r = graph.constant dense<[1, 0]> : tensor<2xi64>
  %c = graph.constant dense<[0, 2]> : tensor<2xi64>
  %w = graph.constant dense<[7, 8]> : tensor<2xi64>
  %2 = graph.index_put %z[%r, %c], %w dims [0, 1] : (tensor<2x3xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<2x3xi64>
  return %0, %1, %2 : tensor<3xi64>, tensor<3xi64>, tensor<2x3xi64>
}
