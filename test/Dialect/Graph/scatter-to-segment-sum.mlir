// RUN: coil-opt %s --graph-scatter-to-segment-sum="sort=cub" --canonicalize --cse --remarks-filter=graph-scatter-to-segment-sum --remark-policy=all 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t
// Nothing is done without a library that sorts, and on other devices.
// RUN: coil-opt %s --graph-scatter-to-segment-sum | FileCheck %s --check-prefix=NONE
// RUN: coil-opt %s --coil-graph-pipeline='target=cuda:sm_90a library=none' | FileCheck %s --check-prefix=NONE
// RUN: coil-opt %s --coil-graph-pipeline='target=cuda:sm_90a library=cublaslt,cudnn' | FileCheck %s --check-prefix=NONE
// RUN: coil-opt %s --coil-graph-pipeline='target=cpu' | FileCheck %s --check-prefix=NONE
// NONE-NOT: graph.sort
// NONE-NOT: graph.segment_reduce
// It is in the pipelines for GPUs, whatever else is asked for.
// RUN: coil-opt %s --coil-graph-pipeline='target=cuda:sm_80 library=cub' | FileCheck %s --check-prefix=PIPELINE
// RUN: coil-opt %s --coil-graph-pipeline='target=cuda:sm_90a library=cub deterministic fast-math=off' | FileCheck %s --check-prefix=PIPELINE
// PIPELINE: graph.sort {{.*}} library "cub"
// RUN: not coil-opt %s --graph-scatter-to-segment-sum="sort=cub chunk=3" 2>&1 | FileCheck %s --check-prefix=CHUNK
// CHUNK: error: 'chunk' must be a power of two or 0 but is 3

// Keys of 32 bits, as there are two more than rows; sums of chunks, then of rows: the first place of each, what is in front of
// the chunks, chunks, what is behind them; the source is read as it is, in 16 bits.
// CHECK-LABEL: @embedding
// CHECK-SAME:    (%[[G:.+]]: tensor<65536x2048xbf16>, %[[I:.+]]: tensor<65536xi64>)
// CHECK:         %[[K:.+]] = graph.convert %{{.+}} : (tensor<65536xi64>) -> tensor<65536xui32>
// CHECK:         %[[S:.+]], %[[P:.+]] = graph.sort %[[K]] dim 0 stable library "cub" : (tensor<65536xui32>) -> (tensor<65536xui32>, tensor<65536xi64>)
// CHECK:         %[[T:.+]] = graph.index_put max %{{.+}}[%{{.+}}], %{{.+}} dims [0] : (tensor<393216xi32>, tensor<3x65536xi64>, tensor<3x65536xi32>) -> tensor<393216xi32>
// CHECK:         %[[LOS:.+]] = graph.slice %[[T]] starts <[0]> steps [1] : (tensor<393216xi32>) -> tensor<65536xi32>
// CHECK:         %[[LO:.+]] = graph.convert %[[LOS]]
// CHECK:         %[[HIS:.+]] = graph.slice %[[T]] starts <[65536]> steps [1] : (tensor<393216xi32>) -> tensor<65536xi32>
// CHECK:         %[[HI:.+]] = graph.convert %[[HIS]]
// CHECK:         %[[FIRST:.+]] = graph.slice %[[T]] starts <[131072]> steps [1] : (tensor<393216xi32>) -> tensor<65536xi32>
// CHECK:         %[[ANY:.+]] = graph.compare lt, %[[LO]], %[[HI]]
// CHECK:         %[[ANY01:.+]] = graph.convert %[[ANY]]
// CHECK:         %[[BEHIND:.+]] = graph.add %[[ROW:.+]], %[[ANY01]]
// CHECK:         %[[A:.+]] = graph.segment_reduce sum %[[G]] at %[[FIRST]] from %[[ROW]] to %[[BEHIND]] : (tensor<65536x2048xbf16>, tensor<65536xi64>, tensor<65536xi64>, tensor<65536xi32>) -> tensor<65536x2048xf32>
// CHECK:         %[[SECOND:.+]] = graph.add %[[LO]],
// CHECK:         %[[REST:.+]] = graph.minimum %[[SECOND]], %[[HI]]
// CHECK:         %[[CHUNKS:.+]] = graph.segment_reduce sum %[[G]] at %[[P]] from %{{.+}} to %{{.+}} : (tensor<65536x2048xbf16>, tensor<512xi64>, tensor<512xi64>, tensor<65536xi64>) -> tensor<512x2048xf32>
// CHECK:         %[[AB:.+]] = graph.segment_reduce sum %[[G]] at %[[P]] from %[[REST]] to %{{.+}} plus %[[A]] : (tensor<65536x2048xbf16>, tensor<65536xi64>, tensor<65536xi64>, tensor<65536xi64>, tensor<65536x2048xf32>) -> tensor<65536x2048xf32>
// CHECK:         %[[ABC:.+]] = graph.segment_reduce sum %[[CHUNKS]] from %{{.+}} to %{{.+}} plus %[[AB]] : (tensor<512x2048xf32>, tensor<65536xi64>, tensor<65536xi64>, tensor<65536x2048xf32>) -> tensor<65536x2048xf32>
// CHECK:         %[[ABCD:.+]] = graph.segment_reduce sum %[[G]] at %[[P]] from %{{.+}} to %[[HI]] plus %[[ABC]] : (tensor<65536x2048xbf16>, tensor<65536xi64>, tensor<65536xi64>, tensor<65536xi64>, tensor<65536x2048xf32>) -> tensor<65536x2048xf32>
// CHECK:         %[[R:.+]] = graph.convert %[[ABCD]] : (tensor<65536x2048xf32>) -> tensor<65536x2048xbf16>
// CHECK-NEXT:    return %[[R]]
// REMARK:      [Passed] Grouped {{.*}}Remark="sums of 65536 rows are grouped by their 65536 positions"
func.func @embedding(%g: tensor<65536x2048xbf16>, %i: tensor<65536xi64>) -> tensor<65536x2048xbf16> {
  %z = graph.full 0.000000e+00 : f32 -> tensor<65536x2048xf32>
  %0 = graph.convert %g : (tensor<65536x2048xbf16>) -> tensor<65536x2048xf32>
  %1 = graph.index_put sum %z[%i], %0 dims [0] : (tensor<65536x2048xf32>, tensor<65536xi64>, tensor<65536x2048xf32>) -> tensor<65536x2048xf32>
  %2 = graph.convert %1 : (tensor<65536x2048xf32>) -> tensor<65536x2048xbf16>
  return %2 : tensor<65536x2048xbf16>
}

