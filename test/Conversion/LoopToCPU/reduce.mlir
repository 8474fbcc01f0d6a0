// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper.kernel(convert-loop-to-cpu,canonicalize,cse))' --split-input-file | FileCheck %s

// A softmax over rows: three loops, the exponentials recomputed in the last.
// CHECK-LABEL: wrapper.kernel @softmax
// An extremum is of numbers; one more accumulator says where there was a NaN.
// The second loop, which finds the row in the cache, brings the next row.
// CHECK:       scf.for {{.+}} -> (vector<16xf32>, vector<16xi1>)
// CHECK:         %[[X:.+]] = llvm.load {{.+}} -> vector<16xf32>
// CHECK-NOT:     prefetch
// CHECK:         arith.cmpf ogt, %[[X]]
// CHECK:         %[[NAN:.+]] = arith.cmpf uno, %[[X]], %[[X]]
// CHECK:         arith.ori %{{.+}}, %[[NAN]]
// CHECK:       %[[BEST:.+]] = vector.reduction <maxnumf>
// CHECK:       %[[ANY:.+]] = vector.reduction <or>
// CHECK:       arith.select %[[ANY]], %{{.+}}, %[[BEST]]
// CHECK:       %[[S:.+]] = scf.for
// CHECK:         llvm.getelementptr %[[IN:.+]][%[[AT:.+]]] :
// CHECK:         math.exp
// CHECK:         %[[AHEAD:.+]] = arith.addi %[[AT]], %c1024_i64
// CHECK:         %[[NEXT:.+]] = llvm.getelementptr %[[IN]][%[[AHEAD]]]
// CHECK:         "llvm.intr.prefetch"(%[[NEXT]]) <{cache = 1 : i32, hint = 3 : i32, rw = 0 : i32}>
// CHECK:       vector.reduction <add>, %{{.+}} fastmath<reassoc>
// CHECK:       scf.for
// CHECK-NOT:   prefetch
// CHECK:       math.exp
// CHECK:       arith.divf
// CHECK:       llvm.store
wrapper.kernel @softmax(%x: tensor<8x1024xf32>) attributes {input_strides = [#sym.shape<[1024, 1]>], output_strides = [#sym.shape<[1024, 1]>], symbols = []} {
  %0 = loop.kernel "softmax" [8, 1024] (%a = %x) : (tensor<8x1024xf32>) -> tensor<8x1024xf32> schedule<vector_dim = 1, vector_width = 16> {
    %v = loop.load %a[d0, d1] : tensor<8x1024xf32> -> f32
    %m = loop.reduce max %v over [1] : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d : f32
    %s = loop.reduce sum %e over [1] : f32
    %q = arith.divf %e, %s : f32
    loop.store %q, 0 [d0, d1] : f32
  }
  wrapper.yield %0 : tensor<8x1024xf32>
}

// -----

// A row that leaves the cache before its second loop is not brought ahead.
// CHECK-LABEL: wrapper.kernel @long_rows
// CHECK-NOT:   prefetch
// CHECK:       llvm.return
wrapper.kernel @long_rows(%x: tensor<8x100000xf32>) attributes {input_strides = [#sym.shape<[100000, 1]>], output_strides = [#sym.shape<[100000, 1]>], symbols = []} {
  %0 = loop.kernel "normalize" [8, 100000] (%a = %x) : (tensor<8x100000xf32>) -> tensor<8x100000xf32> schedule<vector_dim = 1, vector_width = 16> {
    %v = loop.load %a[d0, d1] : tensor<8x100000xf32> -> f32
    %m = loop.reduce max %v over [1] : f32
    %d = arith.subf %v, %m : f32
    loop.store %d, 0 [d0, d1] : f32
  }
  wrapper.yield %0 : tensor<8x100000xf32>
}

// -----

// Positions that do not grow from point to point are compared.
// CHECK-LABEL: wrapper.kernel @argmax_backwards
// CHECK:       arith.cmpf ogt
// CHECK:       arith.cmpi slt
wrapper.kernel @argmax_backwards(%x: tensor<64xf32>) attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[]>], symbols = []} {
  %0 = loop.kernel "argmax" [64] (%a = %x) : (tensor<64xf32>) -> tensor<i64> schedule<vector_dim = 0, vector_width = 16> {
    %v = loop.load %a[d0] : tensor<64xf32> -> f32
    %p = loop.index <-d0 + 63>
    %s, %i = loop.arg_reduce max %v at %p over [0] : f32
    loop.store %i, 0 [] : i64
  }
  wrapper.yield %0 : tensor<i64>
}

