// Sums of rows in groups do not raise the peak of a program's memory (C6).

// RUN: coil-opt %s --graph-scatter-to-segment-sum="sort=cub" --remarks-filter=graph-scatter-to-segment-sum --remark-policy=all 2>%t | FileCheck %s --check-prefixes=CHECK,NOLIB
// RUN: FileCheck %s --check-prefix=REMARK < %t
// RUN: coil-opt %s --graph-scatter-to-segment-sum="sort=cub library=cublaslt,cub" | FileCheck %s --check-prefixes=CHECK,LIB
// RUN: coil-opt %s --graph-scatter-to-segment-sum="sort=cub release-inputs" | FileCheck %s --check-prefix=RELEASE
// More may be allowed, and is where results have to be the same on every run.
// RUN: coil-opt %s --graph-scatter-to-segment-sum="sort=cub max-extra-bytes=4464639" | FileCheck %s --check-prefix=LESS
// RUN: coil-opt %s --graph-scatter-to-segment-sum="sort=cub max-extra-bytes=4464640" | FileCheck %s --check-prefix=MORE
// RUN: coil-opt %s --coil-graph-pipeline="target=cuda:sm_90a library=cub" | FileCheck %s --check-prefix=LESS
// RUN: coil-opt %s --coil-graph-pipeline="target=cuda:sm_90a library=cub scatter-bytes=5000000" | FileCheck %s --check-prefix=MORE
// RUN: coil-opt %s --coil-graph-pipeline="target=cuda:sm_90a library=cub deterministic" | FileCheck %s --check-prefix=MORE
// The plans have the peaks that they have with atomic additions; the first function alone would have a higher one.
// RUN: coil-opt %s --coil-graph-pipeline="target=cuda:sm_90a library=none" --coil-loop-pipeline="target=cuda:sm_90a library=none" --coil-wrapper-pipeline="target=cuda:sm_90a library=none partitions=off" | FileCheck %s --check-prefix=PLAN
// RUN: coil-opt %s --coil-graph-pipeline="target=cuda:sm_90a library=cub" --coil-loop-pipeline="target=cuda:sm_90a library=cub" --coil-wrapper-pipeline="target=cuda:sm_90a library=cub partitions=off" | FileCheck %s --check-prefix=PLAN
// RUN: coil-opt %s --coil-graph-pipeline="target=cuda:sm_90a library=cub scatter-bytes=5000000" --coil-loop-pipeline="target=cuda:sm_90a library=cub" --coil-wrapper-pipeline="target=cuda:sm_90a library=cub partitions=off" | FileCheck %s --check-prefix=PLANMORE
// PLAN: wrapper.func @graph_scatter_to_segment_sum_c6({{.*}}peak = 268435456 :
// PLAN: wrapper.func @contraction({{.*}}peak = 1073741824 :
// PLAN: wrapper.func @end({{.*}}peak = 536870912 :
// PLAN: wrapper.func @step({{.*}}peak = 6722420736 :
// PLANMORE: wrapper.func @graph_scatter_to_segment_sum_c6({{.*}}peak = 272629760 :

// 65536 sorted keys of 4 bytes and positions of 8, three times 131072 places of ranges of 4, and 512 partial sums of 4096 bytes with
// ranges of 16.
// CHECK-LABEL: @graph_scatter_to_segment_sum_c6(
// CHECK-NOT:     graph.sort
// REMARK:      [Missed] NotGrouped {{.*}}Function=graph_scatter_to_segment_sum_c6 {{.*}}Remark="not grouped: it would need 4464640 bytes of memory more than atomic additions, and the program's peak may be there"
// LESS-LABEL: @graph_scatter_to_segment_sum_c6(
// LESS-NOT:     graph.sort
// MORE-LABEL: @graph_scatter_to_segment_sum_c6(
// MORE:         graph.sort
// LESS-LABEL: @rounded
// LESS:         graph.sort
func.func @graph_scatter_to_segment_sum_c6(%g: tensor<65536x1024xf32>, %i: tensor<65536xi64>) -> tensor<65536x1024xf32> {
  %z = graph.full 0.000000e+00 : f32 -> tensor<65536x1024xf32>
  %0 = graph.index_put sum %z[%i], %g dims [0] : (tensor<65536x1024xf32>, tensor<65536xi64>, tensor<65536x1024xf32>) -> tensor<65536x1024xf32>
  return %0 : tensor<65536x1024xf32>
}

