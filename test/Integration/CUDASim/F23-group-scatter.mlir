// F23: sums at positions in groups of equal positions. The pass changes no result (sums of small whole numbers are exact
// in any order), and what it makes gives on the simulated GPU what the program gave on the CPU without it.

// REQUIRES: cuda-sim, fake-cub
// RUN: coil-opt %s --graph-legalize-aten --canonicalize --cse --graph-scatter-to-segment-sum="sort=cub min-row-bytes=0 min-saved-bytes=-1000000 max-extra-bytes=1000000000 chunk=4" --canonicalize --cse -o %t.mlir
// RUN: FileCheck %s --check-prefix=GROUPED --input-file=%t.mlir

// RUN: coil-run %s --function=spread --random-inputs --output=@%t.npy
// RUN: %cuda_sim %fake_cub coil-run %t.mlir --target=cuda:sm_90a --library=cub --function=spread --random-inputs --expected-output=@%t.npy --atol=0 --rtol=0

// RUN: coil-run %s --function=equal --random-inputs --output=@%t.npy
// RUN: %cuda_sim %fake_cub coil-run %t.mlir --target=cuda:sm_90a --library=cub --function=equal --random-inputs --expected-output=@%t.npy --atol=0 --rtol=0

// RUN: coil-run %s --function=permuted --random-inputs --output=@%t.npy
// RUN: %cuda_sim %fake_cub coil-run %t.mlir --target=cuda:sm_90a --library=cub --function=permuted --random-inputs --expected-output=@%t.npy --atol=0 --rtol=0

// RUN: coil-run %s --function=added --random-inputs --output=@%t.npy
// RUN: %cuda_sim %fake_cub coil-run %t.mlir --target=cuda:sm_90a --library=cub --function=added --random-inputs --expected-output=@%t.npy --atol=0 --rtol=0

// RUN: coil-run %s --function=index_added --random-inputs --output=@%t.npy
// RUN: %cuda_sim %fake_cub coil-run %t.mlir --target=cuda:sm_90a --library=cub --function=index_added --random-inputs --expected-output=@%t.npy --atol=0 --rtol=0

// RUN: coil-run %s --function=zipf --random-inputs --output=@%t.npy
// RUN: %cuda_sim %fake_cub coil-run %t.mlir --target=cuda:sm_90a --library=cub --function=zipf --random-inputs --expected-output=@%t.npy --atol=0 --rtol=0

// RUN: coil-run %s --function=one --random-inputs --output=@%t.npy
// RUN: %cuda_sim %fake_cub coil-run %t.mlir --target=cuda:sm_90a --library=cub --function=one --random-inputs --expected-output=@%t.npy --atol=0 --rtol=0

// RUN: coil-run %s --function=few --random-inputs --output=@%t.npy
// RUN: %cuda_sim %fake_cub coil-run %t.mlir --target=cuda:sm_90a --library=cub --function=few --random-inputs --expected-output=@%t.npy --atol=0 --rtol=0

// RUN: coil-run %s --function=frequencies --random-inputs --output=@%t.npy
// RUN: %cuda_sim %fake_cub coil-run %t.mlir --target=cuda:sm_90a --library=cub --function=frequencies --random-inputs --expected-output=@%t.npy --atol=0 --rtol=0

// RUN: coil-run %s --function=doubles --random-inputs --output=@%t.npy
// RUN: %cuda_sim %fake_cub coil-run %t.mlir --target=cuda:sm_90a --library=cub --function=doubles --random-inputs --expected-output=@%t.npy --atol=0 --rtol=0

// RUN: coil-run %s --function=many --random-inputs --output=@%t.npy
// RUN: %cuda_sim %fake_cub coil-run %t.mlir --target=cuda:sm_90a --library=cub --function=many --random-inputs --expected-output=@%t.npy --atol=0 --rtol=0

// Where results are to be the same on every run, in graphs, and on chips without vectors of atomics.
// RUN: coil-run %s --function=spread --random-inputs --output=@%t.npy
// RUN: %cuda_sim %fake_cub coil-run %t.mlir --target=cuda:sm_90a --library=cub --function=spread --random-inputs --expected-output=@%t.npy --atol=0 --rtol=0 --deterministic
// RUN: %cuda_sim %fake_cub coil-run %t.mlir --target=cuda:sm_80 --library=cub --function=spread --random-inputs --expected-output=@%t.npy --atol=0 --rtol=0
// RUN: %cuda_sim %fake_cub coil-run %t.mlir --target=cuda:sm_90a --library=cub --function=spread --random-inputs --expected-output=@%t.npy --atol=0 --rtol=0 --cuda-graphs=2 --iterations=4

