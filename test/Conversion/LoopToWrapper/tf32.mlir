// RUN: coil-compile %s --from=input --target=cuda:sm_90a --library=cublaslt,cudnn --to=wrapper --float32-matmul-precision=high | FileCheck %s --check-prefixes=CHECK,PRODUCT
// RUN: coil-compile %s --from=input --target=cuda:sm_90a --library=cublaslt,cudnn --to=wrapper --float32-conv-precision=high | FileCheck %s --check-prefixes=CHECK,CONV
// RUN: coil-opt %s --coil-graph-pipeline="target=cuda:sm_90a library=cublaslt,cudnn float32-matmul-precision=high" --coil-loop-pipeline="target=cuda:sm_90a library=cublaslt,cudnn" --coil-wrapper-pipeline="target=cuda:sm_90a partitions=always" | FileCheck %s --check-prefixes=PARTS
// RUN: coil-compile %s --from=input --target=cuda:sm_90a --library=none --to=wrapper --float32-matmul-precision=high --float32-conv-precision=high | FileCheck %s --check-prefix=LOOP --implicit-check-not='instruction = m16n8k16'
// RUN: coil-compile %s --from=input --target=cuda:sm_90a --library=none --to=wrapper | FileCheck %s --check-prefix=EXACT --implicit-check-not=tf32 --implicit-check-not=m16n8k8

// RUN: not coil-compile %s --target=cuda:sm_90a --to=wrapper --float32-conv-precision=high 2>&1 | FileCheck %s --check-prefix=LATE
// LATE: error: the option 'float32-conv-precision' comes too late: it is decided on the way to the stage 'graph', but the input is at the stage 'graph'
// RUN: coil-compile %s --target=cuda:sm_90a --library=none --to=loop -o %t.loop.mlir
// RUN: not coil-run %t.loop.mlir --target=cuda:sm_90a --float32-matmul-precision=high --random-inputs 2>&1 | FileCheck %s --check-prefix=LOOP-LATE
// LOOP-LATE: the option 'float32-matmul-precision' comes too late: {{.*}}the input is at the stage 'loop'{{$}}

// What the graph allows comes to libraries and kernels, past the fusion of what
// follows the product; one option has no say in the other's.

// EXACT: wrapper.func @main

// LOOP: loop.kernel "matmul+add+relu"{{.*}}instruction = m16n8k8
// LOOP: loop.reduce sum %{{.*}} tf32 : f32
// LOOP: loop.kernel "conv{{.*}}instruction = m16n8k8
// LOOP: loop.reduce sum %{{.*}} tf32 : f32

// CHECK-LABEL: wrapper.func @main
// PRODUCT: wrapper.contraction "cublaslt"{{.*}} post relu tf32
// PRODUCT: wrapper.convolution "cudnn"{{.*}} post none{{$}}
// CONV: wrapper.contraction "cublaslt"{{.*}} post relu{{$}}
// CONV: wrapper.convolution "cudnn"{{.*}} post none tf32

// PARTS: wrapper.contraction "cublaslt"{{.*}} post relu tf32
func.func @main(%x: tensor<256x160xf32>, %w: tensor<160x256xf32>, %b: tensor<256xf32>, %i: tensor<2x32x32x32xf32>, %k: tensor<64x32x3x3xf32>) -> (tensor<256x256xf32>, tensor<2x64x32x32xf32>) {
  %0 = graph.matmul %x, %w : (tensor<256x160xf32>, tensor<160x256xf32>) -> tensor<256x256xf32>
  %1 = graph.add %0, %b : (tensor<256x256xf32>, tensor<256xf32>) -> tensor<256x256xf32>
  %2 = graph.relu %1 : (tensor<256x256xf32>) -> tensor<256x256xf32>
  %3 = graph.conv %i, %k stride [1, 1] padding [1, 1] dilation [1, 1] groups 1 : (tensor<2x32x32x32xf32>, tensor<64x32x3x3xf32>) -> tensor<2x64x32x32xf32>
  return %2, %3 : tensor<256x256xf32>, tensor<2x64x32x32xf32>
}
