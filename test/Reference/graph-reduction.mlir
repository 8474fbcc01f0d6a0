// RUN: coil-interpret %s | FileCheck %s
// The same through the lowering.
// RUN: coil-opt %s --convert-graph-to-loop | coil-interpret | FileCheck %s

// CHECK-LABEL: @reductions
// CHECK-NEXT: [6, 15] : 2xf32
// CHECK-NEXT: {{\[}}[4, 10, 18]] : 1x3xf32
// CHECK-NEXT: -128 : i8
// CHECK-NEXT: [true, true] : 2xi1
// CHECK-NEXT: [false, true] : 2xi1
func.func @reductions() -> (tensor<2xf32>, tensor<1x3xf32>, tensor<i8>, tensor<2xi1>, tensor<2xi1>) {
  %x = graph.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %0 = graph.reduce sum, %x dims [1] : (tensor<2x3xf32>) -> tensor<2xf32>
  %1 = graph.reduce prod, %x dims [0] keepdims : (tensor<2x3xf32>) -> tensor<1x3xf32>
  %i = graph.constant dense<[127, 1]> : tensor<2xi8>
  %2 = graph.reduce sum, %i dims [0] : (tensor<2xi8>) -> tensor<i8>
  %b = graph.constant dense<[[true, false], [true, true]]> : tensor<2x2xi1>
  %3 = graph.reduce any, %b dims [1] : (tensor<2x2xi1>) -> tensor<2xi1>
  %4 = graph.reduce all, %b dims [1] : (tensor<2x2xi1>) -> tensor<2xi1>
  return %0, %1, %2, %3, %4 : tensor<2xf32>, tensor<1x3xf32>, tensor<i8>, tensor<2xi1>, tensor<2xi1>
}

// CHECK-LABEL: @empty_reductions
// CHECK-NEXT: [0, 0] : 2xf32
// CHECK-NEXT: [1, 1] : 2xf32
// CHECK-NEXT: [-inf, -inf] : 2xf32
// CHECK-NEXT: [255, 255] : 2xui8
// CHECK-NEXT: [false, false] : 2xi1
// CHECK-NEXT: [true, true] : 2xi1
// CHECK-NEXT: [] : 0xf32
func.func @empty_reductions() -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xui8>, tensor<2xi1>, tensor<2xi1>, tensor<0xf32>) {
  %x = graph.constant dense<> : tensor<2x0xf32>
  %u = graph.constant dense<> : tensor<2x0xui8>
  %b = graph.constant dense<> : tensor<2x0xi1>
  %0 = graph.reduce sum, %x dims [1] : (tensor<2x0xf32>) -> tensor<2xf32>
  %1 = graph.reduce prod, %x dims [1] : (tensor<2x0xf32>) -> tensor<2xf32>
  %2 = graph.reduce max, %x dims [1] : (tensor<2x0xf32>) -> tensor<2xf32>
  %3 = graph.reduce min, %u dims [1] : (tensor<2x0xui8>) -> tensor<2xui8>
  %4 = graph.reduce any, %b dims [1] : (tensor<2x0xi1>) -> tensor<2xi1>
  %5 = graph.reduce all, %b dims [1] : (tensor<2x0xi1>) -> tensor<2xi1>
  %6 = graph.reduce max, %x dims [0] : (tensor<2x0xf32>) -> tensor<0xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xui8>, tensor<2xi1>, tensor<2xi1>, tensor<0xf32>
}

// CHECK-LABEL: @nan_in_reductions
// CHECK-NEXT: [nan, 3] : 2xf32
// CHECK-NEXT: [nan, 2] : 2xf32
// CHECK-NEXT: [1, 0] : 2xi64
func.func @nan_in_reductions() -> (tensor<2xf32>, tensor<2xf32>, tensor<2xi64>) {
  %x = graph.constant dense<[[1.0, 0x7FC00000, 3.0], [2.0, 3.0, 2.0]]> : tensor<2x3xf32>
  %0 = graph.reduce max, %x dims [1] : (tensor<2x3xf32>) -> tensor<2xf32>
  %1, %2 = graph.arg_reduce min, %x dim 1 : (tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2xi64>)
  return %0, %1, %2 : tensor<2xf32>, tensor<2xf32>, tensor<2xi64>
}