// Floats that are rounded: against the interpreter, which sums in the same order.
// RUN: %cuda_sim %fake_cub coil-run %t.mlir --target=cuda:sm_90a --library=cub --function=floats --random-inputs --reference=interp
// RUN: coil-run %t.mlir --function=floats --random-inputs --reference=interp

// A position out of range is the error that it was, at the same place.
// RUN: not %cuda_sim %fake_cub coil-run %s --target=cuda:sm_90a --library=none --function=range '--input=2x1xf32=1 2' '--input=2xi64=0 3' 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not %cuda_sim %fake_cub coil-run %t.mlir --target=cuda:sm_90a --library=cub --function=range '--input=2x1xf32=1 2' '--input=2xi64=0 3' 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not %cuda_sim %fake_cub coil-run %t.mlir --target=cuda:sm_90a --library=cub --function=range '--input=2x1xf32=1 2' '--input=2xi64=-4 1' 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not %cuda_sim %fake_cub coil-run %t.mlir --target=cuda:sm_90a --library=cub --function=range '--input=2x1xf32=1 2' '--input=2xi64=-9223372036854775808 9223372036854775807' 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: %cuda_sim %fake_cub coil-run %t.mlir --target=cuda:sm_90a --library=cub --function=range '--input=2x1xf32=1 2' '--input=2xi64=-3 2' --output=- | FileCheck %s --check-prefix=INSIDE
// RANGE: index out of range
// INSIDE: 3x1xf32={{\[\[}}1][0][2]]

// GROUPED-LABEL: @spread
// GROUPED-NOT:     index_put sum
// GROUPED:         graph.sort {{.*}} library "cub" : (tensor<96xui16>)
// GROUPED:         graph.segment_reduce {{.*}}(tensor<96x64xbf16>
func.func @spread(%n: tensor<2x48x64xi64>, %i: tensor<2x48xi64>) -> tensor<37x64xbf16> {
  %g = graph.convert %n : (tensor<2x48x64xi64>) -> tensor<2x48x64xbf16>
  %0 = graph.aten "aten.embedding_dense_backward.default"(%g, %i) ["grad_output", "indices"] {num_weights = 37 : i64, padding_idx = 2 : i64, scale_grad_by_freq = false} : (tensor<2x48x64xbf16>, tensor<2x48xi64>) -> tensor<37x64xbf16>
  return %0 : tensor<37x64xbf16>
}

// One row has all places; more rows than 16 bits count.
// GROUPED-LABEL: @equal
// GROUPED-NOT:     index_put sum
// GROUPED:         graph.sort {{.*}} : (tensor<101xui32>)
func.func @equal(%n: tensor<101x4xi64>) -> tensor<65535x4xf16> {
  %g = graph.convert %n : (tensor<101x4xi64>) -> tensor<101x4xf16>
  %i = graph.full 65534 : i64 -> tensor<101xi64>
  %0 = graph.aten "aten.embedding_dense_backward.default"(%g, %i) ["grad_output", "indices"] {num_weights = 65535 : i64, padding_idx = -1 : i64, scale_grad_by_freq = false} : (tensor<101x4xf16>, tensor<101xi64>) -> tensor<65535x4xf16>
  return %0 : tensor<65535x4xf16>
}

// Negative positions, out of order, of rows of two dimensions; each once, most twice, or three times.
// GROUPED-LABEL: @permuted
// GROUPED-NOT:     index_put sum
// GROUPED:         graph.segment_reduce
func.func @permuted(%n: tensor<97x3x5xi64>) -> tensor<37x3x5xf32> {
  %g = graph.convert %n : (tensor<97x3x5xi64>) -> tensor<97x3x5xf32>
  %k = graph.iota 0 : i64 step 29 : i64 dim 0 -> tensor<97xi64>
  %rows = graph.full 37 : i64 -> tensor<i64>
  %m = graph.remainder %k, %rows : (tensor<97xi64>, tensor<i64>) -> tensor<97xi64>
  %i = graph.sub %m, %rows : (tensor<97xi64>, tensor<i64>) -> tensor<97xi64>
  %z = graph.full 0.000000e+00 : f32 -> tensor<37x3x5xf32>
  %0 = graph.index_put sum %z[%i], %g dims [0] : (tensor<37x3x5xf32>, tensor<97xi64>, tensor<97x3x5xf32>) -> tensor<37x3x5xf32>
  return %0 : tensor<37x3x5xf32>
}

