// RUN: coil-opt %s --graph-raise-attention=library=cudnn --remarks-filter=graph-raise-attention --remark-policy=all 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t
// RUN: coil-opt %s --coil-graph-pipeline="target=cuda:sm_90a library=cudnn" | FileCheck %s --check-prefix=PIPELINE
// RUN: coil-opt %s --coil-graph-pipeline="target=cuda:sm_90a library=cudnn raise-attention=off" | FileCheck %s --check-prefix=OFF
// RUN: coil-opt %s --coil-graph-pipeline="target=cuda:sm_90a library=cublaslt" | FileCheck %s --check-prefix=OFF
// RUN: coil-opt %s --coil-graph-pipeline="library=none" | FileCheck %s --check-prefix=OFF
// RUN: not coil-opt %s --coil-graph-pipeline="raise-attention=yes" 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: unknown value 'yes' of the option 'raise-attention', expected 'auto', 'always' or 'off'
// OFF-NOT: graph.attention

// Batches of matrices are batches of one head for a library.
// CHECK-LABEL: @raised
// CHECK:         graph.attention {{.*}} scale 1.000000e+00 : (tensor<8x1x128x64xbf16>, tensor<8x1x128x64xbf16>, tensor<8x1x128x64xbf16>)
// PIPELINE-LABEL: @raised
// PIPELINE:      graph.attention {{.*}} library "cudnn"
func.func @raised(%q: tensor<8x128x64xbf16>, %k: tensor<8x128x64xbf16>, %v: tensor<8x128x64xbf16>) -> tensor<8x128x64xbf16> {
  %t = graph.permute %k [0, 2, 1] : (tensor<8x128x64xbf16>) -> tensor<8x64x128xbf16>
  %x = graph.matmul %q, %t : (tensor<8x128x64xbf16>, tensor<8x64x128xbf16>) -> tensor<8x128x128xbf16>
  %y = graph.convert %x : (tensor<8x128x128xbf16>) -> tensor<8x128x128xf32>
  %m = graph.reduce max, %y dims [2] keepdims : (tensor<8x128x128xf32>) -> tensor<8x128x1xf32>
  %d = graph.sub %y, %m : (tensor<8x128x128xf32>, tensor<8x128x1xf32>) -> tensor<8x128x128xf32>
  %e = graph.exp %d : (tensor<8x128x128xf32>) -> tensor<8x128x128xf32>
  %s = graph.reduce sum, %e dims [2] keepdims : (tensor<8x128x128xf32>) -> tensor<8x128x1xf32>
  %f = graph.div %e, %s : (tensor<8x128x128xf32>, tensor<8x128x1xf32>) -> tensor<8x128x128xf32>
  %p = graph.convert %f : (tensor<8x128x128xf32>) -> tensor<8x128x128xbf16>
  %o = graph.matmul %p, %v : (tensor<8x128x128xbf16>, tensor<8x128x64xbf16>) -> tensor<8x128x64xbf16>
  return %o : tensor<8x128x64xbf16>
}

// (C9) What the library does not have stays as it is written.
// CHECK-LABEL: @kept
// CHECK-NOT:     graph.attention
// PIPELINE-LABEL: @kept
// PIPELINE-NOT:  graph.attention
// REMARK:        attention that stays as it is written: hidden scores take part in the softmax, and cuDNN's kernel only adds masks
func.func @kept(%q: tensor<8x128x64xbf16>, %k: tensor<8x128x64xbf16>, %v: tensor<8x128x64xbf16>, %b: tensor<128x128xi1>) -> tensor<8x128x64xbf16> {
  %t = graph.permute %k [0, 2, 1] : (tensor<8x128x64xbf16>) -> tensor<8x64x128xbf16>
  %x = graph.matmul %q, %t : (tensor<8x128x64xbf16>, tensor<8x64x128xbf16>) -> tensor<8x128x128xbf16>
  %h = graph.full -1.0e9 : bf16 -> tensor<bf16>
  %w = graph.select %b, %x, %h : (tensor<128x128xi1>, tensor<8x128x128xbf16>, tensor<bf16>) -> tensor<8x128x128xbf16>
  %y = graph.convert %w : (tensor<8x128x128xbf16>) -> tensor<8x128x128xf32>
  %m = graph.reduce max, %y dims [2] keepdims : (tensor<8x128x128xf32>) -> tensor<8x128x1xf32>
  %d = graph.sub %y, %m : (tensor<8x128x128xf32>, tensor<8x128x1xf32>) -> tensor<8x128x128xf32>
  %e = graph.exp %d : (tensor<8x128x128xf32>) -> tensor<8x128x128xf32>
  %s = graph.reduce sum, %e dims [2] keepdims : (tensor<8x128x128xf32>) -> tensor<8x128x1xf32>
  %f = graph.div %e, %s : (tensor<8x128x128xf32>, tensor<8x128x1xf32>) -> tensor<8x128x128xf32>
  %p = graph.convert %f : (tensor<8x128x128xf32>) -> tensor<8x128x128xbf16>
  %o = graph.matmul %p, %v : (tensor<8x128x128xbf16>, tensor<8x128x64xbf16>) -> tensor<8x128x64xbf16>
  return %o : tensor<8x128x64xbf16>
}