// CHECK-LABEL: @matmul
// CHECK-NEXT: {{\[}}{{\[}}[5, 6], [10, 12]], {{\[}}[15, 18], [20, 24]]] : 2x2x2xf32
// CHECK-NEXT: {{\[}}[-56]] : 1x1xi8
func.func @matmul() -> (tensor<2x2x2xf32>, tensor<1x1xi8>) {
  %a = graph.constant dense<[[[1.0], [2.0]], [[3.0], [4.0]]]> : tensor<2x2x1xf32>
  %b = graph.constant dense<[[[5.0, 6.0]]]> : tensor<1x1x2xf32>
  %0 = graph.matmul %a, %b : (tensor<2x2x1xf32>, tensor<1x1x2xf32>) -> tensor<2x2x2xf32>
  %c = graph.constant dense<10> : tensor<1x2xi8>
  %d = graph.constant dense<10> : tensor<2x1xi8>
  %1 = graph.matmul %c, %d : (tensor<1x2xi8>, tensor<2x1xi8>) -> tensor<1x1xi8>
  return %0, %1 : tensor<2x2x2xf32>, tensor<1x1xi8>
}

// The bias is rounded with the product: 256 + 1 + 1 is 258, where 256 + 1 alone
// is 256 in bf16. Integers wrap.
// CHECK-LABEL: @matmul_bias
// CHECK-NEXT: {{\[}}[258]] : 1x1xbf16
// CHECK-NEXT: {{\[}}[0, 1]] : 1x2xi8
func.func @matmul_bias() -> (tensor<1x1xbf16>, tensor<1x2xi8>) {
  %a = graph.constant dense<[[16.0, 1.0]]> : tensor<1x2xbf16>
  %b = graph.constant dense<[[16.0], [1.0]]> : tensor<2x1xbf16>
  %c = graph.constant dense<1.0> : tensor<1xbf16>
  %0 = graph.matmul %a, %b bias %c : (tensor<1x2xbf16>, tensor<2x1xbf16>, tensor<1xbf16>) -> tensor<1x1xbf16>
  %x = graph.constant dense<16> : tensor<1x1xi8>
  %y = graph.constant dense<15> : tensor<1x2xi8>
  %d = graph.constant dense<[16, 17]> : tensor<2xi8>
  %1 = graph.matmul %x, %y bias %d : (tensor<1x1xi8>, tensor<1x2xi8>, tensor<2xi8>) -> tensor<1x2xi8>
  return %0, %1 : tensor<1x1xbf16>, tensor<1x2xi8>
}

// A 3-tap sum over padded [1, 2, 3, 4], stride 2; and two groups.
// CHECK-LABEL: @conv
// CHECK-NEXT: {{\[}}{{\[}}[3, 9]]] : 1x1x2xf32
// CHECK-NEXT: {{\[}}{{\[}}[2, 4], [30, 40]]] : 1x2x2xf32
func.func @conv() -> (tensor<1x1x2xf32>, tensor<1x2x2xf32>) {
  %x = graph.constant dense<[[[1.0, 2.0, 3.0, 4.0]]]> : tensor<1x1x4xf32>
  %w = graph.constant dense<1.0> : tensor<1x1x3xf32>
  %0 = graph.conv %x, %w stride [2] padding [1] dilation [1] groups 1 : (tensor<1x1x4xf32>, tensor<1x1x3xf32>) -> tensor<1x1x2xf32>
  %y = graph.constant dense<[[[1.0, 2.0], [3.0, 4.0]]]> : tensor<1x2x2xf32>
  %v = graph.constant dense<[[[2.0]], [[10.0]]]> : tensor<2x1x1xf32>
  %1 = graph.conv %y, %v stride [1] padding [0] dilation [1] groups 2 : (tensor<1x2x2xf32>, tensor<2x1x1xf32>) -> tensor<1x2x2xf32>
  return %0, %1 : tensor<1x1x2xf32>, tensor<1x2x2xf32>
}