// Few tokens of a large table: what is saved are the zeros, and their conversion.
// CHECK-LABEL: @vocabulary
// CHECK:         graph.sort
// CHECK:         graph.segment_reduce
// REMARK:      [Passed] Grouped {{.*}}Remark="sums of 50257 rows are grouped by their 4096 positions"
func.func @vocabulary(%g: tensor<8x512x1024xf16>, %i: tensor<8x512xi64>) -> tensor<50257x1024xf16> {
  %z = graph.full 0.000000e+00 : f32 -> tensor<50257x1024xf32>
  %0 = graph.convert %g : (tensor<8x512x1024xf16>) -> tensor<8x512x1024xf32>
  %1 = graph.index_put sum %z[%i], %0 dims [0] : (tensor<50257x1024xf32>, tensor<8x512xi64>, tensor<8x512x1024xf32>) -> tensor<50257x1024xf32>
  %2 = graph.convert %1 : (tensor<50257x1024xf32>) -> tensor<50257x1024xf16>
  return %2 : tensor<50257x1024xf16>
}

// CHECK-LABEL: @graph_scatter_to_segment_sum_c1(
// CHECK-NOT:     graph.sort
// REMARK:      [Missed] NotGrouped {{.*}}Remark="not grouped: it is no sum of f32 or f64 into zeros"
func.func @graph_scatter_to_segment_sum_c1(%x: tensor<65536x1024xf32>, %g: tensor<65536x1024xf32>, %i: tensor<65536xi64>) -> tensor<65536x1024xf32> {
  %0 = graph.index_put sum %x[%i], %g dims [0] : (tensor<65536x1024xf32>, tensor<65536xi64>, tensor<65536x1024xf32>) -> tensor<65536x1024xf32>
  return %0 : tensor<65536x1024xf32>
}

