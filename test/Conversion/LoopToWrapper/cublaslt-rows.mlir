// RUN: coil-opt %s --convert-graph-to-loop --loop-fold-views --loop-select-schedule="library=cublaslt only-library" --convert-loop-to-wrapper=device=cuda --split-input-file | FileCheck %s

// Rows of whole vectors are the library's.
// CHECK-LABEL: wrapper.func @even
// CHECK:         wrapper.contraction
func.func @even(%x: tensor<512x768xbf16>, %w: tensor<768x50264xbf16>) -> tensor<512x50264xbf16> {
  %0 = graph.matmul %x, %w : (tensor<512x768xbf16>, tensor<768x50264xbf16>) -> tensor<512x50264xbf16>
  return %0 : tensor<512x50264xbf16>
}

// -----

// Where only the rows of the result begin anywhere, a kernel of ours is faster.
// CHECK-LABEL: wrapper.func @odd_result
// CHECK-NOT:     wrapper.contraction
// CHECK:         wrapper.launch
func.func @odd_result(%x: tensor<512x768xbf16>, %w: tensor<50257x768xbf16>) -> tensor<512x50257xbf16> {
  %t = graph.permute %w [1, 0] : (tensor<50257x768xbf16>) -> tensor<768x50257xbf16>
  %0 = graph.matmul %x, %t : (tensor<512x768xbf16>, tensor<768x50257xbf16>) -> tensor<512x50257xbf16>
  return %0 : tensor<512x50257xbf16>
}

// -----

// Rows of a factor that begin anywhere make both slow, the library less.
// CHECK-LABEL: wrapper.func @odd_factor
// CHECK:         wrapper.contraction
func.func @odd_factor(%x: tensor<512x769xbf16>, %w: tensor<769x50257xbf16>) -> tensor<512x50257xbf16> {
  %0 = graph.matmul %x, %w : (tensor<512x769xbf16>, tensor<769x50257xbf16>) -> tensor<512x50257xbf16>
  return %0 : tensor<512x50257xbf16>
}
