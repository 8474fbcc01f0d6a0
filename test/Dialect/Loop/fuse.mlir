// RUN: coil-opt %s --convert-graph-to-loop --loop-fold-views --loop-fuse --cse --split-input-file --remarks-filter=loop-fuse --remark-policy=all 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t

!t = tensor<?x1024xf32, #sym.shape<[s0, 1024]>>
!r = tensor<?x1xf32, #sym.shape<[s0, 1]>>

// A softmax is one kernel with two reductions over the same dimension.
// CHECK-LABEL: @softmax
// CHECK:       loop.kernel "reduce_max+sub+exp+reduce_sum+div" [s0, 1024]
// CHECK:       %[[X:.+]] = loop.load %{{.+}}[d0, d1]
// CHECK-NOT:   loop.load
// CHECK:       %[[M:.+]] = loop.reduce max %[[X]] over [1]
// CHECK:       %[[D:.+]] = arith.subf %[[X]], %[[M]]
// CHECK:       %[[E:.+]] = math.exp %[[D]]
// CHECK:       %[[S:.+]] = loop.reduce sum %[[E]] over [1]
// CHECK:       %[[Q:.+]] = arith.divf %[[E]], %[[S]]
// CHECK:       loop.store %[[Q]], 0[d0, d1]
// CHECK-NOT:   loop.kernel
func.func @softmax(%x: !t) -> !t attributes {sym.symbols = {s0 = #sym.range<1, 65536, hint = 16384>}} {
  %m = graph.reduce max, %x dims [1] keepdims : (!t) -> !r
  %d = graph.sub %x, %m : (!t, !r) -> !t
  %e = graph.exp %d : (!t) -> !t
  %s = graph.reduce sum, %e dims [1] keepdims : (!t) -> !r
  %y = graph.div %e, %s : (!t, !r) -> !t
  return %y : !t
}

// -----

!t = tensor<?x1024xf32, #sym.shape<[s0, 1024]>>
!r = tensor<?x1xf32, #sym.shape<[s0, 1]>>

// The sum of the residual is a second result of the one kernel.
// CHECK-LABEL: @residual_layer_norm
// CHECK:       %[[K:.+]]:2 = loop.kernel
// CHECK-DAG:   loop.store %{{.+}}, 0[d0, d1]
// CHECK-DAG:   loop.store %{{.+}}, 1[d0, d1]
// CHECK:       return %[[K]]#1, %[[K]]#0
func.func @residual_layer_norm(%a: !t, %b: !t, %w: tensor<1024xf32>, %bias: tensor<1024xf32>) -> (!t, !t) attributes {sym.symbols = {s0 = #sym.range<1, 65536, hint = 16384>}} {
  %x = graph.add %a, %b : (!t, !t) -> !t
  %s = graph.reduce sum, %x dims [1] keepdims : (!t) -> !r
  %n = graph.full 9.765625e-04 : f32 -> tensor<f32>
  %mean = graph.mul %s, %n : (!r, tensor<f32>) -> !r
  %d = graph.sub %x, %mean : (!t, !r) -> !t
  %q = graph.mul %d, %d : (!t, !t) -> !t
  %v = graph.reduce sum, %q dims [1] keepdims : (!t) -> !r
  %var = graph.mul %v, %n : (!r, tensor<f32>) -> !r
  %rs = graph.rsqrt %var : (!r) -> !r
  %h = graph.mul %d, %rs : (!t, !r) -> !t
  %hw = graph.mul %h, %w : (!t, tensor<1024xf32>) -> !t
  %y = graph.add %hw, %bias : (!t, tensor<1024xf32>) -> !t
  return %x, %y : !t, !t
}

// -----

// A bias is an epilogue that the library has; another function is not.
// CHECK-LABEL: @contraction_epilogue
// CHECK:       loop.kernel "matmul+add" [32, 512, 1024]
// CHECK:       loop.kernel "tanh" [32, 512]
// REMARK:      not fused: 'matmul+add' into 'tanh': a library computes the producer, and the consumer is not an epilogue that it has
func.func @contraction_epilogue(%x: tensor<32x1024xf32>, %w: tensor<512x1024xf32>, %bias: tensor<512xf32>) -> tensor<32x512xf32> {
  %wt = graph.permute %w [1, 0] : (tensor<512x1024xf32>) -> tensor<1024x512xf32>
  %m = graph.matmul %x, %wt : (tensor<32x1024xf32>, tensor<1024x512xf32>) -> tensor<32x512xf32>
  %a = graph.add %m, %bias : (tensor<32x512xf32>, tensor<512xf32>) -> tensor<32x512xf32>
  %t = graph.tanh %a : (tensor<32x512xf32>) -> tensor<32x512xf32>
  return %t : tensor<32x512xf32>
}

// -----

// What feeds a contraction stays in memory.
// CHECK-LABEL: @contraction_prologue
// CHECK:       loop.kernel "exp"
// CHECK:       loop.kernel "matmul"
// REMARK:      not fused: 'exp' into 'matmul': a library computes the consumer, which takes its operands from memory
func.func @contraction_prologue(%x: tensor<32x64xf32>, %w: tensor<64x16xf32>) -> tensor<32x16xf32> {
  %e = graph.exp %x : (tensor<32x64xf32>) -> tensor<32x64xf32>
  %m = graph.matmul %e, %w : (tensor<32x64xf32>, tensor<64x16xf32>) -> tensor<32x16xf32>
  return %m : tensor<32x16xf32>
}

// -----

// Computing the sum again for every column would repeat it.
// CHECK-LABEL: @repeated_reduction
// CHECK-COUNT-2: loop.kernel
// REMARK:      not fused: 'reduce_sum' into 'add': the reduction would be repeated along 'd1' of the consumer
func.func @repeated_reduction(%x: tensor<64x1000xf32>, %y: tensor<64x8xf32>) -> tensor<64x8xf32> {
  %s = graph.reduce sum, %x dims [1] keepdims : (tensor<64x1000xf32>) -> tensor<64x1xf32>
  %a = graph.add %y, %s : (tensor<64x8xf32>, tensor<64x1xf32>) -> tensor<64x8xf32>
  return %a : tensor<64x8xf32>
}

// -----

// CHECK-LABEL: @loop_fuse_c1
// CHECK-COUNT-2: loop.kernel
// REMARK:      not fused: 'reduce_sum' into 'reduce_max': both reduce, over different dimensions
func.func @loop_fuse_c1(%x: tensor<64x1000xf32>) -> tensor<f32> {
  %s = graph.reduce sum, %x dims [1] : (tensor<64x1000xf32>) -> tensor<64xf32>
  %m = graph.reduce max, %s dims [0] : (tensor<64xf32>) -> tensor<f32>
  return %m : tensor<f32>
}

// -----

// Two results of one expensive value: its kernel stays on the path between.
// CHECK-LABEL: @loop_fuse_c2
// REMARK:      not fused: 'exp' into 'add': a path leads through a third kernel
func.func @loop_fuse_c2(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %e = graph.exp %x : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %m = graph.matmul %e, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %a = graph.add %m, %e : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %a : tensor<64x64xf32>
}

// -----

// A sum of nothing is zero, and has to be added to both elements.
// CHECK-LABEL: @loop_fuse_c5
// CHECK-COUNT-2: loop.kernel
// REMARK:      not fused: 'reduce_sum' into 'add': nothing would be stored where 'd1', which is reduced, is empty
func.func @loop_fuse_c5(%x: tensor<?x2xf32, #sym.shape<[s0, 2]>>, %y: tensor<2xf32>) -> tensor<2xf32>
    attributes {sym.symbols = {s0 = #sym.range<0, 64>}} {
  %s = graph.reduce sum, %x dims [0, 1] : (tensor<?x2xf32, #sym.shape<[s0, 2]>>) -> tensor<f32>
  %a = graph.add %y, %s : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  return %a : tensor<2xf32>
}

// -----

// Pooling takes in what comes before it: each element is read once.
// CHECK-LABEL: @pool_takes_producer
// CHECK:       loop.kernel "exp+max_pool"
// CHECK:       loop.load %{{.+}}[d0, d1, d2 * 2 + d4, d3 * 2 + d5]
// CHECK:       math.exp
// CHECK-NOT:   loop.kernel
func.func @pool_takes_producer(%x: tensor<2x3x8x8xf32>) -> tensor<2x3x4x4xf32> {
  %e = graph.exp %x : (tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  %p = graph.pool max, %e kernel [2, 2] stride [2, 2] padding [0, 0] dilation [1, 1] : (tensor<2x3x8x8xf32>) -> tensor<2x3x4x4xf32>
  return %p : tensor<2x3x4x4xf32>
}

// -----

// A masked read computes the producer under the mask.
// CHECK-LABEL: @pad_takes_producer
// CHECK:       loop.kernel "exp+pad" [10]
// CHECK:       %[[V:.+]] = loop.load %{{.+}}[d0 - 1] mask %[[M:.+]] else
// CHECK:       %[[E:.+]] = math.exp %[[V]]
// CHECK:       arith.select %[[M]], %[[E]]
func.func @pad_takes_producer(%x: tensor<8xf32>) -> tensor<10xf32> {
  %e = graph.exp %x : (tensor<8xf32>) -> tensor<8xf32>
  %p = graph.pad %e low [1] high [1] value 5.0 : f32 : (tensor<8xf32>) -> tensor<10xf32>
  return %p : tensor<10xf32>
}

// -----

// Two reductions of one tensor share a pass over it.
// CHECK-LABEL: @siblings
// CHECK:       loop.kernel "reduce_max+reduce_sum"
// CHECK:       loop.load
// CHECK-NOT:   loop.load
// REMARK:      fused: 'reduce_max' with 'reduce_sum'
func.func @siblings(%x: tensor<64x1000xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %m = graph.reduce max, %x dims [1] : (tensor<64x1000xf32>) -> tensor<64xf32>
  %s = graph.reduce sum, %x dims [1] : (tensor<64x1000xf32>) -> tensor<64xf32>
  return %m, %s : tensor<64xf32>, tensor<64xf32>
}

// -----

// Each further reduction would have everything before it computed once more.
// CHECK-LABEL: @long_chain
// CHECK-COUNT-2: loop.kernel
// REMARK:      more than 3 reductions would wait for one another
func.func @long_chain(%x: tensor<64x100xf32>) -> tensor<64x100xf32> {
  %a = graph.reduce max, %x dims [1] keepdims : (tensor<64x100xf32>) -> tensor<64x1xf32>
  %0 = graph.sub %x, %a : (tensor<64x100xf32>, tensor<64x1xf32>) -> tensor<64x100xf32>
  %b = graph.reduce sum, %0 dims [1] keepdims : (tensor<64x100xf32>) -> tensor<64x1xf32>
  %1 = graph.sub %0, %b : (tensor<64x100xf32>, tensor<64x1xf32>) -> tensor<64x100xf32>
  %c = graph.reduce max, %1 dims [1] keepdims : (tensor<64x100xf32>) -> tensor<64x1xf32>
  %2 = graph.sub %1, %c : (tensor<64x100xf32>, tensor<64x1xf32>) -> tensor<64x100xf32>
  %d = graph.reduce sum, %2 dims [1] keepdims : (tensor<64x100xf32>) -> tensor<64x1xf32>
  %3 = graph.sub %2, %d : (tensor<64x100xf32>, tensor<64x1xf32>) -> tensor<64x100xf32>
  return %3 : tensor<64x100xf32>
}

// -----

// What is written is computed in the kernel that writes it; the target is not,
// and neither is what reads the result.
// CHECK-LABEL: @loop_fuse_c3(
// CHECK:       %[[T:.+]] = loop.kernel "add"
// CHECK:       loop.kernel "mul+index_put" [4, 13] {{.*}} = %[[T]]
// CHECK:       arith.mulf
// CHECK:       loop.scatter
// CHECK:       loop.kernel "neg"
// REMARK-DAG:  not fused: 'add' into 'mul+index_put': the consumer writes over it
// REMARK-DAG:  not fused: 'mul+index_put' into 'neg': a scatter computes it, and an element is not final before the end
func.func @loop_fuse_c3(%x: tensor<5x13xf32>, %i: tensor<4xi64>, %v: tensor<4x13xf32>) -> tensor<5x13xf32> {
  %0 = graph.add %x, %x : (tensor<5x13xf32>, tensor<5x13xf32>) -> tensor<5x13xf32>
  %1 = graph.mul %v, %v : (tensor<4x13xf32>, tensor<4x13xf32>) -> tensor<4x13xf32>
  %2 = graph.index_put sum %0[%i], %1 dims [0] : (tensor<5x13xf32>, tensor<4xi64>, tensor<4x13xf32>) -> tensor<5x13xf32>
  %3 = graph.neg %2 : (tensor<5x13xf32>) -> tensor<5x13xf32>
  return %3 : tensor<5x13xf32>
}

// -----

// A scatter at one place runs over no dimension.
// CHECK-LABEL: @loop_fuse_c1_scatter
// CHECK-COUNT-2: loop.kernel
// REMARK:      not fused: 'reduce_sum' into 'index_put': both reduce, over different dimensions
func.func @loop_fuse_c1_scatter(%x: tensor<3xf32>, %i: tensor<i64>, %y: tensor<5xf32>) -> tensor<5xf32> {
  %s = graph.reduce sum, %x dims [0] : (tensor<3xf32>) -> tensor<f32>
  %r = graph.index_put %y[%i], %s dims [0] : (tensor<5xf32>, tensor<i64>, tensor<f32>) -> tensor<5xf32>
  return %r : tensor<5xf32>
}

// -----

// A scan is fused with what is in front of it and behind it, a reduction over
// its dimension included.
// CHECK-LABEL: @scan
// CHECK:       loop.kernel
// CHECK:       %[[S:.+]] = loop.reduce sum
// CHECK:       %[[Q:.+]] = arith.divf %{{.+}}, %[[S]]
// CHECK:       %[[C:.+]] = loop.scan sum %[[Q]] over [1] : f32
// CHECK:       arith.negf %[[C]]
// CHECK-NOT:   loop.kernel
func.func @scan(%x: tensor<5x13xf32>) -> tensor<5x13xf32> {
  %0 = graph.reduce sum, %x dims [1] keepdims : (tensor<5x13xf32>) -> tensor<5x1xf32>
  %1 = graph.div %x, %0 : (tensor<5x13xf32>, tensor<5x1xf32>) -> tensor<5x13xf32>
  %2 = graph.scan sum, %1 dim 1 : (tensor<5x13xf32>) -> tensor<5x13xf32>
  %3 = graph.neg %2 : (tensor<5x13xf32>) -> tensor<5x13xf32>
  return %3 : tensor<5x13xf32>
}

// -----

// Scans over different dimensions do not go in one order.
// CHECK-LABEL: @scans_over_two
// CHECK-COUNT-2: loop.kernel
// REMARK-DAG:  both reduce, over different dimensions
func.func @scans_over_two(%x: tensor<5x13xf32>) -> tensor<5x13xf32> {
  %0 = graph.scan sum, %x dim 1 : (tensor<5x13xf32>) -> tensor<5x13xf32>
  %1 = graph.scan sum, %0 dim 0 : (tensor<5x13xf32>) -> tensor<5x13xf32>
  return %1 : tensor<5x13xf32>
}

// -----

// What is computed for each row is computed in the kernel that reduces the rows,
// also where another kernel reads it: that one reads the kept result, which is less
// than its operands.
// CHECK-LABEL: @per_row
// CHECK:       %[[K:.+]]:2 = loop.kernel "sum+scale+mul" [64, 300]
// CHECK:         loop.reduce sum
// CHECK:         %[[S:.+]] = arith.truncf
// CHECK:         loop.store %[[S]], 1[d0]
// CHECK:       loop.kernel "all" [64] (%{{.+}} = %[[K]]#1)
func.func @per_row(%x: tensor<64x300xf32>, %t: tensor<64xf64>, %u: tensor<64xf64>) -> (tensor<64xf32>, tensor<f32>) {
  %0 = loop.kernel "scale" [64] (%a = %t, %b = %u) : (tensor<64xf64>, tensor<64xf64>) -> tensor<64xf32> {
    %v = loop.load %a[d0] : tensor<64xf64> -> f64
    %w = loop.load %b[d0] : tensor<64xf64> -> f64
    %e = arith.mulf %v, %w : f64
    %m = arith.truncf %e : f64 to f32
    loop.store %m, 0 [d0] : f32
  }
  %1 = loop.kernel "sum" [64, 300] (%a = %x) : (tensor<64x300xf32>) -> tensor<64xf32> {
    %v = loop.load %a[d0, d1] : tensor<64x300xf32> -> f32
    %s = loop.reduce sum %v over [1] : f32
    loop.store %s, 0 [d0] : f32
  }
  %2 = loop.kernel "mul" [64] (%a = %0, %b = %1) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> {
    %v = loop.load %a[d0] : tensor<64xf32> -> f32
    %w = loop.load %b[d0] : tensor<64xf32> -> f32
    %m = arith.mulf %v, %w : f32
    loop.store %m, 0 [d0] : f32
  }
  %3 = loop.kernel "all" [64] (%a = %0) : (tensor<64xf32>) -> tensor<f32> {
    %v = loop.load %a[d0] : tensor<64xf32> -> f32
    %s = loop.reduce sum %v over [0] : f32
    loop.store %s, 0 [] : f32
  }
  return %2, %3 : tensor<64xf32>, tensor<f32>
}

// -----

// A conversion that two kernels read is done in both: bf16 is read twice, f32
// neither written nor read.
// CHECK-LABEL: @conversion_of_two_readers
// CHECK-DAG:   loop.kernel "convert+reduce_max" {{.*}} : (tensor<8192x64xbf16>) -> tensor<8192xf32>
// CHECK-DAG:   loop.kernel "convert+reduce_sum" {{.*}} : (tensor<8192x64xbf16>) -> tensor<64xf32>
// REMARK:      fused: 'convert' into 'reduce_max'
// REMARK:      fused: 'convert' into 'reduce_sum'
func.func @conversion_of_two_readers(%x: tensor<8192x64xbf16>) -> (tensor<8192xf32>, tensor<64xf32>) {
  %f = graph.convert %x : (tensor<8192x64xbf16>) -> tensor<8192x64xf32>
  %a = graph.reduce max, %f dims [1] : (tensor<8192x64xf32>) -> tensor<8192xf32>
  %b = graph.reduce sum, %f dims [0] : (tensor<8192x64xf32>) -> tensor<64xf32>
  return %a, %b : tensor<8192xf32>, tensor<64xf32>
}

// -----

// Indices that are computed of positions are plain places once they are in the kernel: what is gathered there can be computed, even
// where it has no operand that could check an index.
// CHECK-LABEL: @rolled
// CHECK:       loop.kernel "full+iota+add+fmod+index" [6, 9] () : () -> tensor<6x9xf32>
// CHECK-NOT:   loop.load
// CHECK:       return
func.func @rolled() -> tensor<6x9xf32> {
  %c = graph.full 3.0 : f32 -> tensor<6x9xf32>
  %one = graph.full 1 : i64 -> tensor<9xi64>
  %n = graph.full 9 : i64 -> tensor<9xi64>
  %i = graph.iota 0 : i64 step 1 : i64 dim 0 -> tensor<9xi64>
  %j = graph.add %i, %one : (tensor<9xi64>, tensor<9xi64>) -> tensor<9xi64>
  %k = graph.fmod %j, %n : (tensor<9xi64>, tensor<9xi64>) -> tensor<9xi64>
  %r = graph.index %c[%k] dims [1] : (tensor<6x9xf32>, tensor<9xi64>) -> tensor<6x9xf32>
  return %r : tensor<6x9xf32>
}

// -----

// What is gathered is computed where it is gathered: the producer's operand is read at the index, with its check.
// CHECK-LABEL: @gathered
// CHECK:       loop.kernel {{.*}} [6, 5] ({{.*}} = %arg0{{.*}} = %arg1)
// CHECK:         %[[I:.+]] = loop.load %{{.+}}[d1] : tensor<5xi64> -> i64
// CHECK:         %[[V:.+]] = loop.load %{{.+}}[d0, t0](%[[I]]) bounds wrap_check : tensor<6x9xf32> -> f32
// CHECK:         math.exp %[[V]]
// CHECK-NOT:   loop.kernel
// REMARK:      fused: 'exp' into 'index'
func.func @gathered(%x: tensor<6x9xf32>, %i: tensor<5xi64>) -> tensor<6x5xf32> {
  %e = graph.exp %x : (tensor<6x9xf32>) -> tensor<6x9xf32>
  %y = loop.kernel "index" [6, 5] (%a = %i, %b = %e) : (tensor<5xi64>, tensor<6x9xf32>) -> tensor<6x5xf32> {
    %v = loop.load %a[d1] : tensor<5xi64> -> i64
    %w = loop.load %b[d0, t0](%v) bounds wrap_check : tensor<6x9xf32> -> f32
    loop.store %w, 0 [d0, d1] : f32
  }
  return %y : tensor<6x5xf32>
}

// -----

// (C6) A part of a tensor has other bounds than the tensor.
// CHECK-LABEL: @gathered_part
// CHECK:       loop.kernel
// CHECK:       loop.kernel "index"
// REMARK:      the consumer reads it at an indirect index that its own operands do not have
func.func @gathered_part(%x: tensor<6x12xf32>, %i: tensor<5xi64>) -> tensor<6x5xf32> {
  %e = loop.kernel "exp" [6, 9] (%a = %x) : (tensor<6x12xf32>) -> tensor<6x9xf32> {
    %v = loop.load %a[d0, d1] : tensor<6x12xf32> -> f32
    %r = math.exp %v : f32
    loop.store %r, 0 [d0, d1] : f32
  }
  %y = loop.kernel "index" [6, 5] (%a = %i, %b = %e) : (tensor<5xi64>, tensor<6x9xf32>) -> tensor<6x5xf32> {
    %v = loop.load %a[d1] : tensor<5xi64> -> i64
    %w = loop.load %b[d0, t0](%v) bounds wrap_check : tensor<6x9xf32> -> f32
    loop.store %w, 0 [d0, d1] : f32
  }
  return %y : tensor<6x5xf32>
}

// -----

// One that narrows is kept: reading bf16 twice is less than f64 once more.
// CHECK-LABEL: @narrowing_of_two_readers
// CHECK:       loop.kernel "convert+reduce_max" {{.*}} -> (tensor<8192xbf16>, tensor<8192x64xbf16>)
func.func @narrowing_of_two_readers(%x: tensor<8192x64xf64>) -> (tensor<8192xbf16>, tensor<64xbf16>) {
  %h = graph.convert %x : (tensor<8192x64xf64>) -> tensor<8192x64xbf16>
  %a = graph.reduce max, %h dims [1] : (tensor<8192x64xbf16>) -> tensor<8192xbf16>
  %b = graph.reduce max, %h dims [0] : (tensor<8192x64xbf16>) -> tensor<64xbf16>
  return %a, %b : tensor<8192xbf16>, tensor<64xbf16>
}

// -----

// Keys of a sort are made right in front of it, however early they could be: nothing else needs room beside them.
// CHECK-LABEL: @keys
// CHECK:         loop.kernel "sin"
// CHECK:         loop.kernel "mul+add"
// CHECK-NOT:     loop.kernel
// CHECK:         loop.sort
func.func @keys(%x: tensor<512xf32>, %y: tensor<512xf32>) -> (tensor<512xf32>, tensor<512xf32>) {
  %s = graph.sin %y : (tensor<512xf32>) -> tensor<512xf32>
  %m = graph.mul %x, %x : (tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
  %k = graph.add %m, %x : (tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
  %v, %i = graph.sort %k dim 0 library "cub" : (tensor<512xf32>) -> (tensor<512xf32>, tensor<512xi64>)
  return %s, %v : tensor<512xf32>, tensor<512xf32>
}