// CHECK-LABEL: @graph_scatter_to_segment_sum_c1_kind(
// CHECK-NOT:     graph.sort
// REMARK:      [Missed] NotGrouped {{.*}}Remark="not grouped: it is no sum of f32 or f64 into zeros"
func.func @graph_scatter_to_segment_sum_c1_kind(%g: tensor<65536x1024xf32>, %i: tensor<65536xi64>) -> tensor<65536x1024xf32> {
  %z = graph.full 0.000000e+00 : f32 -> tensor<65536x1024xf32>
  %0 = graph.index_put max %z[%i], %g dims [0] : (tensor<65536x1024xf32>, tensor<65536xi64>, tensor<65536x1024xf32>) -> tensor<65536x1024xf32>
  return %0 : tensor<65536x1024xf32>
}

// -0.0 is no zero that nothing changes.
// CHECK-LABEL: @graph_scatter_to_segment_sum_c1_negative_zero(
// CHECK-NOT:     graph.sort
// REMARK:      [Missed] NotGrouped {{.*}}Remark="not grouped: it is no sum of f32 or f64 into zeros"
func.func @graph_scatter_to_segment_sum_c1_negative_zero(%g: tensor<65536x1024xf32>, %i: tensor<65536xi64>) -> tensor<65536x1024xf32> {
  %z = graph.full -0.000000e+00 : f32 -> tensor<65536x1024xf32>
  %0 = graph.index_put sum %z[%i], %g dims [0] : (tensor<65536x1024xf32>, tensor<65536xi64>, tensor<65536x1024xf32>) -> tensor<65536x1024xf32>
  return %0 : tensor<65536x1024xf32>
}

// What is rounded after each addition is no sum of what it would be.
// CHECK-LABEL: @graph_scatter_to_segment_sum_c1_type(
// CHECK-NOT:     graph.sort
// REMARK:      [Missed] NotGrouped {{.*}}Function=graph_scatter_to_segment_sum_c1_type {{.*}}Remark="not grouped: it is no sum of f32 or f64 into zeros"
func.func @graph_scatter_to_segment_sum_c1_type(%g: tensor<65536x2048xbf16>, %i: tensor<65536xi64>) -> tensor<65536x2048xbf16> {
  %z = graph.full 0.000000e+00 : bf16 -> tensor<65536x2048xbf16>
  %0 = graph.index_put sum %z[%i], %g dims [0] : (tensor<65536x2048xbf16>, tensor<65536xi64>, tensor<65536x2048xbf16>) -> tensor<65536x2048xbf16>
  return %0 : tensor<65536x2048xbf16>
}

// CHECK-LABEL: @graph_scatter_to_segment_sum_c2(
// CHECK-NOT:     graph.sort
// REMARK:      [Missed] NotGrouped {{.*}}Remark="not grouped: its index does not choose whole rows"
func.func @graph_scatter_to_segment_sum_c2(%g: tensor<65536x1024xf32>, %i: tensor<1024xi64>) -> tensor<65536x1024xf32> {
  %z = graph.full 0.000000e+00 : f32 -> tensor<65536x1024xf32>
  %0 = graph.index_put sum %z[%i], %g dims [1] : (tensor<65536x1024xf32>, tensor<1024xi64>, tensor<65536x1024xf32>) -> tensor<65536x1024xf32>
  return %0 : tensor<65536x1024xf32>
}

// CHECK-LABEL: @graph_scatter_to_segment_sum_c2_elements(
// CHECK-NOT:     graph.sort
// REMARK:      [Missed] NotGrouped {{.*}}Remark="not grouped: its index does not choose whole rows"
func.func @graph_scatter_to_segment_sum_c2_elements(%g: tensor<65536x1024xf32>, %i: tensor<65536x1024xi64>) -> tensor<65536x1024xf32> {
  %z = graph.full 0.000000e+00 : f32 -> tensor<65536x1024xf32>
  %0 = graph.scatter sum %z, %i, %g dim 0 : (tensor<65536x1024xf32>, tensor<65536x1024xi64>, tensor<65536x1024xf32>) -> tensor<65536x1024xf32>
  return %0 : tensor<65536x1024xf32>
}