// Atomic additions would have a table in f32.
// CHECK-LABEL: @rounded
// CHECK:         graph.sort
// REMARK:      [Passed] Grouped {{.*}}Function=rounded
func.func @rounded(%g: tensor<65536x1024xbf16>, %i: tensor<65536xi64>) -> tensor<65536x1024xbf16> {
  %z = graph.full 0.000000e+00 : f32 -> tensor<65536x1024xf32>
  %0 = graph.convert %g : (tensor<65536x1024xbf16>) -> tensor<65536x1024xf32>
  %1 = graph.index_put sum %z[%i], %0 dims [0] : (tensor<65536x1024xf32>, tensor<65536xi64>, tensor<65536x1024xf32>) -> tensor<65536x1024xf32>
  %2 = graph.convert %1 : (tensor<65536x1024xf32>) -> tensor<65536x1024xbf16>
  return %2 : tensor<65536x1024xbf16>
}

// Two tensors of 512 MB at the second product, one of 256 MB and what the sum needs later.
// CHECK-LABEL: @contraction
// CHECK:         graph.sort
// REMARK:      [Passed] Grouped {{.*}}Function=contraction
// RELEASE-LABEL: @contraction
// RELEASE:         graph.sort
func.func @contraction(%g: tensor<65536x1024xf32>, %i: tensor<65536xi64>, %a: tensor<16384x8192xf32>, %b: tensor<8192x8192xf32>) -> (tensor<f32>, tensor<65536x1024xf32>) {
  %p = graph.matmul %a, %b : (tensor<16384x8192xf32>, tensor<8192x8192xf32>) -> tensor<16384x8192xf32>
  %q = graph.matmul %p, %b : (tensor<16384x8192xf32>, tensor<8192x8192xf32>) -> tensor<16384x8192xf32>
  %r = graph.reduce sum, %q dims [0, 1] : (tensor<16384x8192xf32>) -> tensor<f32>
  %z = graph.full 0.000000e+00 : f32 -> tensor<65536x1024xf32>
  %0 = graph.index_put sum %z[%i], %g dims [0] : (tensor<65536x1024xf32>, tensor<65536xi64>, tensor<65536x1024xf32>) -> tensor<65536x1024xf32>
  return %r, %0 : tensor<f32>, tensor<65536x1024xf32>
}

// One result of the contraction is alive at the sum, too; the other is as large as the sum's result.
// CHECK-LABEL: @alive
// CHECK-NOT:     graph.sort
// REMARK:      [Missed] NotGrouped {{.*}}Function=alive {{.*}}it would need 4464640 bytes
func.func @alive(%g: tensor<65536x1024xf32>, %i: tensor<65536xi64>, %a: tensor<8192x8192xf32>, %b: tensor<8192x8192xf32>) -> (tensor<8192x8192xf32>, tensor<65536x1024xf32>) {
  %p = graph.matmul %a, %b : (tensor<8192x8192xf32>, tensor<8192x8192xf32>) -> tensor<8192x8192xf32>
  %q = graph.matmul %p, %b : (tensor<8192x8192xf32>, tensor<8192x8192xf32>) -> tensor<8192x8192xf32>
  %z = graph.full 0.000000e+00 : f32 -> tensor<65536x1024xf32>
  %0 = graph.index_put sum %z[%i], %g dims [0] : (tensor<65536x1024xf32>, tensor<65536xi64>, tensor<65536x1024xf32>) -> tensor<65536x1024xf32>
  return %q, %0 : tensor<8192x8192xf32>, tensor<65536x1024xf32>
}