// GROUPED-LABEL: @added
// GROUPED-NOT:     scatter sum
// GROUPED:         graph.segment_reduce
func.func @added(%n: tensor<53x12xi64>, %i: tensor<53xi32>) -> tensor<7x12xf16> {
  %g = graph.convert %n : (tensor<53x12xi64>) -> tensor<53x12xf16>
  %z = graph.full 0.000000e+00 : f16 -> tensor<7x12xf16>
  %seven = graph.full 7 : i32 -> tensor<i32>
  %m = graph.remainder %i, %seven : (tensor<53xi32>, tensor<i32>) -> tensor<53xi32>
  %l = graph.convert %m : (tensor<53xi32>) -> tensor<53xi64>
  %c = graph.reshape %l : (tensor<53xi64>) -> tensor<53x1xi64>
  %e = graph.broadcast %c : (tensor<53x1xi64>) -> tensor<53x12xi64>
  %0 = graph.aten "aten.scatter_add.default"(%z, %e, %g) ["self", "index", "src"] {dim = 0 : i64} : (tensor<7x12xf16>, tensor<53x12xi64>, tensor<53x12xf16>) -> tensor<7x12xf16>
  return %0 : tensor<7x12xf16>
}

// GROUPED-LABEL: @index_added
// GROUPED-NOT:     index_put sum
// GROUPED:         graph.segment_reduce
func.func @index_added(%n: tensor<53x12xi64>, %i: tensor<53xi64>) -> tensor<8x12xbf16> {
  %g = graph.convert %n : (tensor<53x12xi64>) -> tensor<53x12xbf16>
  %z = graph.full 0.000000e+00 : bf16 -> tensor<8x12xbf16>
  %0 = graph.aten "aten.index_add.default"(%z, %i, %g) ["self", "index", "source"] {dim = 0 : i64, alpha = 1 : i64} : (tensor<8x12xbf16>, tensor<53xi64>, tensor<53x12xbf16>) -> tensor<8x12xbf16>
  return %0 : tensor<8x12xbf16>
}

// Many places at few rows, few at many.
// GROUPED-LABEL: @zipf
// GROUPED:         graph.segment_reduce
func.func @zipf(%n: tensor<211x16xi64>) -> tensor<41x16xf32> {
  %g = graph.convert %n : (tensor<211x16xi64>) -> tensor<211x16xf32>
  %k = graph.iota 0 : i64 step 97 : i64 dim 0 -> tensor<211xi64>
  %places = graph.full 211 : i64 -> tensor<i64>
  %rows = graph.full 41 : i64 -> tensor<i64>
  %m = graph.remainder %k, %places : (tensor<211xi64>, tensor<i64>) -> tensor<211xi64>
  %m2 = graph.mul %m, %m : (tensor<211xi64>, tensor<211xi64>) -> tensor<211xi64>
  %m3 = graph.mul %m2, %m : (tensor<211xi64>, tensor<211xi64>) -> tensor<211xi64>
  %m4 = graph.mul %m3, %rows : (tensor<211xi64>, tensor<i64>) -> tensor<211xi64>
  %all = graph.full 9393931 : i64 -> tensor<i64>
  %i = graph.floor_div %m4, %all : (tensor<211xi64>, tensor<i64>) -> tensor<211xi64>
  %z = graph.full 0.000000e+00 : f32 -> tensor<41x16xf32>
  %0 = graph.index_put sum %z[%i], %g dims [0] : (tensor<41x16xf32>, tensor<211xi64>, tensor<211x16xf32>) -> tensor<41x16xf32>
  return %0 : tensor<41x16xf32>
}

// GROUPED-LABEL: @one
// GROUPED:         graph.segment_reduce
func.func @one(%n: tensor<1x16xi64>, %i: tensor<1xi64>) -> tensor<11x16xf32> {
  %g = graph.convert %n : (tensor<1x16xi64>) -> tensor<1x16xf32>
  %z = graph.full 0.000000e+00 : f32 -> tensor<11x16xf32>
  %0 = graph.index_put sum %z[%i], %g dims [0] : (tensor<11x16xf32>, tensor<1xi64>, tensor<1x16xf32>) -> tensor<11x16xf32>
  return %0 : tensor<11x16xf32>
}