// -----

// Columns: the accumulators are vectors over the result, carried by the loop
// over rows.
// CHECK-LABEL: wrapper.kernel @column_sum
// CHECK:       %{{.+}}:2 = scf.for {{.+}} iter_args({{.+}}) -> (vector<16xf32>, vector<16xf32>)
// CHECK-COUNT-2: llvm.load %{{.+}} -> vector<16xf32>
// CHECK-NOT:   vector.reduction
// CHECK-COUNT-2: llvm.store %{{.+}} : vector<16xf32>
wrapper.kernel @column_sum(%x: tensor<100x64xf32>) attributes {input_strides = [#sym.shape<[64, 1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "sum" [100, 64] (%a = %x) : (tensor<100x64xf32>) -> tensor<64xf32> schedule<vector_dim = 1, vector_width = 16, unroll = 2, block = 32> {
    %v = loop.load %a[d0, d1] : tensor<100x64xf32> -> f32
    %s = loop.reduce sum %v over [0] : f32
    loop.store %s, 0 [d1] : f32
  }
  wrapper.yield %0 : tensor<64xf32>
}

// -----

// Masked lanes count as the neutral element.
// CHECK-LABEL: wrapper.kernel @remainder_is_neutral
// CHECK:       scf.for
// CHECK:       scf.for
// CHECK:       scf.for
// CHECK:       %[[MASK:.+]] = arith.cmpi sgt
// CHECK:       llvm.intr.masked.load %{{.+}}, %[[MASK]]
// CHECK:       %[[X:.+]] = arith.select %[[MASK]]
// CHECK:       arith.cmpf olt, %[[X]]
wrapper.kernel @remainder_is_neutral(%x: tensor<?xf32, #sym.shape<[s0]>>) attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[]>], symbols = ["s0"]} {
  %0 = loop.kernel "min" [s0] (%a = %x) : (tensor<?xf32, #sym.shape<[s0]>>) -> tensor<f32> schedule<vector_dim = 0, vector_width = 16> {
    %v = loop.load %a[d0] : tensor<?xf32, #sym.shape<[s0]>> -> f32
    %s = loop.reduce min %v over [0] : f32
    loop.store %s, 0 [] : f32
  }
  wrapper.yield %0 : tensor<f32>
}

// -----

// The position of the maximum. A lane meets positions in their order, so that
// only a better value replaces what it has; positions take 32 bits. Of equal
// lanes, the one with the smallest position wins; where no value was better than
// the neutral one, the first does.
// CHECK-LABEL: wrapper.kernel @argmax
// CHECK:       scf.for {{.+}} -> (vector<16xf32>, vector<16xi32>)
// CHECK:         %[[WINS:.+]] = arith.cmpf ugt
// CHECK:         %[[NUMBER:.+]] = arith.cmpf ord
// CHECK:         %[[BETTER:.+]] = arith.andi %[[WINS]], %[[NUMBER]]
// CHECK-NOT:     arith.cmp
// CHECK:         arith.select %[[BETTER]]
// CHECK:         arith.select %[[BETTER]]
// CHECK:       vector.reduction <maximumf>
// CHECK:       %[[AT:.+]] = vector.reduction <minsi>
// CHECK:       %[[NONE:.+]] = arith.cmpi eq, %[[AT]], %c2147483647_i32
// CHECK:       arith.select %[[NONE]], %c0_i64
wrapper.kernel @argmax(%x: tensor<64xf32>) attributes {input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[]>], symbols = []} {
  %0 = loop.kernel "argmax" [64] (%a = %x) : (tensor<64xf32>) -> tensor<i64> schedule<vector_dim = 0, vector_width = 16> {
    %v = loop.load %a[d0] : tensor<64xf32> -> f32
    %p = loop.index <d0>
    %s, %i = loop.arg_reduce max %v at %p over [0] : f32
    loop.store %i, 0 [] : i64
  }
  wrapper.yield %0 : tensor<i64>
}

