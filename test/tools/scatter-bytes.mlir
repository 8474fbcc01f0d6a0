// What memory sums of rows may need to be faster than atomic additions (C6 of graph-scatter-to-segment-sum).

// RUN: coil-compile %s --target=cuda:sm_90a --library=cub --to=graph -o - | FileCheck %s --check-prefix=NONE
// RUN: coil-compile %s --target=cuda:sm_90a --library=cub --scatter-bytes=4M --to=graph -o - | FileCheck %s --check-prefix=NONE
// RUN: coil-compile %s --target=cuda:sm_90a --library=cub --scatter-bytes=8M --to=graph -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: coil-compile %s --target=cuda:sm_90a --library=cub --deterministic --to=graph -o - | FileCheck %s
// NONE-NOT: graph.sort
// CHECK: graph.sort

// RUN: not coil-compile %t.mlir --target=cuda:sm_90a --library=cub --scatter-bytes=8M --to=loop -o %t.loop.mlir 2>&1 | FileCheck %s --check-prefix=LATE
// LATE: the option 'scatter-bytes' comes too late: it is decided on the way to the stage 'graph', but the input is at the stage 'graph'
// RUN: not coil-compile %s --target=cuda:sm_90a --scatter-bytes=8X --to=graph -o - 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: the option 'scatter-bytes' is '8X', expected a number of bytes such as 4096, 64K, 512M or 2G

func.func @main(%g: tensor<65536x1024xf32>, %i: tensor<65536xi64>) -> tensor<65536x1024xf32> {
  %0 = graph.aten "aten.embedding_dense_backward.default"(%g, %i) ["grad_output", "indices"] {num_weights = 65536 : i64, padding_idx = -1 : i64, scale_grad_by_freq = false} : (tensor<65536x1024xf32>, tensor<65536xi64>) -> tensor<65536x1024xf32>
  return %0 : tensor<65536x1024xf32>
}
