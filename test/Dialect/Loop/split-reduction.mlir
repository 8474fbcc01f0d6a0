// RUN: coil-opt %s --loop-split-reduction="chunks=64 min-elements=4096" --split-input-file --remarks-filter=loop-split-reduction --remark-policy=all 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t
// RUN: coil-opt %s --loop-split-reduction="chunks=64 min-elements=4096 interleave=true" --split-input-file | FileCheck %s --check-prefix=APART
// RUN: coil-opt %s --loop-split-reduction="chunks=64 min-elements=4096 welford-in-f64=true" --split-input-file | FileCheck %s --check-prefix=WIDE

// A length that the chunks do not divide is masked with the neutral element.
// CHECK-LABEL: @split_sum
// CHECK:       %[[P:.+]] = loop.kernel "sum_chunks" [157, 64]
// CHECK:       %[[IN:.+]] = arith.cmpi slt
// CHECK:       loop.load %{{.+}}[d0 + d1 * 157] mask %[[IN]] else
// CHECK:       arith.select %[[IN]]
// CHECK:       loop.reduce sum %{{.+}} over [0]
// CHECK:       loop.kernel "sum" [64] (%{{.+}} = %[[P]])
// CHECK:       loop.reduce sum %{{.+}} over [0]
// CHECK:       math.sqrt
func.func @split_sum(%x: tensor<10000xf32>) -> tensor<f32> {
  %y = loop.kernel "sum" [10000] (%a = %x) : (tensor<10000xf32>) -> tensor<f32> {
    %v = loop.load %a[d0] : tensor<10000xf32> -> f32
    %s = loop.reduce sum %v over [0] : f32
    %q = math.sqrt %s : f32
    loop.store %q, 0 [] : f32
  }
  return %y : tensor<f32>
}

// -----

// Positions go through both kernels.
// CHECK-LABEL: @split_argmax
// CHECK:       %[[P:.+]]:2 = loop.kernel "argmax_chunks" [128, 64]
// CHECK:       loop.index <d0 + d1 * 128>
// CHECK:       loop.arg_reduce max
// CHECK:       loop.kernel "argmax" [64] (%[[V:.+]] = %[[P]]#0, %[[I:.+]] = %[[P]]#1)
// CHECK:       loop.arg_reduce max
func.func @split_argmax(%x: tensor<8192xf32>) -> tensor<i64> {
  %y = loop.kernel "argmax" [8192] (%a = %x) : (tensor<8192xf32>) -> tensor<i64> {
    %v = loop.load %a[d0] : tensor<8192xf32> -> f32
    %p = loop.index <d0>
    %s, %w = loop.arg_reduce max %v at %p over [0] : f32
    loop.store %w, 0 [] : i64
  }
  return %y : tensor<i64>
}

// -----

// Values outside of the last chunk do not count; what the chunks give are
// samples of their own.
// CHECK-LABEL: @split_moments
// CHECK:       %[[P:.+]]:3 = loop.kernel "welford_chunks" [157, 64]
// CHECK:         %[[IN:.+]] = arith.cmpi slt
// CHECK:         %[[ONE:.+]] = arith.constant 1.0{{.*}} : f32
// CHECK:         %[[V:.+]] = arith.select %[[IN]]
// CHECK:         %[[N:.+]] = arith.select %[[IN]], %[[ONE]]
// CHECK:         loop.welford %[[V]], %{{.+}}, %[[N]] over [0] : f32
// CHECK:       loop.kernel "welford" [64] (%{{.+}} = %[[P]]#0, %{{.+}} = %[[P]]#1, %{{.+}} = %[[P]]#2)
// CHECK:         loop.welford %{{.+}}, %{{.+}}, %{{.+}} over [0] : f32
func.func @split_moments(%x: tensor<10000xf32>) -> tensor<f32> {
  %y = loop.kernel "welford" [10000] (%a = %x) : (tensor<10000xf32>) -> tensor<f32> {
    %v = loop.load %a[d0] : tensor<10000xf32> -> f32
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %m, %s, %n = loop.welford %v, %zero, %one over [0] : f32
    loop.store %s, 0 [] : f32
  }
  return %y : tensor<f32>
}

// -----