// Too few places for chunks; one row.
// GROUPED-LABEL: @few
// GROUPED-COUNT-2: graph.segment_reduce
// GROUPED-NOT:     graph.segment_reduce
// GROUPED:         return
func.func @few(%n: tensor<7x17xi64>) -> tensor<1x17xf32> {
  %g = graph.convert %n : (tensor<7x17xi64>) -> tensor<7x17xf32>
  %i = graph.full -1 : i64 -> tensor<7xi64>
  %z = graph.full 0.000000e+00 : f32 -> tensor<1x17xf32>
  %0 = graph.index_put sum %z[%i], %g dims [0] : (tensor<1x17xf32>, tensor<7xi64>, tensor<7x17xf32>) -> tensor<1x17xf32>
  return %0 : tensor<1x17xf32>
}

// How often each row occurs stays a sum of single elements.
// GROUPED-LABEL: @frequencies
// GROUPED:         graph.index_put sum
// GROUPED:         graph.segment_reduce
func.func @frequencies(%i: tensor<32xi64>) -> tensor<8x8xf32> {
  %g = graph.full 4.000000e+00 : f32 -> tensor<32x8xf32>
  %two = graph.full 2 : i64 -> tensor<i64>
  %four = graph.full 4 : i64 -> tensor<i64>
  %k = graph.iota 0 : i64 step 1 : i64 dim 0 -> tensor<32xi64>
  %l = graph.remainder %k, %four : (tensor<32xi64>, tensor<i64>) -> tensor<32xi64>
  %0 = graph.aten "aten.embedding_dense_backward.default"(%g, %l) ["grad_output", "indices"] {num_weights = 8 : i64, padding_idx = 3 : i64, scale_grad_by_freq = true} : (tensor<32x8xf32>, tensor<32xi64>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// GROUPED-LABEL: @doubles
// GROUPED:         graph.segment_reduce {{.*}}tensor<8x6xf64>
func.func @doubles(%n: tensor<33x6xi64>, %i: tensor<33xi64>) -> tensor<8x6xf64> {
  %g = graph.convert %n : (tensor<33x6xi64>) -> tensor<33x6xf64>
  %z = graph.full 0.000000e+00 : f64 -> tensor<8x6xf64>
  %0 = graph.index_put sum %z[%i], %g dims [0] : (tensor<8x6xf64>, tensor<33xi64>, tensor<33x6xf64>) -> tensor<8x6xf64>
  return %0 : tensor<8x6xf64>
}

// More places than a block sorts.
// GROUPED-LABEL: @many
// GROUPED:         graph.segment_reduce
func.func @many(%n: tensor<20011x4xi64>) -> tensor<70001x4xf32> {
  %g = graph.convert %n : (tensor<20011x4xi64>) -> tensor<20011x4xf32>
  %k = graph.iota 0 : i64 step 7919 : i64 dim 0 -> tensor<20011xi64>
  %rows = graph.full 70001 : i64 -> tensor<i64>
  %m = graph.remainder %k, %rows : (tensor<20011xi64>, tensor<i64>) -> tensor<20011xi64>
  %m2 = graph.mul %m, %m : (tensor<20011xi64>, tensor<20011xi64>) -> tensor<20011xi64>
  %i = graph.floor_div %m2, %rows : (tensor<20011xi64>, tensor<i64>) -> tensor<20011xi64>
  %z = graph.full 0.000000e+00 : f32 -> tensor<70001x4xf32>
  %0 = graph.index_put sum %z[%i], %g dims [0] : (tensor<70001x4xf32>, tensor<20011xi64>, tensor<20011x4xf32>) -> tensor<70001x4xf32>
  return %0 : tensor<70001x4xf32>
}

func.func @floats(%g: tensor<203x72xbf16>, %i: tensor<203xi64>) -> tensor<11x72xbf16> {
  %0 = graph.aten "aten.embedding_dense_backward.default"(%g, %i) ["grad_output", "indices"] {num_weights = 11 : i64, padding_idx = -1 : i64, scale_grad_by_freq = false} : (tensor<203x72xbf16>, tensor<203xi64>) -> tensor<11x72xbf16>
  return %0 : tensor<11x72xbf16>
}

func.func @range(%g: tensor<2x1xf32>, %i: tensor<2xi64>) -> tensor<3x1xf32> {
  %z = graph.full 0.000000e+00 : f32 -> tensor<3x1xf32>
  %0 = graph.index_put sum %z[%i], %g dims [0] : (tensor<3x1xf32>, tensor<2xi64>, tensor<2x1xf32>) -> tensor<3x1xf32>
  return %0 : tensor<3x1xf32>
}
