// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper.kernel(convert-loop-to-cpu,canonicalize,cse))' --split-input-file | FileCheck %s

// A long sum is one of chains: an inner loop starts from zero, and its result is
// added to a total whose rounding errors are summed beside it. An infinite
// total has no such correction.
// CHECK-LABEL: wrapper.kernel @long_row
// CHECK:       %[[ZERO:.+]] = arith.constant dense<0.000000e+00> : vector<16xf32>
// CHECK:       %[[T:.+]]:2 = scf.for %[[I:.+]] = %c0_i64 to %{{.+}} step %c512_i64 iter_args(%[[SUM:.+]] = %[[ZERO]], %[[LOST:.+]] = %[[ZERO]])
// CHECK:         %[[STOP:.+]] = arith.addi %[[I]], %c512_i64
// CHECK:         %[[END:.+]] = arith.minsi %[[STOP]], %c1000000_i64
// CHECK:         %[[CHAIN:.+]]:2 = scf.for %{{.+}} = %[[I]] to %[[END]] step %c32_i64 iter_args(%{{.+}} = %[[ZERO]], %{{.+}} = %[[ZERO]])
// CHECK:         %[[C:.+]] = arith.addf %[[CHAIN]]#0, %[[CHAIN]]#1
// CHECK:         %[[NEXT:.+]] = arith.addf %[[SUM]], %[[C]]
// CHECK:         %[[ADDED:.+]] = arith.subf %[[NEXT]], %[[SUM]]
// CHECK:         %[[KEPT:.+]] = arith.subf %[[NEXT]], %[[ADDED]]
// CHECK-DAG:     %[[A:.+]] = arith.subf %[[SUM]], %[[KEPT]]
// CHECK-DAG:     %[[B:.+]] = arith.subf %[[C]], %[[ADDED]]
// CHECK:         %[[E:.+]] = arith.addf %[[A]], %[[B]]
// CHECK:         arith.addf %[[LOST]], %[[E]]
// CHECK:       %[[R:.+]] = arith.addf %[[T]]#0, %[[T]]#1
// CHECK:       %[[NAN:.+]] = arith.cmpf uno, %[[R]], %[[R]]
// CHECK:       arith.select %[[NAN]], %[[T]]#0, %[[R]]
wrapper.kernel @long_row(%x: tensor<1000000xf32>) attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[]>], symbols = []} {
  %0 = loop.kernel "sum" [1000000] (%a = %x) : (tensor<1000000xf32>) -> tensor<f32> schedule<vector_dim = 0, vector_width = 16, unroll = 2> {
    %v = loop.load %a[d0] : tensor<1000000xf32> -> f32
    %s = loop.reduce sum %v over [0] : f32
    loop.store %s, 0 [] : f32
  }
  wrapper.yield %0 : tensor<f32>
}

// -----

// 16 additions are one chain; so are integers and extrema of any number.
// CHECK-LABEL: wrapper.kernel @short_row
// CHECK-COUNT-1: scf.for {{.+}} iter_args
// CHECK-NOT:   iter_args
wrapper.kernel @short_row(%x: tensor<512xf32>) attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[]>], symbols = []} {
  %0 = loop.kernel "sum" [512] (%a = %x) : (tensor<512xf32>) -> tensor<f32> schedule<vector_dim = 0, vector_width = 16, unroll = 2> {
    %v = loop.load %a[d0] : tensor<512xf32> -> f32
    %s = loop.reduce sum %v over [0] : f32
    loop.store %s, 0 [] : f32
  }
  wrapper.yield %0 : tensor<f32>
}

// -----

// CHECK-LABEL: wrapper.kernel @integers
// CHECK-COUNT-1: scf.for {{.+}} iter_args
// CHECK-NOT:   iter_args
wrapper.kernel @integers(%x: tensor<1000000xi32>) attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[]>, #sym.shape<[]>], symbols = []} {
  %0:2 = loop.kernel "sum" [1000000] (%a = %x) : (tensor<1000000xi32>) -> (tensor<i32>, tensor<i32>) schedule<vector_dim = 0, vector_width = 16> {
    %v = loop.load %a[d0] : tensor<1000000xi32> -> i32
    %s = loop.reduce sum %v over [0] : i32
    %m = loop.reduce max %v over [0] : i32
    loop.store %s, 0 [] : i32
    loop.store %m, 1 [] : i32
  }
  wrapper.yield %0#0, %0#1 : tensor<i32>, tensor<i32>
}

// -----