// CHECK-LABEL: @loop_split_reduction_c1
// CHECK-COUNT-1: loop.kernel
// CHECK-NOT:   loop.kernel
// REMARK:      not split: 'var': values along the reduced dimensions need a reduction
func.func @loop_split_reduction_c1(%x: tensor<8192xf32>) -> tensor<f32> {
  %y = loop.kernel "var" [8192] (%a = %x) : (tensor<8192xf32>) -> tensor<f32> {
    %v = loop.load %a[d0] : tensor<8192xf32> -> f32
    %s = loop.reduce sum %v over [0] : f32
    %d = arith.subf %v, %s : f32
    %t = loop.reduce sum %d over [0] : f32
    loop.store %t, 0 [] : f32
  }
  return %y : tensor<f32>
}

// -----

// No dimension is as long as asked: the longest is cut into as many chunks as it has room for, of one length.
// CHECK-LABEL: @short_dims
// CHECK:       loop.kernel "sum_chunks" [2, 2, 100, 50]
func.func @short_dims(%x: tensor<100x2x100xf32>) -> tensor<2xf32> {
  %y = loop.kernel "sum" [100, 2, 100] (%a = %x) : (tensor<100x2x100xf32>) -> tensor<2xf32> {
    %v = loop.load %a[d0, d1, d2] : tensor<100x2x100xf32> -> f32
    %s = loop.reduce sum %v over [0, 2] : f32
    loop.store %s, 0 [d1] : f32
  }
  return %y : tensor<2xf32>
}

// -----

// CHECK-LABEL: @loop_split_reduction_c2
// CHECK-COUNT-1: loop.kernel
// CHECK-NOT:   loop.kernel
// REMARK:      not split: 'sum': no reduced dimension is long enough
func.func @loop_split_reduction_c2(%x: tensor<3x2x3x3x3x3x3x3x3x3xf32>) -> tensor<2xf32> {
  %y = loop.kernel "sum" [3, 2, 3, 3, 3, 3, 3, 3, 3, 3] (%a = %x) : (tensor<3x2x3x3x3x3x3x3x3x3xf32>) -> tensor<2xf32> {
    %v = loop.load %a[d0, d1, d2, d3, d4, d5, d6, d7, d8, d9] : tensor<3x2x3x3x3x3x3x3x3x3xf32> -> f32
    %s = loop.reduce sum %v over [0, 2, 3, 4, 5, 6, 7, 8, 9] : f32
    loop.store %s, 0 [d1] : f32
  }
  return %y : tensor<2xf32>
}

// -----

// Chunks would have fewer than 16 rows: partial results cost too much beside so few.
// CHECK-LABEL: @loop_split_reduction_c2_rows
// CHECK-COUNT-1: loop.kernel
// CHECK-NOT:   loop.kernel
// REMARK:      not split: 'sum': no reduced dimension is long enough
func.func @loop_split_reduction_c2_rows(%x: tensor<31x31x1024xf32>) -> tensor<1024xf32> {
  %y = loop.kernel "sum" [31, 31, 1024] (%a = %x) : (tensor<31x31x1024xf32>) -> tensor<1024xf32> {
    %v = loop.load %a[d0, d1, d2] : tensor<31x31x1024xf32> -> f32
    %s = loop.reduce sum %v over [0, 1] : f32
    loop.store %s, 0 [d2] : f32
  }
  return %y : tensor<1024xf32>
}

// -----

// Columns share rows: partial results lie side by side, too, and are fewer when
// there are more pieces of rows.
// CHECK-LABEL: @split_columns
// CHECK:       %[[P:.+]] = loop.kernel "sum_chunks" [64, 1024, 64]
// CHECK-SAME:  -> tensor<64x1024xf32>
// CHECK:       loop.load %{{.+}}[d0 + d2 * 64, d1]
// CHECK:       loop.store %{{.+}}, 0[d2, d1]
// CHECK:       loop.kernel "sum" [1024, 64] (%{{.+}} = %[[P]])
// CHECK:       loop.load %{{.+}}[d1, d0]
// CHECK-LABEL: @split_wide_columns
// CHECK:       loop.kernel "sum_chunks" [512, 8192, 8]
func.func @split_columns(%x: tensor<4096x1024xf32>) -> tensor<1024xf32> {
  %y = loop.kernel "sum" [4096, 1024] (%a = %x) : (tensor<4096x1024xf32>) -> tensor<1024xf32> {
    %v = loop.load %a[d0, d1] : tensor<4096x1024xf32> -> f32
    %s = loop.reduce sum %v over [0] : f32
    loop.store %s, 0 [d1] : f32
  }
  return %y : tensor<1024xf32>
}
func.func @split_wide_columns(%x: tensor<4096x8192xf32>) -> tensor<8192xf32> {
  %y = loop.kernel "sum" [4096, 8192] (%a = %x) : (tensor<4096x8192xf32>) -> tensor<8192xf32> {
    %v = loop.load %a[d0, d1] : tensor<4096x8192xf32> -> f32
    %s = loop.reduce sum %v over [0] : f32
    loop.store %s, 0 [d1] : f32
  }
  return %y : tensor<8192xf32>
}

