// RUN: coil-opt %s --pass-pipeline='builtin.module(wrapper.kernel(convert-loop-to-gpu,canonicalize,cse))' --split-input-file | FileCheck %s

// The loop carries the vectors of its next step, which it loads first, as words;
// the last step loads its own again. What is left of a row, one step of masked
// loads, comes between the first loads of the loop and the loop.
// CHECK-LABEL: gpu.func @row_max
// CHECK:         %[[FIRST:.+]] = llvm.load %{{.+}} -> vector<8xbf16>
// CHECK:         %[[WORDS:.+]] = vector.bitcast %[[FIRST]] : vector<8xbf16> to vector<4xi32>
// CHECK:         scf.if
// CHECK:           llvm.load
// CHECK:         %{{.+}}:2 = scf.for %[[I:.+]] = %{{.+}} to %[[END:.+]] step %[[STEP:.+]] iter_args(%[[MAX:.+]] = %{{.+}}, %[[NOW:.+]] = %[[WORDS]])
// CHECK:           %[[NEXT:.+]] = arith.addi %[[I]], %[[STEP]]
// CHECK:           %[[MORE:.+]] = arith.cmpi ult, %[[NEXT]], %[[END]]
// CHECK:           arith.select %[[MORE]], %[[NEXT]], %[[I]]
// CHECK:           %[[AHEAD:.+]] = llvm.load
// CHECK:           %[[KEEP:.+]] = vector.bitcast %[[AHEAD]]
// CHECK:           %[[USE:.+]] = vector.bitcast %[[NOW]] : vector<4xi32> to vector<8xbf16>
// CHECK:           arith.extf %[[USE]]
// CHECK:           scf.yield %{{.+}}, %[[KEEP]]
wrapper.kernel @row_max(%x: tensor<512x8200xbf16>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[8200, 1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "max" [512, 8200] (%a = %x) : (tensor<512x8200xbf16>) -> tensor<512xf32> schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 8, threads_r = 128, index_bits = 32, prefetch = true> {
    %v = loop.load %a[d0, d1] : tensor<512x8200xbf16> -> bf16
    %w = arith.extf %v : bf16 to f32
    %m = loop.reduce max %w over [1] : f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<512xf32>
}

// -----

// Blocks from the last points on.
// CHECK-LABEL: gpu.func @downwards
// CHECK-DAG:     %[[LAST:.+]] = arith.constant 15 : i32
// CHECK:         %[[ID:.+]] = gpu.block_id x
// CHECK:         %[[BLOCK:.+]] = arith.index_castui %[[ID]]
// CHECK:         arith.subi %[[LAST]], %[[BLOCK]]
wrapper.kernel @downwards(%x: tensor<16384xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = []} {
  %0 = loop.kernel "neg" [16384] (%a = %x) : (tensor<16384xf32>) -> tensor<16384xf32> schedule #loop.gpu_schedule<vector_dim = 0, vector_width = 4, threads_p = 256, index_bits = 32, descending = true> {
    %v = loop.load %a[d0] : tensor<16384xf32> -> f32
    %n = arith.negf %v : f32
    loop.store %n, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<16384xf32>
}

// -----

// Blocks that walk the rows of a chunk load the next one before they meet for the sum of this one. What is the same for all rows is
// loaded once, in front of the loop.
// CHECK-LABEL: gpu.func @rows_and_columns
// CHECK:         %[[FIRST:.+]] = llvm.load %{{.+}} -> vector<4xf32>
// CHECK:         %{{.+}}:2 = scf.for %[[I:.+]] = %{{.+}} to %[[END:.+]] step %{{.+}} iter_args(%[[SUM:.+]] = %{{.+}}, %[[NOW:.+]] = %[[FIRST]])
// CHECK:           %[[NEXT:.+]] = arith.addi %[[I]]
// CHECK:           %[[MORE:.+]] = arith.cmpi ult, %[[NEXT]], %[[END]]
// CHECK:           arith.select %[[MORE]], %[[NEXT]], %[[I]]
// CHECK:           %[[AHEAD:.+]] = llvm.load %{{.+}} -> vector<4xf32>
// CHECK-NOT:       llvm.load %{{.+}} -> vector<4xf32>
// CHECK:           %[[TOTAL:.+]] = arith.addf %[[SUM]], %[[NOW]]
// CHECK:           gpu.barrier
// CHECK:           scf.yield %[[TOTAL]], %[[AHEAD]]
wrapper.kernel @rows_and_columns(%x: tensor<512x2048xf32>) attributes {device = #wrapper.device<"cuda">, input_strides = [#sym.shape<[2048, 1]>], output_strides = [#sym.shape<[1]>, #sym.shape<[2048, 1]>], symbols = []} {
  %0:2 = loop.kernel "sums" [512, 2048] (%a = %x) : (tensor<512x2048xf32>) -> (tensor<512xf32>, tensor<128x2048xf32>) schedule #loop.gpu_schedule<vector_dim = 1, vector_width = 4, threads_r = 512, persistent = true, index_bits = 32, prefetch = true> {
    %v = loop.load %a[d0, d1] : tensor<512x2048xf32> -> f32
    %s = loop.reduce sum %v over [1] : f32
    loop.store %s, 0[d0] : f32
    loop.accumulate sum %v, 1 columns [1] rows 4 : f32
  }
  wrapper.yield %0#0, %0#1 : tensor<512xf32>, tensor<128x2048xf32>
}