// Short inner dimensions are part of the chains of an outer one: 16 additions of
// a lane are 4 rows of 4.
// CHECK-LABEL: wrapper.kernel @several_dims
// CHECK:       scf.for %[[I:.+]] = %c0_i64 to %c1000_i64 step %c4_i64 iter_args
// CHECK:         scf.for %{{.+}} = %[[I]] to %{{.+}} step %c1_i64 iter_args
// CHECK:           scf.for %{{.+}} = %c0_i64 to %c4_i64 step %c1_i64 iter_args
wrapper.kernel @several_dims(%x: tensor<1000x4x16xf32>) attributes {input_strides = [#sym.shape<[64, 16, 1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "sum" [1000, 4, 16] (%a = %x) : (tensor<1000x4x16xf32>) -> tensor<16xf32> schedule<vector_dim = 2, vector_width = 16, block = 16> {
    %v = loop.load %a[d0, d1, d2] : tensor<1000x4x16xf32> -> f32
    %s = loop.reduce sum %v over [0, 1] : f32
    loop.store %s, 0 [d2] : f32
  }
  wrapper.yield %0 : tensor<16xf32>
}

// -----

// By rows, accumulators and totals are in memory, and a counter says when a
// chain ends.
// CHECK-LABEL: wrapper.kernel @by_rows
// CHECK-COUNT-3: llvm.alloca %{{.+}} x f32
// CHECK:       %[[COUNTER:.+]] = llvm.alloca %{{.+}} x i64
// CHECK:       %[[N:.+]] = llvm.load %[[COUNTER]]
// CHECK:       %[[M:.+]] = arith.addi %[[N]], %c4_i64
// CHECK:       llvm.store %[[M]], %[[COUNTER]]
// CHECK:       %[[LONG:.+]] = arith.cmpi sge, %[[M]], %c16_i64
// CHECK:       scf.if %[[LONG]] {
// CHECK:         llvm.store %c0_i64, %[[COUNTER]]
wrapper.kernel @by_rows(%x: tensor<4096x1024xf32>) attributes {input_strides = [#sym.shape<[1024, 1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "sum" [4096, 1024] (%a = %x) : (tensor<4096x1024xf32>) -> tensor<1024xf32> schedule<vector_dim = 1, vector_width = 16, block = 1024, rows = 4> {
    %v = loop.load %a[d0, d1] : tensor<4096x1024xf32> -> f32
    %s = loop.reduce sum %v over [0] : f32
    loop.store %s, 0 [d1] : f32
  }
  wrapper.yield %0 : tensor<1024xf32>
}

// -----

// Moments of f32 are accumulated in f64, measured from the first value of a
// lane: no division until all have been seen.
// CHECK-LABEL: wrapper.kernel @moments
// CHECK:       scf.for {{.+}} iter_args(%[[PIVOT:.+]] = %{{.+}}, %[[S:.+]] = %{{.+}}, %[[Q:.+]] = %{{.+}}, %{{.+}} = %{{.+}}) -> (vector<16xf64>, vector<16xf64>, vector<16xf64>, vector<16xf64>)
// CHECK:         %[[V:.+]] = arith.extf %{{.+}} : vector<16xf32> to vector<16xf64>
// CHECK:         %[[FIRST:.+]] = arith.cmpf uno, %[[PIVOT]], %[[PIVOT]]
// CHECK:         %[[P:.+]] = arith.select %[[FIRST]], %[[V]], %[[PIVOT]]
// CHECK:         %[[D:.+]] = arith.subf %[[V]], %[[P]]
// CHECK:         %[[DD:.+]] = arith.mulf %[[D]], %[[D]] fastmath<contract>
// CHECK-NOT:     divf
// CHECK:         scf.yield %[[P]]
// CHECK:       arith.divf
// CHECK:       arith.truncf %{{.+}} : f64 to f32
wrapper.kernel @moments(%x: tensor<16384xf32>) attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[]>], symbols = []} {
  %0 = loop.kernel "welford" [16384] (%a = %x) : (tensor<16384xf32>) -> tensor<f32> schedule<vector_dim = 0, vector_width = 16> {
    %v = loop.load %a[d0] : tensor<16384xf32> -> f32
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %m, %s, %n = loop.welford %v, %zero, %one over [0] : f32
    loop.store %s, 0 [] : f32
  }
  wrapper.yield %0 : tensor<f32>
}

// -----