// -----

// Enough pieces as they are.
// CHECK-LABEL: @many_columns
// CHECK-COUNT-1: loop.kernel
// CHECK-NOT:   loop.kernel
func.func @many_columns(%x: tensor<4096x16384xf32>) -> tensor<16384xf32> {
  %y = loop.kernel "sum" [4096, 16384] (%a = %x) : (tensor<4096x16384xf32>) -> tensor<16384xf32> {
    %v = loop.load %a[d0, d1] : tensor<4096x16384xf32> -> f32
    %s = loop.reduce sum %v over [0] : f32
    loop.store %s, 0 [d1] : f32
  }
  return %y : tensor<16384xf32>
}

// -----

// Chunks of a dimension that vectors do not go along can have points that lie
// apart, so that all go through memory together.
// CHECK-LABEL: @images
// CHECK:       loop.load %{{.+}}[d0 + d3 * 4, d1, d2]
// APART-LABEL: @images
// APART:       loop.kernel "sum_chunks" [4, 8, 784, 64]
// APART:       loop.load %{{.+}}[d0 * 64 + d3, d1, d2]
func.func @images(%x: tensor<256x8x784xf32>) -> tensor<8xf32> {
  %y = loop.kernel "sum" [256, 8, 784] (%a = %x) : (tensor<256x8x784xf32>) -> tensor<8xf32> {
    %v = loop.load %a[d0, d1, d2] : tensor<256x8x784xf32> -> f32
    %s = loop.reduce sum %v over [0, 2] : f32
    loop.store %s, 0 [d1] : f32
  }
  return %y : tensor<8xf32>
}

// -----

// Vectors along the cut dimension: neighbours stay together.
// APART-LABEL: @row
// APART:       loop.load %{{.+}}[d0 + d1 * 128]
func.func @row(%x: tensor<8192xf32>) -> tensor<f32> {
  %y = loop.kernel "sum" [8192] (%a = %x) : (tensor<8192xf32>) -> tensor<f32> {
    %v = loop.load %a[d0] : tensor<8192xf32> -> f32
    %s = loop.reduce sum %v over [0] : f32
    loop.store %s, 0 [] : f32
  }
  return %y : tensor<f32>
}

// -----

// Partial moments of f32 in f64; what follows gets f32.
// WIDE-LABEL: @split_moments_wide
// WIDE:       %[[P:.+]]:3 = loop.kernel "welford_chunks" [128, 64] {{.+}} -> (tensor<64xf64>, tensor<64xf64>, tensor<64xf64>)
// WIDE:         loop.welford %{{.+}}, %{{.+}}, %{{.+}} over [0] : f32 -> f64
// WIDE:       loop.kernel "welford" [64]
// WIDE:         %{{.+}}, %[[M2:.+]], %{{.+}} = loop.welford %{{.+}}, %{{.+}}, %{{.+}} over [0] : f64
// WIDE:         %[[R:.+]] = arith.truncf %[[M2]] : f64 to f32
// WIDE:         loop.store %[[R]]
func.func @split_moments_wide(%x: tensor<8192xf32>) -> tensor<f32> {
  %y = loop.kernel "welford" [8192] (%a = %x) : (tensor<8192xf32>) -> tensor<f32> {
    %v = loop.load %a[d0] : tensor<8192xf32> -> f32
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %m, %s, %n = loop.welford %v, %zero, %one over [0] : f32
    loop.store %s, 0 [] : f32
  }
  return %y : tensor<f32>
}