// CHECK-LABEL: @graph_scatter_to_segment_sum_c3(
// CHECK-NOT:     graph.sort
// REMARK:      [Missed] NotGrouped {{.*}}Remark="not grouped: its sizes are not constants"
func.func @graph_scatter_to_segment_sum_c3(%g: tensor<?x1024xf32, #sym.shape<[n, 1024]>>, %i: tensor<?xi64, #sym.shape<[n]>>) -> tensor<65536x1024xf32>
    attributes {sym.symbols = {n = #sym.range<65536, 100000>}} {
  %z = graph.full 0.000000e+00 : f32 -> tensor<65536x1024xf32>
  %0 = graph.index_put sum %z[%i], %g dims [0] : (tensor<65536x1024xf32>, tensor<?xi64, #sym.shape<[n]>>, tensor<?x1024xf32, #sym.shape<[n, 1024]>>) -> tensor<65536x1024xf32>
  return %0 : tensor<65536x1024xf32>
}

// CHECK-LABEL: @graph_scatter_to_segment_sum_c4(
// CHECK-NOT:     graph.sort
// REMARK:      [Missed] NotGrouped {{.*}}Remark="not grouped: its rows have 256 bytes, fewer than 512"
func.func @graph_scatter_to_segment_sum_c4(%g: tensor<1048576x64xf32>, %i: tensor<1048576xi64>) -> tensor<1048576x64xf32> {
  %z = graph.full 0.000000e+00 : f32 -> tensor<1048576x64xf32>
  %0 = graph.index_put sum %z[%i], %g dims [0] : (tensor<1048576x64xf32>, tensor<1048576xi64>, tensor<1048576x64xf32>) -> tensor<1048576x64xf32>
  return %0 : tensor<1048576x64xf32>
}

// CHECK-LABEL: @graph_scatter_to_segment_sum_c5(
// CHECK-NOT:     graph.sort
// REMARK:      [Missed] NotGrouped {{.*}}Remark="not grouped: it would save 33554432 bytes, fewer than 100000000"
func.func @graph_scatter_to_segment_sum_c5(%g: tensor<4096x1024xf32>, %i: tensor<4096xi64>) -> tensor<65536x1024xf32> {
  %z = graph.full 0.000000e+00 : f32 -> tensor<65536x1024xf32>
  %0 = graph.index_put sum %z[%i], %g dims [0] : (tensor<65536x1024xf32>, tensor<4096xi64>, tensor<4096x1024xf32>) -> tensor<65536x1024xf32>
  return %0 : tensor<65536x1024xf32>
}

// What is computed on the way would have to be written first, and read: as much more is moved as less.
// CHECK-LABEL: @graph_scatter_to_segment_sum_c5_computed(
// CHECK-NOT:     graph.sort
// REMARK:      [Missed] NotGrouped {{.*}}Remark="not grouped: it would save 0 bytes, fewer than 100000000"
func.func @graph_scatter_to_segment_sum_c5_computed(%g: tensor<65536x1024xf32>, %i: tensor<65536xi64>) -> tensor<65536x1024xf32> {
  %z = graph.full 0.000000e+00 : f32 -> tensor<65536x1024xf32>
  %v = graph.mul %g, %g : (tensor<65536x1024xf32>, tensor<65536x1024xf32>) -> tensor<65536x1024xf32>
  %0 = graph.index_put sum %z[%i], %v dims [0] : (tensor<65536x1024xf32>, tensor<65536xi64>, tensor<65536x1024xf32>) -> tensor<65536x1024xf32>
  return %0 : tensor<65536x1024xf32>
}

// A conversion may broadcast what it widens: that is no row for each place.
// CHECK-LABEL: @broadcast_rows
// CHECK:         %[[ROWS:.+]] = graph.convert %{{.+}} : (tensor<2048xbf16>) -> tensor<65536x2048xf32>
// CHECK-NOT:     graph.sort
// CHECK:         graph.index_put sum %{{.+}}[%{{.+}}], %[[ROWS]]
// REMARK:      [Missed] NotGrouped {{.*}}Function=broadcast_rows
func.func @broadcast_rows(%g: tensor<2048xbf16>, %i: tensor<65536xi64>) -> tensor<65536x2048xf32> {
  %z = graph.full 0.000000e+00 : f32 -> tensor<65536x2048xf32>
  %0 = graph.convert %g : (tensor<2048xbf16>) -> tensor<65536x2048xf32>
  %1 = graph.index_put sum %z[%i], %0 dims [0] : (tensor<65536x2048xf32>, tensor<65536xi64>, tensor<65536x2048xf32>) -> tensor<65536x2048xf32>
  return %1 : tensor<65536x2048xf32>
}