// An epilogue stores what is only converted: of the factor of the second product 128 MB are sure to be there, not 384.
// CHECK-LABEL: @narrow
// CHECK-NOT:     graph.sort
// REMARK:      [Missed] NotGrouped {{.*}}Function=narrow
func.func @narrow(%g: tensor<65536x1024xf32>, %i: tensor<65536xi64>, %a: tensor<8192x8192xf32>, %b: tensor<8192x8192xf32>) -> (tensor<bf16>, tensor<65536x1024xf32>) {
  %p = graph.matmul %a, %b : (tensor<8192x8192xf32>, tensor<8192x8192xf32>) -> tensor<8192x8192xf32>
  %n = graph.convert %p : (tensor<8192x8192xf32>) -> tensor<8192x8192xbf16>
  %q = graph.matmul %n, %n : (tensor<8192x8192xbf16>, tensor<8192x8192xbf16>) -> tensor<8192x8192xbf16>
  %r = graph.reduce sum, %q dims [0, 1] : (tensor<8192x8192xbf16>) -> tensor<bf16>
  %z = graph.full 0.000000e+00 : f32 -> tensor<65536x1024xf32>
  %0 = graph.index_put sum %z[%i], %g dims [0] : (tensor<65536x1024xf32>, tensor<65536xi64>, tensor<65536x1024xf32>) -> tensor<65536x1024xf32>
  return %r, %0 : tensor<bf16>, tensor<65536x1024xf32>
}

// A product of the sums comes behind them: two tensors of 256 MB are returned.
// CHECK-LABEL: @end
// CHECK:         graph.sort
// REMARK:      [Passed] Grouped {{.*}}Function=end
// Inputs that have ended by then were there at the sum.
// RELEASE-LABEL: @end
// RELEASE-NOT:     graph.sort
func.func @end(%g: tensor<65536x1024xf32>, %i: tensor<65536xi64>, %w: tensor<1024x1024xf32>) -> (tensor<65536x1024xf32>, tensor<65536x1024xf32>) {
  %z = graph.full 0.000000e+00 : f32 -> tensor<65536x1024xf32>
  %0 = graph.index_put sum %z[%i], %g dims [0] : (tensor<65536x1024xf32>, tensor<65536xi64>, tensor<65536x1024xf32>) -> tensor<65536x1024xf32>
  %1 = graph.matmul %0, %w : (tensor<65536x1024xf32>, tensor<1024x1024xf32>) -> tensor<65536x1024xf32>
  return %0, %1 : tensor<65536x1024xf32>, tensor<65536x1024xf32>
}

// The kernel that makes the sums may make what is computed from them, and needs the scratch memory for that, too.
// CHECK-LABEL: @merged
// CHECK-NOT:     graph.sort
// REMARK:      [Missed] NotGrouped {{.*}}Function=merged
// RELEASE-LABEL: @merged
func.func @merged(%g: tensor<65536x1024xf32>, %i: tensor<65536xi64>) -> (tensor<65536x1024xf32>, tensor<65536x1024xf32>) {
  %z = graph.full 0.000000e+00 : f32 -> tensor<65536x1024xf32>
  %0 = graph.index_put sum %z[%i], %g dims [0] : (tensor<65536x1024xf32>, tensor<65536xi64>, tensor<65536x1024xf32>) -> tensor<65536x1024xf32>
  %1 = graph.exp %0 : (tensor<65536x1024xf32>) -> tensor<65536x1024xf32>
  return %0, %1 : tensor<65536x1024xf32>, tensor<65536x1024xf32>
}

// What does not depend on it may be computed before it, in a kernel that merges others.
// CHECK-LABEL: @independent
// CHECK-NOT:     graph.sort
// REMARK:      [Missed] NotGrouped {{.*}}Function=independent
// RELEASE-LABEL: @independent
func.func @independent(%g: tensor<65536x1024xf32>, %i: tensor<65536xi64>, %a: tensor<65536x1024xf32>) -> (tensor<65536x1024xf32>, tensor<65536x1024xf32>) {
  %z = graph.full 0.000000e+00 : f32 -> tensor<65536x1024xf32>
  %0 = graph.index_put sum %z[%i], %g dims [0] : (tensor<65536x1024xf32>, tensor<65536xi64>, tensor<65536x1024xf32>) -> tensor<65536x1024xf32>
  %1 = graph.exp %a : (tensor<65536x1024xf32>) -> tensor<65536x1024xf32>
  %2 = graph.mul %1, %1 : (tensor<65536x1024xf32>, tensor<65536x1024xf32>) -> tensor<65536x1024xf32>
  return %0, %2 : tensor<65536x1024xf32>, tensor<65536x1024xf32>
}

