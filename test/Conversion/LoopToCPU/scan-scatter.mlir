// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper.kernel(convert-loop-to-cpu,canonicalize,cse))' | FileCheck %s

// A task takes a block of columns and goes down all rows; vectors of f32 are
// summed in f64.
// CHECK-LABEL: wrapper.kernel @scan_columns
// CHECK-SAME:  total = #sym.expr<4>
// CHECK:       scf.for %{{.+}} = %{{.+}} to %{{.+}} step %{{.+}} iter_args(%[[ACC:.+]] = %{{.+}}) -> (vector<16xf64>)
// CHECK:       %[[W:.+]] = arith.extf %{{.+}} : vector<16xf32> to vector<16xf64>
// CHECK:       %[[S:.+]] = arith.addf %[[ACC]], %[[W]] : vector<16xf64>
// CHECK:       %[[T:.+]] = arith.truncf %[[S]] : vector<16xf64> to vector<16xf32>
// CHECK:       llvm.store %[[T]]
// CHECK:       scf.yield %[[S]]
wrapper.kernel @scan_columns(%x: tensor<8x64xf32>) attributes {input_strides = [#sym.shape<[64, 1]>], output_strides = [#sym.shape<[64, 1]>], symbols = []} {
  %0 = loop.kernel "k" [8, 64] (%a = %x) : (tensor<8x64xf32>) -> tensor<8x64xf32> schedule<vector_dim = 1, vector_width = 16, block = 16> {
    %v = loop.load %a[d0, d1] : tensor<8x64xf32> -> f32
    %s = loop.scan sum %v over [0] : f32
    loop.store %s, 0 [d0, d1] : f32
  }
  wrapper.yield %0 : tensor<8x64xf32>
}

// Along the scanned dimension the lanes of a vector are combined among
// themselves; what is carried, the same in all lanes, waits for one addition a
// vector. Lanes beyond the row leave it as it is.
// CHECK-LABEL: wrapper.kernel @scan_rows
// CHECK:       scf.for %{{.+}} iter_args(%[[SUM:.+]] = %{{.+}}) -> (vector<4xf64>)
// CHECK:       %[[W:.+]] = arith.extf %{{.+}} : vector<4xf32> to vector<4xf64>
// CHECK:       %[[ONE:.+]] = vector.shuffle %[[ZERO:.+]], %[[W]] [0, 4, 5, 6]
// CHECK:       %[[PAIRS:.+]] = arith.addf %[[ONE]], %[[W]]
// CHECK:       %[[TWO:.+]] = vector.shuffle %[[ZERO]], %[[PAIRS]] [0, 1, 4, 5]
// CHECK:       %[[LANES:.+]] = arith.addf %[[TWO]], %[[PAIRS]]
// CHECK-DAG:   %[[HERE:.+]] = arith.addf %[[SUM]], %[[LANES]]
// CHECK-DAG:   %[[LAST:.+]] = vector.shuffle %[[LANES]], %[[LANES]] [3, 3, 3, 3]
// CHECK-DAG:   %[[NEXT:.+]] = arith.addf %[[SUM]], %[[LAST]]
// CHECK:       scf.yield %[[NEXT]]
// CHECK:       arith.select %{{.+}}, %{{.+}}, %{{.+}} : vector<4xi1>, vector<4xf64>
wrapper.kernel @scan_rows(%x: tensor<8x63xf32>) attributes {input_strides = [#sym.shape<[63, 1]>], output_strides = [#sym.shape<[63, 1]>], symbols = []} {
  %0 = loop.kernel "k" [8, 63] (%a = %x) : (tensor<8x63xf32>) -> tensor<8x63xf32> schedule<vector_dim = 1, vector_width = 4> {
    %v = loop.load %a[d0, d1] : tensor<8x63xf32> -> f32
    %s = loop.scan sum %v over [1] : f32
    loop.store %s, 0 [d0, d1] : f32
  }
  wrapper.yield %0 : tensor<8x63xf32>
}

// Elements in the other order are loaded and stored as vectors whose lanes are
// reversed.
// CHECK-LABEL: wrapper.kernel @reversed
// CHECK:       %[[V:.+]] = llvm.load %{{.+}} -> vector<4xf32>
// CHECK:       vector.shuffle %[[V]], %[[V]] [3, 2, 1, 0]
// CHECK-NOT:   gather
wrapper.kernel @reversed(%x: tensor<64xf32>) attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "k" [64] (%a = %x) : (tensor<64xf32>) -> tensor<64xf32> schedule<vector_dim = 0, vector_width = 4, block = 64> {
    %v = loop.load %a[63 - d0] : tensor<64xf32> -> f32
    loop.store %v, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<64xf32>
}

// A later phase scans again, from the start.
// CHECK-LABEL: wrapper.kernel @scan_in_two_phases
// CHECK:       scf.for %{{.+}} iter_args(%{{.+}} = %{{.+}}, %{{.+}} = %{{.+}}) -> (i64, i64)
// CHECK:       scf.for %{{.+}} iter_args(%{{.+}} = %{{.+}}) -> (i64)
wrapper.kernel @scan_in_two_phases(%x: tensor<8x64xi64>) attributes {input_strides = [#sym.shape<[64, 1]>], output_strides = [#sym.shape<[64, 1]>], symbols = []} {
  %0 = loop.kernel "k" [8, 64] (%a = %x) : (tensor<8x64xi64>) -> tensor<8x64xi64> {
    %v = loop.load %a[d0, d1] : tensor<8x64xi64> -> i64
    %s = loop.scan sum %v over [1] : i64
    %m = loop.reduce max %s over [1] : i64
    %d = arith.subi %s, %m : i64
    loop.store %d, 0 [d0, d1] : i64
  }
  wrapper.yield %0 : tensor<8x64xi64>
}

// Rows are written one after the other, and only where they exist.
// CHECK-LABEL: wrapper.kernel @scatter_rows
// CHECK-SAME:  total = #sym.expr<2>
// CHECK:       scf.for
// CHECK:       scf.for
// CHECK:       %[[VALID:.+]] = arith.cmpi ult
// CHECK:       scf.if
// CHECK:       %[[MASK:.+]] = vector.broadcast %[[VALID]] : i1 to vector<16xi1>
// CHECK:       %[[OLD:.+]] = llvm.intr.masked.load %[[P:.+]], %[[MASK]]
// CHECK:       %[[NEW:.+]] = arith.addf %[[OLD]], %{{.+}} : vector<16xf32>
// CHECK:       llvm.intr.masked.store %[[NEW]], %[[P]], %[[MASK]]
wrapper.kernel @scatter_rows(%t: tensor<8x32xf32>, %i: tensor<5xi64>) attributes {input_strides = [#sym.shape<[32, 1]>, #sym.shape<[1]>], output_strides = [#sym.shape<[32, 1]>], symbols = [], in_place = array<i64: 0, 0>} {
  %0 = loop.kernel "k" [5, 32] (%a = %t, %b = %i) : (tensor<8x32xf32>, tensor<5xi64>) -> tensor<8x32xf32> schedule<vector_dim = 1, vector_width = 16, block = 16> {
    %p = loop.load %b[d0] : tensor<5xi64> -> i64
    %v = arith.constant 1.0 : f32
    loop.scatter sum %v into %a[t0, d1](%p) bounds check as 0 over [0] : f32, tensor<8x32xf32>
  }
  wrapper.yield %0 : tensor<8x32xf32>
}