// The bias is added before the result is rounded: 257 is no bf16.
// CHECK-LABEL: @conv_bias
// CHECK-NEXT: {{\[}}{{\[}}[258]]] : 1x1x1xbf16
// CHECK-NEXT: {{\[}}[257]] : 1x1xf32
func.func @conv_bias() -> (tensor<1x1x1xbf16>, tensor<1x1xf32>) {
  %x = graph.constant dense<[[[256.0, 1.0]]]> : tensor<1x1x2xbf16>
  %w = graph.constant dense<1.0> : tensor<1x1x2xbf16>
  %b = graph.constant dense<1.0> : tensor<1xbf16>
  %0 = graph.conv %x, %w, %b stride [1] padding [0] dilation [1] groups 1 : (tensor<1x1x2xbf16>, tensor<1x1x2xbf16>, tensor<1xbf16>) -> tensor<1x1x1xbf16>
  %y = graph.constant dense<[[256.0, 1.0]]> : tensor<1x2xbf16>
  %v = graph.constant dense<1.0> : tensor<2x1xbf16>
  %1 = graph.matmul %y, %v : (tensor<1x2xbf16>, tensor<2x1xbf16>) -> tensor<1x1xf32>
  return %0, %1 : tensor<1x1x1xbf16>, tensor<1x1xf32>
}

// Padding is never the maximum; an average counts it when asked to.
// CHECK-LABEL: @pool
// CHECK-NEXT: {{\[}}{{\[}}[-1, -2]]] : 1x1x2xf32
// CHECK-NEXT: {{\[}}{{\[}}[-1, -2.5]]] : 1x1x2xf32
// CHECK-NEXT: {{\[}}{{\[}}[-0.5, -2.5]]] : 1x1x2xf32
func.func @pool() -> (tensor<1x1x2xf32>, tensor<1x1x2xf32>, tensor<1x1x2xf32>) {
  %x = graph.constant dense<[[[-1.0, -2.0, -3.0]]]> : tensor<1x1x3xf32>
  %0 = graph.pool max, %x kernel [2] stride [2] padding [1] dilation [1] : (tensor<1x1x3xf32>) -> tensor<1x1x2xf32>
  %1 = graph.pool avg, %x kernel [2] stride [2] padding [1] dilation [1] : (tensor<1x1x3xf32>) -> tensor<1x1x2xf32>
  %2 = graph.pool avg, %x kernel [2] stride [2] padding [1] dilation [1] count_padding : (tensor<1x1x3xf32>) -> tensor<1x1x2xf32>
  return %0, %1, %2 : tensor<1x1x2xf32>, tensor<1x1x2xf32>, tensor<1x1x2xf32>
}

// CHECK-LABEL: @scans
// CHECK-NEXT:  {{\[}}[1, 3, 6], [4, 9, 15]] : 2x3xi32
// CHECK-NEXT:  {{\[}}[1, 2, 3], [4, 10, 18]] : 2x3xi32
// CHECK-NEXT:  [-inf, 1, inf, nan] : 4xf64
// CHECK-NEXT:  [2, 2, nan, nan] : 4xf32
// CHECK-NEXT:  [0, 1, 2, 2] : 4xi64
func.func @scans() -> (tensor<2x3xi32>, tensor<2x3xi32>, tensor<4xf64>, tensor<4xf32>, tensor<4xi64>) {
  %x = graph.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %0 = graph.scan sum, %x dim 1 : (tensor<2x3xi32>) -> tensor<2x3xi32>
  %1 = graph.scan prod, %x dim 0 : (tensor<2x3xi32>) -> tensor<2x3xi32>
  %l = graph.constant dense<[0xFFF0000000000000, 1.0, 0x7FF0000000000000, 0x7FF8000000000000]> : tensor<4xf64>
  %2 = graph.scan logaddexp, %l dim 0 : (tensor<4xf64>) -> tensor<4xf64>
  %n = graph.constant dense<[2.0, 2.0, 0x7FC00000, 5.0]> : tensor<4xf32>
  %v, %i = graph.arg_scan max, %n dim 0 : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi64>)
  return %0, %1, %2, %v, %i : tensor<2x3xi32>, tensor<2x3xi32>, tensor<4xf64>, tensor<4xf32>, tensor<4xi64>
}