// A value that is computed together with its late reader keeps its operands until then.
// CHECK-LABEL: @late
// CHECK-NOT:     graph.sort
// REMARK:      [Missed] NotGrouped {{.*}}Function=late
func.func @late(%g: tensor<65536x1024xf32>, %i: tensor<65536xi64>, %a: tensor<16384x8192xf32>, %b: tensor<8192x8192xf32>) -> tensor<65536x1024xf32> {
  %p = graph.matmul %a, %b : (tensor<16384x8192xf32>, tensor<8192x8192xf32>) -> tensor<16384x8192xf32>
  %q = graph.matmul %p, %b : (tensor<16384x8192xf32>, tensor<8192x8192xf32>) -> tensor<16384x8192xf32>
  %s = graph.add %p, %q : (tensor<16384x8192xf32>, tensor<16384x8192xf32>) -> tensor<16384x8192xf32>
  %m = graph.reduce max, %s dims [0, 1] : (tensor<16384x8192xf32>) -> tensor<f32>
  %z = graph.full 0.000000e+00 : f32 -> tensor<65536x1024xf32>
  %0 = graph.index_put sum %z[%i], %g dims [0] : (tensor<65536x1024xf32>, tensor<65536xi64>, tensor<65536x1024xf32>) -> tensor<65536x1024xf32>
  %1 = graph.mul %0, %m : (tensor<65536x1024xf32>, tensor<f32>) -> tensor<65536x1024xf32>
  return %1 : tensor<65536x1024xf32>
}

// What is returned is a part of the product, which is in memory for it.
// CHECK-LABEL: @part
// CHECK-NOT:     graph.sort
// REMARK:      [Missed] NotGrouped {{.*}}Function=part
func.func @part(%g: tensor<65536x1024xf32>, %i: tensor<65536xi64>, %a: tensor<8192x8192xf32>, %b: tensor<8192x8192xf32>) -> (tensor<64x8192xf32>, tensor<65536x1024xf32>) {
  %p = graph.matmul %a, %b : (tensor<8192x8192xf32>, tensor<8192x8192xf32>) -> tensor<8192x8192xf32>
  %q = graph.matmul %p, %b : (tensor<8192x8192xf32>, tensor<8192x8192xf32>) -> tensor<8192x8192xf32>
  %r = graph.matmul %q, %p : (tensor<8192x8192xf32>, tensor<8192x8192xf32>) -> tensor<8192x8192xf32>
  %s = graph.slice %r starts <[64, 0]> steps [1, 1] : (tensor<8192x8192xf32>) -> tensor<64x8192xf32>
  %z = graph.full 0.000000e+00 : f32 -> tensor<65536x1024xf32>
  %0 = graph.index_put sum %z[%i], %g dims [0] : (tensor<65536x1024xf32>, tensor<65536xi64>, tensor<65536x1024xf32>) -> tensor<65536x1024xf32>
  return %s, %0 : tensor<64x8192xf32>, tensor<65536x1024xf32>
}