// -----

// The exponentials are kept in the result: computed once, stored, read back.
// CHECK-LABEL: wrapper.kernel @softmax_kept
// CHECK:       vector.reduction <maxnumf>
// CHECK:       math.exp
// CHECK:       llvm.store
// CHECK:       vector.reduction <add>
// CHECK:       scf.for
// CHECK-NOT:   math.exp
// CHECK:       %[[E:.+]] = llvm.load
// CHECK:       arith.divf %[[E]]
// CHECK:       llvm.store
wrapper.kernel @softmax_kept(%x: tensor<8x1024xf32>) attributes {input_strides = [#sym.shape<[1024, 1]>], output_strides = [#sym.shape<[1024, 1]>], symbols = []} {
  %0 = loop.kernel "softmax" [8, 1024] (%a = %x) : (tensor<8x1024xf32>) -> tensor<8x1024xf32> schedule<vector_dim = 1, vector_width = 16, keep = [3]> {
    %v = loop.load %a[d0, d1] : tensor<8x1024xf32> -> f32
    %m = loop.reduce max %v over [1] : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d : f32
    %s = loop.reduce sum %e over [1] : f32
    %q = arith.divf %e, %s : f32
    loop.store %q, 0 [d0, d1] : f32
  }
  wrapper.yield %0 : tensor<8x1024xf32>
}

// -----

// A streamed result keeps nothing: the exponentials are in memory of the task.
// CHECK-LABEL: wrapper.kernel @softmax_scratch
// CHECK:       %[[BYTES:.+]] = arith.constant 4000
// CHECK:       %[[SCRATCH:.+]] = llvm.alloca %[[BYTES]] x i8 {alignment = 64 : i64}
// CHECK:       math.exp
// CHECK:       %[[P:.+]] = llvm.getelementptr %[[SCRATCH]]
// CHECK:       llvm.store %{{.+}}, %[[P]]
// CHECK:       math.exp
// CHECK:       %[[TAIL:.+]] = llvm.getelementptr %[[SCRATCH]]
// CHECK:       llvm.intr.masked.store %{{.+}}, %[[TAIL]]
// CHECK:       vector.reduction <add>
// CHECK:       scf.for
// CHECK-NOT:   math.exp
// CHECK:       %[[P:.+]] = llvm.getelementptr %[[SCRATCH]]
// CHECK:       %[[E:.+]] = llvm.load %[[P]]
// CHECK:       arith.divf %[[E]]
// CHECK:       llvm.store {{.*}}nontemporal
// CHECK:       llvm.fence
wrapper.kernel @softmax_scratch(%x: tensor<8x1000xf32>) attributes {input_strides = [#sym.shape<[1000, 1]>], output_strides = [#sym.shape<[1000, 1]>], symbols = []} {
  %0 = loop.kernel "softmax" [8, 1000] (%a = %x) : (tensor<8x1000xf32>) -> tensor<8x1000xf32> schedule<vector_dim = 1, vector_width = 16, keep = [3], stream = [0]> {
    %v = loop.load %a[d0, d1] : tensor<8x1000xf32> -> f32
    %m = loop.reduce max %v over [1] : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d : f32
    %s = loop.reduce sum %e over [1] : f32
    %q = arith.divf %e, %s : f32
    loop.store %q, 0 [d0, d1] : f32
  }
  wrapper.yield %0 : tensor<8x1000xf32>
}

// -----

// Rows outside, two at a time; one accumulator in memory for each column.
// CHECK-LABEL: wrapper.kernel @rows
// CHECK:       %[[ACC:.+]] = llvm.alloca %{{.+}} x f32
// CHECK:       scf.for %[[TASK:.+]] =
// CHECK:       scf.for
// CHECK:       llvm.store
// CHECK:       scf.for %[[ROW:.+]] = {{.+}} step %c2
// CHECK:       scf.for %[[COLUMN:.+]] =
// CHECK:       %[[P:.+]] = llvm.getelementptr %[[ACC]]
// CHECK:       %[[A:.+]] = llvm.load %[[P]]
// CHECK:       %[[V:.+]] = llvm.load
// CHECK:       %[[A1:.+]] = arith.addf %[[A]], %[[V]]
// CHECK:       %[[W:.+]] = llvm.load
// CHECK:       %[[A2:.+]] = arith.addf %[[A1]], %[[W]]
// CHECK:       llvm.store %[[A2]]
// CHECK:       math.sqrt
wrapper.kernel @rows(%x: tensor<101x64xf32>) attributes {input_strides = [#sym.shape<[64, 1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "sum" [101, 64] (%a = %x) : (tensor<101x64xf32>) -> tensor<64xf32> schedule<vector_dim = 1, vector_width = 16, block = 32, rows = 2> {
    %v = loop.load %a[d0, d1] : tensor<101x64xf32> -> f32
    %s = loop.reduce sum %v over [0] : f32
    %q = math.sqrt %s : f32
    loop.store %q, 0 [d1] : f32
  }
  wrapper.yield %0 : tensor<64xf32>
}

// -----

// A row that only the second cache holds: the last loop, which writes, brings
// the next one.
// CHECK-LABEL: wrapper.kernel @rows_of_the_second_cache
// CHECK:       scf.for
// CHECK-NOT:     prefetch
// CHECK:       scf.for
// CHECK-NOT:     prefetch
// CHECK:       scf.for
// CHECK:         "llvm.intr.prefetch"
wrapper.kernel @rows_of_the_second_cache(%x: tensor<8x32768xf32>) attributes {input_strides = [#sym.shape<[32768, 1]>], output_strides = [#sym.shape<[32768, 1]>], symbols = []} {
  %0 = loop.kernel "softmax" [8, 32768] (%a = %x) : (tensor<8x32768xf32>) -> tensor<8x32768xf32> schedule<vector_dim = 1, vector_width = 16> {
    %v = loop.load %a[d0, d1] : tensor<8x32768xf32> -> f32
    %m = loop.reduce max %v over [1] : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d : f32
    %s = loop.reduce sum %e over [1] : f32
    %q = arith.divf %e, %s : f32
    loop.store %q, 0 [d0, d1] : f32
  }
  wrapper.yield %0 : tensor<8x32768xf32>
}

// -----

// The same where the last loop reads what the task kept instead of the row.
// CHECK-LABEL: wrapper.kernel @kept_rows_of_the_second_cache
// CHECK:       math.exp
// CHECK-NOT:   prefetch
// CHECK:       vector.reduction <add>
// CHECK-NOT:   math.exp
// CHECK:       "llvm.intr.prefetch"
wrapper.kernel @kept_rows_of_the_second_cache(%x: tensor<8x32768xf32>) attributes {input_strides = [#sym.shape<[32768, 1]>], output_strides = [#sym.shape<[32768, 1]>], symbols = []} {
  %0 = loop.kernel "softmax" [8, 32768] (%a = %x) : (tensor<8x32768xf32>) -> tensor<8x32768xf32> schedule<vector_dim = 1, vector_width = 16, keep = [3], stream = [0]> {
    %v = loop.load %a[d0, d1] : tensor<8x32768xf32> -> f32
    %m = loop.reduce max %v over [1] : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d : f32
    %s = loop.reduce sum %e over [1] : f32
    %q = arith.divf %e, %s : f32
    loop.store %q, 0 [d0, d1] : f32
  }
  wrapper.yield %0 : tensor<8x32768xf32>
}