// Moments of f64: after each step of a first chain the pivot follows the mean,
// and then after each chain of 16 steps. What its move is rounded by stays in the
// sum of distances, and what the sum of squares loses is beside it.
// CHECK-LABEL: wrapper.kernel @welford_f64
// CHECK:       %[[BEGUN:.+]]:5 = scf.for %{{.+}} = %c0_i64 to %[[START:.+]] step %c8_i64
// CHECK:         arith.divf
// CHECK:       scf.for %[[I:.+]] = %[[START]] to %{{.+}} step %c128_i64 iter_args(%[[PIVOT:.+]] = %[[BEGUN]]#0, %{{.+}} = %[[BEGUN]]#1, %[[Q:.+]] = %[[BEGUN]]#2, %{{.+}} = %[[BEGUN]]#3, %[[LOST:.+]] = %[[BEGUN]]#4)
// CHECK:         %[[CHAIN:.+]]:4 = scf.for %{{.+}} = %[[I]] to %{{.+}} step %c8_i64 iter_args(%{{.+}} = %[[PIVOT]], %{{.+}} = %{{.+}}, %{{.+}} = %{{cst.*}}, %{{.+}} = %{{.+}}) -> (vector<8xf64>, vector<8xf64>, vector<8xf64>, vector<8xf64>)
// CHECK-NOT:       arith.divf
// CHECK:           scf.yield
// CHECK:         arith.divf
// CHECK:         %[[MOVED:.+]] = arith.addf %[[CHAIN]]#0,
// CHECK:         arith.subf %[[MOVED]], %[[CHAIN]]#0
// CHECK:         arith.addf %[[Q]],
// CHECK:         arith.addf %[[LOST]],
wrapper.kernel @welford_f64(%x: tensor<16384xf64>) attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[]>], symbols = []} {
  %0 = loop.kernel "welford" [16384] (%a = %x) : (tensor<16384xf64>) -> tensor<f64> schedule<vector_dim = 0, vector_width = 8> {
    %v = loop.load %a[d0] : tensor<16384xf64> -> f64
    %zero = arith.constant 0.0 : f64
    %one = arith.constant 1.0 : f64
    %m, %s, %n = loop.welford %v, %zero, %one over [0] : f64
    loop.store %s, 0 [] : f64
  }
  wrapper.yield %0 : tensor<f64>
}

// -----

// A product is a pair: what each multiplication is rounded by is computed, and
// multiplied from there on. The vectors of a step are multiplied first, and lanes
// at the end.
// CHECK-LABEL: wrapper.kernel @product
// CHECK:       %[[P:.+]]:2 = scf.for {{.+}} iter_args(%[[V:.+]] = %{{.+}}, %[[R:.+]] = %{{.+}}) -> (vector<8xf32>, vector<8xf32>)
// CHECK:         %[[A:.+]] = llvm.load
// CHECK:         %[[B:.+]] = llvm.load
// CHECK:         %[[AB:.+]] = arith.mulf %[[A]], %[[B]]
// CHECK:         %[[MINUS:.+]] = arith.negf %[[AB]]
// CHECK:         %[[E:.+]] = math.fma %[[A]], %[[B]], %[[MINUS]]
// CHECK:         %[[NEXT:.+]] = arith.mulf %[[V]], %[[AB]]
// CHECK:         %[[OFF:.+]] = arith.negf %[[NEXT]]
// CHECK:         %[[L:.+]] = math.fma %[[V]], %[[AB]], %[[OFF]]
// CHECK:         %[[K:.+]] = math.fma %[[E]], %[[V]], %[[L]]
// CHECK:         %[[REST:.+]] = math.fma %[[R]], %[[AB]], %[[K]]
// CHECK:         scf.yield %[[NEXT]], %[[REST]]
// CHECK:       vector.shuffle %[[P]]#0, %[[P]]#0 [0, 1, 2, 3]
wrapper.kernel @product(%x: tensor<16384xf32>) attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[]>], symbols = []} {
  %0 = loop.kernel "prod" [16384] (%a = %x) : (tensor<16384xf32>) -> tensor<f32> schedule<vector_dim = 0, vector_width = 8, unroll = 2> {
    %v = loop.load %a[d0] : tensor<16384xf32> -> f32
    %p = loop.reduce prod %v over [0] : f32
    loop.store %p, 0 [] : f32
  }
  wrapper.yield %0 : tensor<f32>
}

// -----

// Rounded to 16 bits, it has no use for them.
// CHECK-LABEL: wrapper.kernel @product_of_halves
// CHECK-NOT:   math.fma
wrapper.kernel @product_of_halves(%x: tensor<16384xbf16>) attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[]>], symbols = []} {
  %0 = loop.kernel "prod" [16384] (%a = %x) : (tensor<16384xbf16>) -> tensor<bf16> schedule<vector_dim = 0, vector_width = 8> {
    %v = loop.load %a[d0] : tensor<16384xbf16> -> bf16
    %w = arith.extf %v : bf16 to f32
    %p = loop.reduce prod %w over [0] : f32
    %r = arith.truncf %p : f32 to bf16
    loop.store %r, 0 [] : bf16
  }
  wrapper.yield %0 : tensor<bf16>
}
