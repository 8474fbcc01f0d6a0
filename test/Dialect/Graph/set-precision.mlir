// RUN: coil-opt %s --pass-pipeline='builtin.module(func.func(graph-set-precision))' | FileCheck %s --check-prefixes=EXACT --implicit-check-not=tf32
// RUN: coil-opt %s --pass-pipeline='builtin.module(func.func(graph-set-precision{matmul=high}))' | FileCheck %s --check-prefixes=CHECK,MATMUL
// RUN: coil-opt %s --pass-pipeline='builtin.module(func.func(graph-set-precision{conv=medium}))' | FileCheck %s --check-prefixes=CHECK,CONV
// RUN: coil-opt %s --pass-pipeline='builtin.module(func.func(graph-set-precision{matmul=medium},graph-set-precision{conv=high}))' | FileCheck %s --check-prefixes=CHECK,BOTH
// RUN: not coil-opt %s --pass-pipeline='builtin.module(func.func(graph-set-precision{matmul=low}))' 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: unknown precision 'low' of matrix multiplications, expected 'highest', 'high' or 'medium'
// RUN: not coil-compile %s --from=input --target=cuda:sm_90a --to=graph --float32-conv-precision=tf32 2>&1 | FileCheck %s --check-prefix=CONV-NAME
// CONV-NAME: unknown value 'tf32' of the option 'float32-conv-precision', expected 'highest', 'high' or 'medium'
// RUN: coil-compile %s --from=input --target=cuda:sm_90a --library=none --to=graph --float32-matmul-precision=high --float32-conv-precision=high | FileCheck %s --check-prefix=TOOL

// B14: products of f32 are rounded to TF32 where the options allow it, each of its
// own.

// EXACT-LABEL: func.func @products
// CHECK-LABEL: func.func @products
// TOOL-LABEL: func.func @products
func.func @products(%x: tensor<4x8xf32>, %y: tensor<8x3xf32>, %b: tensor<3xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>) {
  // MATMUL: graph.matmul %{{.*}}, %{{.*}} tf32 :
  // CONV: graph.matmul %{{.*}}, %{{.*}} :
  // BOTH: graph.matmul %{{.*}}, %{{.*}} tf32 :
  // TOOL: graph.matmul %{{.*}}, %{{.*}} tf32 :
  %0 = graph.matmul %x, %y : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  // MATMUL: bias %{{.*}} tf32 :
  // TOOL: bias %{{.*}} tf32 :
  %1 = graph.matmul %x, %y bias %b : (tensor<4x8xf32>, tensor<8x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  return %0, %1 : tensor<4x3xf32>, tensor<4x3xf32>
}

// CHECK-LABEL: func.func @convolution
// TOOL-LABEL: func.func @convolution
func.func @convolution(%x: tensor<2x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<2x4x8x8xf32> {
  // MATMUL: graph.conv {{.*}} groups 1 :
  // CONV: graph.conv {{.*}} groups 1 tf32 :
  // BOTH: graph.conv {{.*}} groups 1 tf32 :
  // TOOL: graph.conv {{.*}} groups 1 tf32 :
  %0 = graph.conv %x, %w stride [1, 1] padding [1, 1] dilation [1, 1] groups 1 : (tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x8x8xf32>
  return %0 : tensor<2x4x8x8xf32>
}

// Other types have no TF32, and a product that is spelled out is no product of
// matrices.
// CHECK-LABEL: func.func @others
// TOOL-LABEL: func.func @others
func.func @others(%x: tensor<4x8xf64>, %y: tensor<8x3xf64>, %h: tensor<4x8xbf16>, %g: tensor<8x3xbf16>, %s: tensor<4x8xf32>) -> (tensor<4x3xf64>, tensor<4x3xbf16>, tensor<4xf32>) {
  // CHECK-NOT: tf32
  // TOOL-NOT: tf32
  %0 = graph.matmul %x, %y : (tensor<4x8xf64>, tensor<8x3xf64>) -> tensor<4x3xf64>
  %1 = graph.matmul %h, %g : (tensor<4x8xbf16>, tensor<8x3xbf16>) -> tensor<4x3xbf16>
  %2 = graph.mul %s, %s : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = graph.reduce sum, %2 dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  return %0, %1, %3 : tensor<4x3xf64>, tensor<4x3xbf16>, tensor<4xf32>
}

// Both products of attention, also the one that is spelled as a sum, which puts
// the heads side by side.
// CHECK-LABEL: func.func @attention
// TOOL-LABEL: func.func @attention
func.func @attention(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32> {
  // MATMUL: graph.attention {{.*}} scale 2.500000e-01 tf32 :
  // CONV: graph.attention {{.*}} scale 2.500000e-01 :
  // TOOL: graph.matmul {{.*}} tf32 :
  // TOOL: graph.reduce sum, %{{.*}} dims [3] keepdims :
  // TOOL: graph.reduce sum, %{{.*}} dims [3] tf32 :
  %0 = graph.attention %q, %k, %v scale 2.500000e-01 : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %0 : tensor<2x4x8x16xf32>
}

// TOOL-LABEL: func.func @attention_of_one_head
func.func @attention_of_one_head(%q: tensor<2x8x16xf32>, %k: tensor<2x8x16xf32>, %v: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  // TOOL: graph.matmul {{.*}} tf32 :
  // TOOL: graph.matmul {{.*}} tf32 :
  %0 = graph.attention %q, %k, %v scale 2.500000e-01 : (tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  return %0 : tensor<2x8x16xf32>
}

// What the program says stays, and a convolution that becomes a product keeps
// what convolutions may.
// EXACT-LABEL: func.func @tiles
// CONV-LABEL: func.func @tiles
// RUN: coil-opt %s --pass-pipeline='builtin.module(func.func(graph-set-precision{conv=high},graph-decompose{tiles}))' | FileCheck %s --check-prefix=TILES
// TILES-LABEL: func.func @tiles
func.func @tiles(%x: tensor<2x3x8x8xf32>, %w: tensor<4x3x4x4xf32>, %a: tensor<4x8xf32>, %b: tensor<8x3xf32>) -> (tensor<2x4x2x2xf32>, tensor<4x3xf32>) {
  // CONV: graph.conv {{.*}} tf32 :
  // TILES: graph.matmul {{.*}} tf32 : (tensor<8x48xf32>, tensor<48x4xf32>)
  // TILES: graph.matmul %{{.*}}, %{{.*}} : (tensor<4x8xf32>
  %0 = graph.conv %x, %w stride [4, 4] padding [0, 0] dilation [1, 1] groups 1 : (tensor<2x3x8x8xf32>, tensor<4x3x4x4xf32>) -> tensor<2x4x2x2xf32>
  %1 = graph.matmul %a, %b : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  return %0, %1 : tensor<2x4x2x2xf32>, tensor<4x3xf32>
}