// -----

// Moments of f64 are measured from the first value, which all chunks share.
// WIDE-LABEL: @split_welford_f64
// WIDE:       loop.kernel "welford_chunks" [128, 64]
// WIDE-DAG:     %[[FIRST:.+]] = loop.load %{{.+}}[0]
// WIDE-DAG:     %[[V:.+]] = loop.load %{{.+}}[d0 + d1 * 128]
// WIDE:         %[[D:.+]] = arith.subf %[[V]], %[[FIRST]] : f64
// WIDE:         loop.welford %[[D]], %{{.+}}, %{{.+}} over [0] : f64
// WIDE:       loop.kernel "welford" [64]
// WIDE:         %[[AGAIN:.+]] = loop.load %{{.+}}[0]
// WIDE:         %[[FROM:.+]], %{{.+}}, %{{.+}} = loop.welford
// WIDE:         %[[MEAN:.+]] = arith.addf %[[FROM]], %[[AGAIN]] : f64
// WIDE:         loop.store %[[MEAN]]
func.func @split_welford_f64(%x: tensor<8192xf64>) -> tensor<f64> {
  %y = loop.kernel "welford" [8192] (%a = %x) : (tensor<8192xf64>) -> tensor<f64> {
    %v = loop.load %a[d0] : tensor<8192xf64> -> f64
    %zero = arith.constant 0.0 : f64
    %one = arith.constant 1.0 : f64
    %m, %s, %n = loop.welford %v, %zero, %one over [0] : f64
    loop.store %m, 0 [] : f64
  }
  return %y : tensor<f64>
}

// -----

// There may be no first value.
// WIDE-LABEL: @split_moments_of_some
// WIDE-NOT:   arith.subf
// WIDE:       return
func.func @split_moments_of_some(%x: tensor<?xf64, #sym.shape<[s0]>>) -> tensor<f64> attributes {sym.symbols = {s0 = #sym.range<0, 1000000, hint = 8192>}} {
  %y = loop.kernel "welford" [s0] (%a = %x) : (tensor<?xf64, #sym.shape<[s0]>>) -> tensor<f64> {
    %v = loop.load %a[d0] : tensor<?xf64, #sym.shape<[s0]>> -> f64
    %zero = arith.constant 0.0 : f64
    %one = arith.constant 1.0 : f64
    %m, %s, %n = loop.welford %v, %zero, %one over [0] : f64
    loop.store %m, 0 [] : f64
  }
  return %y : tensor<f64>
}

// -----

// Whole rows are chunks of one length, which have no mask and no pieces, even where the other dimension is longer.
// CHECK-LABEL: @whole_rows
// CHECK:       loop.kernel "max_chunks" [8, 1, 10967, 64]
// CHECK-NOT:   arith.cmpi
// CHECK:       loop.load %{{.+}}[d0, d1 + d3, d2]
// CHECK:       loop.kernel "max" [8, 64]
func.func @whole_rows(%x: tensor<8x64x10967xf32>) -> tensor<8xf32> {
  %r = loop.kernel "max" [8, 64, 10967] (%a = %x) : (tensor<8x64x10967xf32>) -> tensor<8xf32> {
    %v = loop.load %a[d0, d1, d2] : tensor<8x64x10967xf32> -> f32
    %m = loop.reduce max %v over [1, 2] : f32
    loop.store %m, 0[d0] : f32
  }
  return %r : tensor<8xf32>
}

// -----

// Where no length is near, the dimension is cut whose pieces are long in memory: not 64 pieces of 158 neighbours.
// CHECK-LABEL: @permuted_rows
// CHECK:       loop.kernel "max_chunks" [10007, 157, 64]
// CHECK:       loop.load %{{.+}}[d1 + d2 * 157, d0]
func.func @permuted_rows(%x: tensor<10007x10007xf32>) -> tensor<f32> {
  %r = loop.kernel "max" [10007, 10007] (%a = %x) : (tensor<10007x10007xf32>) -> tensor<f32> {
    %v = loop.load %a[d1, d0] : tensor<10007x10007xf32> -> f32
    %m = loop.reduce max %v over [0, 1] : f32
    loop.store %m, 0[] : f32
  }
  return %r : tensor<f32>
}
