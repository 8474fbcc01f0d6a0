// F23: sums over ranges of rows, on the GPU and on the CPU: vectors, elements, lanes with ranges of their own, ranges
// that do not exist, positions that do not, no rows, no places, and what is fused around them.

// REQUIRES: cuda-sim
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=halves
// RUN: %cuda_sim coil-run %s --target=cuda:sm_80 --library=none --random-inputs --reference=interp --function=halves
// RUN: coil-run %s --random-inputs --reference=interp --function=halves
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=odd
// RUN: coil-run %s --random-inputs --reference=interp --function=odd
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=lanes
// RUN: coil-run %s --random-inputs --reference=interp --function=lanes
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=around
// RUN: coil-run %s --random-inputs --reference=interp --function=around
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=sizes --symbol=n=0 --symbol=v=7 --symbol=p=5
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=sizes --symbol=n=3 --symbol=v=7 --symbol=p=0
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=sizes --symbol=n=3 --symbol=v=0 --symbol=p=3
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=sizes --symbol=n=1 --symbol=v=1 --symbol=p=1
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=sizes --symbol=n=101 --symbol=v=37 --symbol=p=53
// RUN: coil-run %s --random-inputs --reference=interp --function=sizes --symbol=n=0 --symbol=v=7 --symbol=p=5
// RUN: coil-run %s --random-inputs --reference=interp --function=sizes --symbol=n=101 --symbol=v=37 --symbol=p=53

// Other schedules: vectors of which one row is all that a thread loads at a time, several items, vectors across rows, addresses of
// 64 bits.
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --random-inputs --reference=interp --function=scheduled