// Kernels of ours may compute their operands; a library reads them.
// CHECK-LABEL: @operands
// NOLIB-NOT:     graph.sort
// LIB:           graph.sort
// REMARK:      [Missed] NotGrouped {{.*}}Function=operands
func.func @operands(%g: tensor<65536x1024xf32>, %i: tensor<65536xi64>, %a: tensor<16384x8192xf32>, %b: tensor<8192x64xf32>) -> (tensor<f32>, tensor<65536x1024xf32>) {
  %x = graph.exp %a : (tensor<16384x8192xf32>) -> tensor<16384x8192xf32>
  %q = graph.matmul %x, %b : (tensor<16384x8192xf32>, tensor<8192x64xf32>) -> tensor<16384x64xf32>
  %r = graph.reduce sum, %q dims [0, 1] : (tensor<16384x64xf32>) -> tensor<f32>
  %z = graph.full 0.000000e+00 : f32 -> tensor<65536x1024xf32>
  %0 = graph.index_put sum %z[%i], %g dims [0] : (tensor<65536x1024xf32>, tensor<65536xi64>, tensor<65536x1024xf32>) -> tensor<65536x1024xf32>
  return %r, %0 : tensor<f32>, tensor<65536x1024xf32>
}

// What depends on weights alone may be computed once, by no call.
// CHECK-LABEL: @weights
// CHECK-NOT:     graph.sort
// REMARK:      [Missed] NotGrouped {{.*}}Function=weights
func.func @weights(%g: tensor<65536x1024xf32>, %i: tensor<65536xi64>, %a: tensor<16384x8192xf32> {graph.weight = "a"}, %b: tensor<8192x8192xf32> {graph.weight = "b"}) -> (tensor<f32>, tensor<65536x1024xf32>) {
  %p = graph.matmul %a, %b : (tensor<16384x8192xf32>, tensor<8192x8192xf32>) -> tensor<16384x8192xf32>
  %q = graph.matmul %p, %b : (tensor<16384x8192xf32>, tensor<8192x8192xf32>) -> tensor<16384x8192xf32>
  %r = graph.reduce sum, %q dims [0, 1] : (tensor<16384x8192xf32>) -> tensor<f32>
  %z = graph.full 0.000000e+00 : f32 -> tensor<65536x1024xf32>
  %0 = graph.index_put sum %z[%i], %g dims [0] : (tensor<65536x1024xf32>, tensor<65536xi64>, tensor<65536x1024xf32>) -> tensor<65536x1024xf32>
  return %r, %0 : tensor<f32>, tensor<65536x1024xf32>
}

// Results that are put together may be written where that is.
// CHECK-LABEL: @parts
// CHECK-NOT:     graph.sort
// REMARK:      [Missed] NotGrouped {{.*}}Function=parts
func.func @parts(%g: tensor<65536x1024xf32>, %i: tensor<65536xi64>, %a: tensor<8192x8192xf32>, %b: tensor<8192x8192xf32>) -> (tensor<f32>, tensor<65536x1024xf32>) {
  %p = graph.matmul %a, %b : (tensor<8192x8192xf32>, tensor<8192x8192xf32>) -> tensor<8192x8192xf32>
  %q = graph.matmul %p, %b : (tensor<8192x8192xf32>, tensor<8192x8192xf32>) -> tensor<8192x8192xf32>
  %c = graph.cat %p, %q dim 0 : (tensor<8192x8192xf32>, tensor<8192x8192xf32>) -> tensor<16384x8192xf32>
  %r = graph.reduce sum, %c dims [0, 1] : (tensor<16384x8192xf32>) -> tensor<f32>
  %z = graph.full 0.000000e+00 : f32 -> tensor<65536x1024xf32>
  %0 = graph.index_put sum %z[%i], %g dims [0] : (tensor<65536x1024xf32>, tensor<65536xi64>, tensor<65536x1024xf32>) -> tensor<65536x1024xf32>
  return %r, %0 : tensor<f32>, tensor<65536x1024xf32>
}

// Sizes that are no constants count as nothing elsewhere,
// CHECK-LABEL: @symbolic
// CHECK-NOT:     graph.sort
// REMARK:      [Missed] NotGrouped {{.*}}Function=symbolic {{.*}}it would need 4464640 bytes
func.func @symbolic(%g: tensor<65536x1024xf32>, %i: tensor<65536xi64>, %a: tensor<?x8192xf32, #sym.shape<[n, 8192]>>, %b: tensor<8192x8192xf32>) -> (tensor<f32>, tensor<65536x1024xf32>)
    attributes {sym.symbols = {n = #sym.range<16384, 100000>}} {
  %p = graph.matmul %a, %b : (tensor<?x8192xf32, #sym.shape<[n, 8192]>>, tensor<8192x8192xf32>) -> tensor<?x8192xf32, #sym.shape<[n, 8192]>>
  %q = graph.matmul %p, %b : (tensor<?x8192xf32, #sym.shape<[n, 8192]>>, tensor<8192x8192xf32>) -> tensor<?x8192xf32, #sym.shape<[n, 8192]>>
  %r = graph.reduce sum, %q dims [0, 1] : (tensor<?x8192xf32, #sym.shape<[n, 8192]>>) -> tensor<f32>
  %z = graph.full 0.000000e+00 : f32 -> tensor<65536x1024xf32>
  %0 = graph.index_put sum %z[%i], %g dims [0] : (tensor<65536x1024xf32>, tensor<65536xi64>, tensor<65536x1024xf32>) -> tensor<65536x1024xf32>
  return %r, %0 : tensor<f32>, tensor<65536x1024xf32>
}

// and as anything at the sum.
// CHECK-LABEL: @symbolic_alive
// CHECK-NOT:     graph.sort
// REMARK:      [Missed] NotGrouped {{.*}}Function=symbolic_alive
func.func @symbolic_alive(%g: tensor<65536x1024xf32>, %i: tensor<65536xi64>, %a: tensor<16384x8192xf32>, %b: tensor<8192x8192xf32>, %c: tensor<?xf32, #sym.shape<[n]>>) -> (tensor<f32>, tensor<?xf32, #sym.shape<[n]>>, tensor<65536x1024xf32>)
    attributes {sym.symbols = {n = #sym.range<1, 100000>}} {
  %p = graph.matmul %a, %b : (tensor<16384x8192xf32>, tensor<8192x8192xf32>) -> tensor<16384x8192xf32>
  %q = graph.matmul %p, %b : (tensor<16384x8192xf32>, tensor<8192x8192xf32>) -> tensor<16384x8192xf32>
  %r = graph.reduce sum, %q dims [0, 1] : (tensor<16384x8192xf32>) -> tensor<f32>
  %d = graph.exp %c : (tensor<?xf32, #sym.shape<[n]>>) -> tensor<?xf32, #sym.shape<[n]>>
  %z = graph.full 0.000000e+00 : f32 -> tensor<65536x1024xf32>
  %0 = graph.index_put sum %z[%i], %g dims [0] : (tensor<65536x1024xf32>, tensor<65536xi64>, tensor<65536x1024xf32>) -> tensor<65536x1024xf32>
  return %r, %d, %0 : tensor<f32>, tensor<?xf32, #sym.shape<[n]>>, tensor<65536x1024xf32>
}

// CHECK-LABEL: @devices
// CHECK-NOT:     graph.sort
// REMARK:      [Missed] NotGrouped {{.*}}Function=devices
func.func @devices(%g: tensor<65536x1024xf32>, %i: tensor<65536xi64>, %a: tensor<16384x8192xf32>, %b: tensor<8192x8192xf32>) -> (tensor<f32>, tensor<65536x1024xf32>) {
  %c = graph.to_device %a 1 : tensor<16384x8192xf32>
  %d = graph.to_device %b 1 : tensor<8192x8192xf32>
  %p = graph.matmul %c, %d : (tensor<16384x8192xf32>, tensor<8192x8192xf32>) -> tensor<16384x8192xf32>
  %q = graph.matmul %p, %d : (tensor<16384x8192xf32>, tensor<8192x8192xf32>) -> tensor<16384x8192xf32>
  %r = graph.reduce sum, %q dims [0, 1] : (tensor<16384x8192xf32>) -> tensor<f32>
  %z = graph.full 0.000000e+00 : f32 -> tensor<65536x1024xf32>
  %0 = graph.index_put sum %z[%i], %g dims [0] : (tensor<65536x1024xf32>, tensor<65536xi64>, tensor<65536x1024xf32>) -> tensor<65536x1024xf32>
  return %r, %0 : tensor<f32>, tensor<65536x1024xf32>
}

// CHECK-LABEL: @region
// CHECK-NOT:     graph.sort
// REMARK:      [Missed] NotGrouped {{.*}}Function=region
func.func @region(%g: tensor<65536x1024xf32>, %i: tensor<65536xi64>, %a: tensor<16384x8192xf32>, %b: tensor<8192x8192xf32>, %c: tensor<i1>) -> (tensor<f32>, tensor<65536x1024xf32>) {
  %p = graph.matmul %a, %b : (tensor<16384x8192xf32>, tensor<8192x8192xf32>) -> tensor<16384x8192xf32>
  %q = graph.matmul %p, %b : (tensor<16384x8192xf32>, tensor<8192x8192xf32>) -> tensor<16384x8192xf32>
  %r = graph.reduce sum, %q dims [0, 1] : (tensor<16384x8192xf32>) -> tensor<f32>
  %1 = graph.if %c : tensor<i1> -> (tensor<65536x1024xf32>) {
    %z = graph.full 0.000000e+00 : f32 -> tensor<65536x1024xf32>
    %0 = graph.index_put sum %z[%i], %g dims [0] : (tensor<65536x1024xf32>, tensor<65536xi64>, tensor<65536x1024xf32>) -> tensor<65536x1024xf32>
    graph.yield %0 : tensor<65536x1024xf32>
  } else {
    graph.yield %g : tensor<65536x1024xf32>
  }
  return %r, %1 : tensor<f32>, tensor<65536x1024xf32>
}

// A source that is computed right in front of the sum is in memory, but no f32 table is.
// CHECK-LABEL: @computed
// CHECK:         graph.sort
// REMARK:      [Passed] Grouped {{.*}}Function=computed
func.func @computed(%g: tensor<65536x1024xbf16>, %i: tensor<65536xi64>, %a: tensor<16384x8192xf32>, %b: tensor<8192x8192xf32>) -> (tensor<16384x8192xf32>, tensor<65536x1024xbf16>) {
  %q = graph.matmul %a, %b : (tensor<16384x8192xf32>, tensor<8192x8192xf32>) -> tensor<16384x8192xf32>
  %n = graph.reduce max, %q dims [0, 1] : (tensor<16384x8192xf32>) -> tensor<f32>
  %m = graph.convert %n : (tensor<f32>) -> tensor<bf16>
  %v = graph.mul %g, %m : (tensor<65536x1024xbf16>, tensor<bf16>) -> tensor<65536x1024xbf16>
  %z = graph.full 0.000000e+00 : f32 -> tensor<65536x1024xf32>
  %0 = graph.convert %v : (tensor<65536x1024xbf16>) -> tensor<65536x1024xf32>
  %1 = graph.index_put sum %z[%i], %0 dims [0] : (tensor<65536x1024xf32>, tensor<65536xi64>, tensor<65536x1024xf32>) -> tensor<65536x1024xf32>
  %2 = graph.convert %1 : (tensor<65536x1024xf32>) -> tensor<65536x1024xbf16>
  return %q, %2 : tensor<16384x8192xf32>, tensor<65536x1024xbf16>
}

// A source that may be there during the product might be at the peak.
// CHECK-LABEL: @computed_early
// CHECK-NOT:     graph.sort
// REMARK:      [Missed] NotGrouped {{.*}}Function=computed_early {{.*}}it would need 134217728 bytes
func.func @computed_early(%g: tensor<65536x1024xbf16>, %i: tensor<65536xi64>, %a: tensor<16384x8192xf32>, %b: tensor<8192x8192xf32>) -> (tensor<16384x8192xf32>, tensor<65536x1024xbf16>) {
  %v = graph.mul %g, %g : (tensor<65536x1024xbf16>, tensor<65536x1024xbf16>) -> tensor<65536x1024xbf16>
  %q = graph.matmul %a, %b : (tensor<16384x8192xf32>, tensor<8192x8192xf32>) -> tensor<16384x8192xf32>
  %z = graph.full 0.000000e+00 : f32 -> tensor<65536x1024xf32>
  %0 = graph.convert %v : (tensor<65536x1024xbf16>) -> tensor<65536x1024xf32>
  %1 = graph.index_put sum %z[%i], %0 dims [0] : (tensor<65536x1024xf32>, tensor<65536xi64>, tensor<65536x1024xf32>) -> tensor<65536x1024xf32>
  %2 = graph.convert %1 : (tensor<65536x1024xf32>) -> tensor<65536x1024xbf16>
  return %q, %2 : tensor<16384x8192xf32>, tensor<65536x1024xbf16>
}

// A step of training: the peak is at the gradient of the logits, where the embedding is far; all gradients are there at the sum.
// CHECK-LABEL: @step
// CHECK:         graph.sort
// REMARK:      [Passed] Grouped {{.*}}Function=step
func.func @step(%w: tensor<50264x1024xf32>, %w1: tensor<1024x1024xf32>, %wv: tensor<1024x50264xf32>, %i: tensor<16384xi64>, %t: tensor<16384x50264xf32>)
    -> (tensor<50264x1024xf32>, tensor<1024x1024xf32>, tensor<1024x50264xf32>) {
  %x = graph.index %w[%i] dims [0] : (tensor<50264x1024xf32>, tensor<16384xi64>) -> tensor<16384x1024xf32>
  %h = graph.matmul %x, %w1 : (tensor<16384x1024xf32>, tensor<1024x1024xf32>) -> tensor<16384x1024xf32>
  %l = graph.matmul %h, %wv : (tensor<16384x1024xf32>, tensor<1024x50264xf32>) -> tensor<16384x50264xf32>
  %m = graph.reduce max, %l dims [1] keepdims : (tensor<16384x50264xf32>) -> tensor<16384x1xf32>
  %d = graph.sub %l, %m : (tensor<16384x50264xf32>, tensor<16384x1xf32>) -> tensor<16384x50264xf32>
  %e = graph.exp %d : (tensor<16384x50264xf32>) -> tensor<16384x50264xf32>
  %s = graph.reduce sum, %e dims [1] keepdims : (tensor<16384x50264xf32>) -> tensor<16384x1xf32>
  %p = graph.div %e, %s : (tensor<16384x50264xf32>, tensor<16384x1xf32>) -> tensor<16384x50264xf32>
  %dl = graph.sub %p, %t : (tensor<16384x50264xf32>, tensor<16384x50264xf32>) -> tensor<16384x50264xf32>
  %ht = graph.permute %h [1, 0] : (tensor<16384x1024xf32>) -> tensor<1024x16384xf32>
  %dwv = graph.matmul %ht, %dl : (tensor<1024x16384xf32>, tensor<16384x50264xf32>) -> tensor<1024x50264xf32>
  %wvt = graph.permute %wv [1, 0] : (tensor<1024x50264xf32>) -> tensor<50264x1024xf32>
  %dh = graph.matmul %dl, %wvt : (tensor<16384x50264xf32>, tensor<50264x1024xf32>) -> tensor<16384x1024xf32>
  %xt = graph.permute %x [1, 0] : (tensor<16384x1024xf32>) -> tensor<1024x16384xf32>
  %dw1 = graph.matmul %xt, %dh : (tensor<1024x16384xf32>, tensor<16384x1024xf32>) -> tensor<1024x1024xf32>
  %w1t = graph.permute %w1 [1, 0] : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  %dx = graph.matmul %dh, %w1t : (tensor<16384x1024xf32>, tensor<1024x1024xf32>) -> tensor<16384x1024xf32>
  %z = graph.full 0.000000e+00 : f32 -> tensor<50264x1024xf32>
  %0 = graph.index_put sum %z[%i], %dx dims [0] : (tensor<50264x1024xf32>, tensor<16384xi64>, tensor<16384x1024xf32>) -> tensor<50264x1024xf32>
  return %0, %dw1, %dwv : tensor<50264x1024xf32>, tensor<1024x1024xf32>, tensor<1024x50264xf32>
}