// Ranges and positions partly or wholly outside.
// RUN: %cuda_sim coil-run %s --target=cuda:sm_90a --library=none --function=small '--input=3x2xf32=1 2 10 20 100 200' '--input=4xi64=-5 1 3 9' '--input=4xi64=2 1 99 12' '--input=4xi64=0 7 -3 2' --output=- | FileCheck %s
// RUN: coil-run %s --function=small '--input=3x2xf32=1 2 10 20 100 200' '--input=4xi64=-5 1 3 9' '--input=4xi64=2 1 99 12' '--input=4xi64=0 7 -3 2' --output=- | FileCheck %s
// CHECK: 4x2xf32={{\[\[}}101 202][0 0][100 200][0 0]]
func.func @small(%x: tensor<3x2xf32>, %lo: tensor<4xi64>, %hi: tensor<4xi64>, %p: tensor<4xi64>) -> tensor<4x2xf32> {
  %0 = graph.segment_reduce sum %x at %p from %lo to %hi : (tensor<3x2xf32>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// Both types of 16 bits, and f64; positions of 32 bits, of 64, and none.
func.func @halves(%x: tensor<61x128xbf16>, %y: tensor<61x64xf16>, %z: tensor<61x32xf64>, %lo: tensor<17xi64>, %n: tensor<17xi64>, %p: tensor<61xi32>, %q: tensor<61xi64>) -> (tensor<17x128xf32>, tensor<17x64xf32>, tensor<17x32xf64>) {
  %hi = graph.add %lo, %n : (tensor<17xi64>, tensor<17xi64>) -> tensor<17xi64>
  %0 = graph.segment_reduce sum %x at %p from %lo to %hi : (tensor<61x128xbf16>, tensor<17xi64>, tensor<17xi64>, tensor<61xi32>) -> tensor<17x128xf32>
  %1 = graph.segment_reduce sum %y at %q from %lo to %hi : (tensor<61x64xf16>, tensor<17xi64>, tensor<17xi64>, tensor<61xi64>) -> tensor<17x64xf32>
  %2 = graph.segment_reduce sum %z from %lo to %hi : (tensor<61x32xf64>, tensor<17xi64>, tensor<17xi64>) -> tensor<17x32xf64>
  return %0, %1, %2 : tensor<17x128xf32>, tensor<17x64xf32>, tensor<17x32xf64>
}

// Rows of odd lengths, of three dimensions, and of one element.
func.func @odd(%x: tensor<61x131xbf16>, %y: tensor<61x3x7xf32>, %z: tensor<61x1xf32>, %lo: tensor<13xi64>, %n: tensor<13xi64>, %q: tensor<61xi64>) -> (tensor<13x131xf32>, tensor<13x3x7xf32>, tensor<13x1xf32>) {
  %hi = graph.add %lo, %n : (tensor<13xi64>, tensor<13xi64>) -> tensor<13xi64>
  %0 = graph.segment_reduce sum %x at %q from %lo to %hi : (tensor<61x131xbf16>, tensor<13xi64>, tensor<13xi64>, tensor<61xi64>) -> tensor<13x131xf32>
  %1 = graph.segment_reduce sum %y at %q from %lo to %hi : (tensor<61x3x7xf32>, tensor<13xi64>, tensor<13xi64>, tensor<61xi64>) -> tensor<13x3x7xf32>
  %2 = graph.segment_reduce sum %z at %q from %lo to %hi : (tensor<61x1xf32>, tensor<13xi64>, tensor<13xi64>, tensor<61xi64>) -> tensor<13x1xf32>
  %o = graph.segment_reduce sum %x from %n to %hi plus %0 : (tensor<61x131xbf16>, tensor<13xi64>, tensor<13xi64>, tensor<13x131xf32>) -> tensor<13x131xf32>
  return %o, %1, %2 : tensor<13x131xf32>, tensor<13x3x7xf32>, tensor<13x1xf32>
}

// Vectors along the ranges: the rows are short.
func.func @lanes(%x: tensor<61x2xf32>, %lo: tensor<203xi64>, %n: tensor<203xi64>, %q: tensor<61xi64>) -> tensor<2x203xf32> {
  %hi = graph.add %lo, %n : (tensor<203xi64>, tensor<203xi64>) -> tensor<203xi64>
  %0 = graph.segment_reduce sum %x at %q from %lo to %hi : (tensor<61x2xf32>, tensor<203xi64>, tensor<203xi64>, tensor<61xi64>) -> tensor<203x2xf32>
  %2 = graph.segment_reduce sum %x from %n to %lo plus %0 : (tensor<61x2xf32>, tensor<203xi64>, tensor<203xi64>, tensor<203x2xf32>) -> tensor<203x2xf32>
  %1 = graph.permute %2 [1, 0] : (tensor<203x2xf32>) -> tensor<2x203xf32>
  return %1 : tensor<2x203xf32>
}

// A view as the source, a sum that is computed in front, what follows; reductions of the sums, and a part of them.
func.func @around(%x: tensor<4x16x128xf32>, %b: tensor<128xf32>, %lo: tensor<17xi64>, %n: tensor<17xi64>, %q: tensor<64xi64>) -> (tensor<17x128xbf16>, tensor<17xf32>, tensor<17x128xf32>) {
  %hi = graph.add %lo, %n : (tensor<17xi64>, tensor<17xi64>) -> tensor<17xi64>
  %r = graph.reshape %x : (tensor<4x16x128xf32>) -> tensor<64x128xf32>
  %0 = graph.segment_reduce sum %r at %q from %lo to %hi : (tensor<64x128xf32>, tensor<17xi64>, tensor<17xi64>, tensor<64xi64>) -> tensor<17x128xf32>
  %s = graph.add %r, %b : (tensor<64x128xf32>, tensor<128xf32>) -> tensor<64x128xf32>
  %1 = graph.segment_reduce sum %s from %lo to %hi : (tensor<64x128xf32>, tensor<17xi64>, tensor<17xi64>) -> tensor<17x128xf32>
  %2 = graph.segment_reduce sum %r from %n to %hi plus %0 : (tensor<64x128xf32>, tensor<17xi64>, tensor<17xi64>, tensor<17x128xf32>) -> tensor<17x128xf32>
  %3 = graph.convert %2 : (tensor<17x128xf32>) -> tensor<17x128xbf16>
  %4 = graph.reduce sum, %1 dims [1] : (tensor<17x128xf32>) -> tensor<17xf32>
  %5 = graph.segment_reduce sum %r from %hi to %lo : (tensor<64x128xf32>, tensor<17xi64>, tensor<17xi64>) -> tensor<17x128xf32>
  %6 = graph.pad %5 low [1, 0] high [-1, 0] value 1.000000e+00 : f32 : (tensor<17x128xf32>) -> tensor<17x128xf32>
  return %3, %4, %6 : tensor<17x128xbf16>, tensor<17xf32>, tensor<17x128xf32>
}

!x = tensor<?x48xf32, #sym.shape<[n, 48]>>
!v = tensor<?xi64, #sym.shape<[v]>>
!p = tensor<?xi64, #sym.shape<[p]>>
!y = tensor<?x48xf32, #sym.shape<[v, 48]>>
func.func @sizes(%x: !x, %lo: !v, %n: !v, %p: !p) -> !y
    attributes {sym.symbols = {n = #sym.range<0, 100000>, v = #sym.range<0, 100000>, p = #sym.range<0, 100000>}} {
  %hi = graph.add %lo, %n : (!v, !v) -> !v
  %0 = graph.segment_reduce sum %x at %p from %lo to %hi : (!x, !v, !v, !p) -> !y
  return %0 : !y
}

func.func @scheduled(%x: tensor<61x64xf32>, %lo: tensor<37xi64>, %n: tensor<37xi64>, %p: tensor<61xi64>) -> (tensor<37x64xf32>, tensor<37x64xf32>, tensor<37x64xf32>, tensor<37x64xf32>) {
  %0 = loop.kernel "k0" [37, 64] (%a = %x, %b = %lo, %c = %n, %q = %p) : (tensor<61x64xf32>, tensor<37xi64>, tensor<37xi64>, tensor<61xi64>) -> tensor<37x64xf32> schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 16, threads_p = 32> {
    %l = loop.load %b[d0] : tensor<37xi64> -> i64
    %m = loop.load %c[d0] : tensor<37xi64> -> i64
    %h = arith.addi %l, %m : i64
    %s = loop.segment_sum %a[t0, d1] at %q : tensor<61xi64> from %l to %h : tensor<61x64xf32> -> f32
    loop.store %s, 0[d0, d1] : f32
  }
  %1 = loop.kernel "k1" [37, 64] (%a = %x, %b = %lo, %c = %n, %q = %p) : (tensor<61x64xf32>, tensor<37xi64>, tensor<37xi64>, tensor<61xi64>) -> tensor<37x64xf32> schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 4, threads_p = 32, items_p = 4> {
    %l = loop.load %b[d0] : tensor<37xi64> -> i64
    %m = loop.load %c[d0] : tensor<37xi64> -> i64
    %h = arith.addi %l, %m : i64
    %s = loop.segment_sum %a[t0, d1] at %q : tensor<61xi64> from %l to %h : tensor<61x64xf32> -> f32
    loop.store %s, 0[d0, d1] : f32
  }
  %2 = loop.kernel "k2" [37, 64] (%a = %x, %b = %lo, %c = %n, %q = %p) : (tensor<61x64xf32>, tensor<37xi64>, tensor<37xi64>, tensor<61xi64>) -> tensor<37x64xf32> schedule #loop.gpu_schedule<vector_dim = 0, vector_width = 4, threads_p = 64> {
    %l = loop.load %b[d0] : tensor<37xi64> -> i64
    %m = loop.load %c[d0] : tensor<37xi64> -> i64
    %h = arith.addi %l, %m : i64
    %s = loop.segment_sum %a[t0, d1] at %q : tensor<61xi64> from %l to %h : tensor<61x64xf32> -> f32
    loop.store %s, 0[d0, d1] : f32
  }
  %3 = loop.kernel "k3" [37, 64] (%a = %x, %b = %lo, %c = %n, %q = %p) : (tensor<61x64xf32>, tensor<37xi64>, tensor<37xi64>, tensor<61xi64>) -> tensor<37x64xf32> schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 8, threads_p = 64, index_bits = 64> {
    %l = loop.load %b[d0] : tensor<37xi64> -> i64
    %m = loop.load %c[d0] : tensor<37xi64> -> i64
    %h = arith.addi %l, %m : i64
    %s = loop.segment_sum %a[t0, d1] at %q : tensor<61xi64> from %l to %h : tensor<61x64xf32> -> f32
    loop.store %s, 0[d0, d1] : f32
  }
  return %0, %1, %2, %3 : tensor<37x64xf32>, tensor<37x64xf32>, tensor<37x64xf32>, tensor<37x64xf32>
}
