// RUN: coil-opt %s --convert-linalg-to-loop --split-input-file | FileCheck %s

// A neutral initial value is dropped; the product of a sum may be contracted.
// CHECK-LABEL: func.func @matmul
// CHECK-NOT:     linalg
// CHECK:         loop.kernel "matmul" [4, 3, 8] (%[[A:.*]] = %arg0, %[[B:.*]] = %arg1)
// CHECK-NEXT:      %[[X:.*]] = loop.load %[[A]][d0, d2]
// CHECK-NEXT:      %[[Y:.*]] = loop.load %[[B]][d2, d1]
// CHECK-NEXT:      %[[P:.*]] = arith.mulf %[[X]], %[[Y]] fastmath<contract>
// CHECK-NEXT:      %[[S:.*]] = loop.reduce sum %[[P]] over [2]
// CHECK-NEXT:      loop.store %[[S]], 0[d0, d1]
func.func @matmul(%x: tensor<4x8xf32>, %y: tensor<8x3xf32>) -> tensor<4x3xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x3xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4x3xf32>) -> tensor<4x3xf32>
  %0 = linalg.matmul ins(%x, %y : tensor<4x8xf32>, tensor<8x3xf32>) outs(%f : tensor<4x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

// Another initial value is combined behind the reduction.
// CHECK-LABEL: func.func @initial_value
// CHECK:         %[[V:.*]] = loop.load %in[d0, d1]
// CHECK:         %[[I:.*]] = loop.load %{{.*}}[d0]
// CHECK:         %[[M:.*]] = loop.reduce max %{{.*}} over [1]
// CHECK:         arith.maximumf %[[I]], %[[M]]
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @initial_value(%x: tensor<4x8xf32>, %i: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%i : tensor<4xf32>) {
  ^bb0(%a: f32, %m: f32):
    %s = arith.maximumf %m, %a : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A maximum that ignores NaN: of NaN alone it is the initial value.
// CHECK-LABEL: func.func @maxnum
// CHECK:         %[[V:.*]] = loop.load
// CHECK:         %[[N:.*]] = arith.cmpf uno, %[[V]], %[[V]]
// CHECK:         %[[L:.*]] = arith.select %[[N]], %{{.*}}, %[[V]]
// CHECK:         loop.reduce max %[[L]] over [1]
// CHECK:         arith.maxnumf
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @maxnum(%x: tensor<4x8xf32>, %i: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%i : tensor<4xf32>) {
  ^bb0(%a: f32, %m: f32):
    %s = arith.maxnumf %m, %a : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Sums of bf16 are made in f32 and rounded once; their terms are not rounded.
// CHECK-LABEL: func.func @bf16_sum
// CHECK:         %[[V:.*]] = loop.load {{.*}} -> bf16
// CHECK:         %[[W:.*]] = arith.extf %[[V]] : bf16 to f32
// CHECK:         %[[P:.*]] = arith.mulf %[[W]], %{{.*}} fastmath<contract> : f32
// CHECK:         %[[S:.*]] = loop.reduce sum %[[P]] over [0] : f32
// CHECK:         arith.truncf %[[S]] : f32 to bf16
#id = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>
func.func @bf16_sum(%x: tensor<8xbf16>, %y: tensor<8xbf16>) -> tensor<bf16> {
  %z = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<bf16>
  %f = linalg.fill ins(%z : bf16) outs(%e : tensor<bf16>) -> tensor<bf16>
  %0 = linalg.generic {indexing_maps = [#id, #id, #none], iterator_types = ["reduction"]}
      ins(%x, %y : tensor<8xbf16>, tensor<8xbf16>) outs(%f : tensor<bf16>) {
  ^bb0(%a: bf16, %b: bf16, %s: bf16):
    %p = arith.mulf %a, %b : bf16
    %t = arith.addf %s, %p : bf16
    linalg.yield %t : bf16
  } -> tensor<bf16>
  return %0 : tensor<bf16>
}

// -----

// Elsewhere each operation on f16 rounds.
// CHECK-LABEL: func.func @f16_rounds
// CHECK:         %[[S:.*]] = arith.addf %{{.*}} : f32
// CHECK:         %[[T:.*]] = arith.truncf %[[S]] : f32 to f16
// CHECK:         arith.extf %[[T]] : f16 to f32
func.func @f16_rounds(%x: tensor<8xf16>) -> tensor<8xf16> {
  %e = tensor.empty() : tensor<8xf16>
  %0 = linalg.map ins(%x : tensor<8xf16>) outs(%e : tensor<8xf16>) (%a: f16, %o: f16) {
    %s = arith.addf %a, %a : f16
    %t = arith.mulf %s, %a : f16
    linalg.yield %t : f16
  }
  return %0 : tensor<8xf16>
}

// -----

// Transposes, broadcasts and reshapes are views.
// CHECK-LABEL: func.func @views
// CHECK-NEXT:    %[[T:.*]] = loop.view %arg0[d1, d0] : tensor<4x6xf32> -> tensor<6x4xf32>
// CHECK-NEXT:    %[[B:.*]] = loop.view %[[T]][d0, d2] : tensor<6x4xf32> -> tensor<6x2x4xf32>
// CHECK-NEXT:    %[[C:.*]] = loop.view %[[B]][d0, d1 floordiv 4, d1 mod 4]
// CHECK-NEXT:    %[[E:.*]] = loop.view %[[C]][d0, d1 * 2 + d2] : tensor<6x8xf32> -> tensor<6x4x2xf32>
// CHECK-NEXT:    %[[S:.*]] = loop.view %[[E]][d0 * 2 + 1, 3, d1] : tensor<6x4x2xf32> -> tensor<3x2xf32>
// CHECK-NEXT:    return %[[S]]
func.func @views(%x: tensor<4x6xf32>) -> tensor<3x2xf32> {
  %e0 = tensor.empty() : tensor<6x4xf32>
  %e1 = tensor.empty() : tensor<6x2x4xf32>
  %0 = linalg.transpose ins(%x : tensor<4x6xf32>) outs(%e0 : tensor<6x4xf32>) permutation = [1, 0]
  %1 = linalg.broadcast ins(%0 : tensor<6x4xf32>) outs(%e1 : tensor<6x2x4xf32>) dimensions = [1]
  %2 = tensor.collapse_shape %1 [[0], [1, 2]] : tensor<6x2x4xf32> into tensor<6x8xf32>
  %3 = tensor.expand_shape %2 [[0], [1, 2]] output_shape [6, 4, 2] : tensor<6x8xf32> into tensor<6x4x2xf32>
  %4 = tensor.extract_slice %3[1, 3, 0] [3, 1, 2] [2, 1, 1] : tensor<6x4x2xf32> to tensor<3x2xf32>
  return %4 : tensor<3x2xf32>
}

// -----

// A position that an element decides is checked when the program runs; one that
// is inside of the tensor is not.
// CHECK-LABEL: func.func @gather
// CHECK:         %[[I:.*]] = loop.load %in[d0] : tensor<3xi64> -> i64
// CHECK:         loop.load %{{.*}}[t0, d1](%[[I]]) bounds check : tensor<10x4xf32> -> f32
#row = affine_map<(d0, d1) -> (d0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @gather(%x: tensor<10x4xf32>, %i: tensor<3xi64>) -> tensor<3x4xf32> {
  %e = tensor.empty() : tensor<3x4xf32>
  %0 = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<3xi64>) outs(%e : tensor<3x4xf32>) {
  ^bb0(%p: i64, %o: f32):
    %r = arith.index_cast %p : i64 to index
    %c = linalg.index 1 : index
    %v = tensor.extract %x[%r, %c] : tensor<10x4xf32>
    linalg.yield %v : f32
  } -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// -----

// CHECK-LABEL: func.func @dynamic_slice
// CHECK:         loop.kernel "slice" [2]
// CHECK:           %[[I:.*]] = loop.load %in[] : tensor<i32> -> i32
// CHECK:           %[[W:.*]] = arith.extsi %[[I]] : i32 to i64
// CHECK:           %[[P:.*]] = arith.addi %[[W]],
// CHECK:           loop.load %{{.*}}[t0](%[[P]]) bounds check
func.func @dynamic_slice(%x: tensor<10xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %0 = tensor.extract %i[] : tensor<i32>
  %1 = arith.index_cast %0 : i32 to index
  %2 = tensor.extract_slice %x[%1] [2] [1] : tensor<10xf32> to tensor<2xf32>
  return %2 : tensor<2xf32>
}

// -----

// CHECK-LABEL: func.func @pad_concat_insert
// CHECK:         loop.kernel "pad" [7]
// CHECK:           loop.load %{{.*}}[d0 - 1] mask %{{.*}} else %{{.*}} : f32
// CHECK:         loop.kernel "cat" [14]
// CHECK:         loop.kernel "insert_slice" [14]
// CHECK:           loop.load %{{.*}}[d0 floordiv 2 - 1] mask
func.func @pad_concat_insert(%x: tensor<4xf32>) -> tensor<14xf32> {
  %z = arith.constant 1.0 : f32
  %0 = tensor.pad %x low[1] high[2] {
  ^bb0(%i: index):
    tensor.yield %z : f32
  } : tensor<4xf32> to tensor<7xf32>
  %1 = tensor.concat dim(0) %0, %0 : (tensor<7xf32>, tensor<7xf32>) -> tensor<14xf32>
  %2 = tensor.insert_slice %x into %1[2] [4] [2] : tensor<4xf32> into tensor<14xf32>
  return %2 : tensor<14xf32>
}

// -----

// Scalars outside of kernels are computed inside of those that use them, and
// what nobody writes is open.
// CHECK-LABEL: func.func @scalars
// CHECK:         loop.kernel "full" [3] (%in = %arg0)
// CHECK:           loop.load %in[] : tensor<f32> -> f32
// CHECK:           arith.negf
// CHECK:         loop.kernel "generate" [3]
// CHECK:         loop.kernel "from_elements" [2]
// CHECK:         loop.kernel "empty" [5] {{.*}} attributes {coil.uninitialized}
func.func @scalars(%x: tensor<f32>) -> (tensor<3xf32>, tensor<3xi64>, tensor<2xf32>, tensor<5xf32>) {
  %s = tensor.extract %x[] : tensor<f32>
  %n = arith.negf %s : f32
  %0 = tensor.splat %n : tensor<3xf32>
  %1 = tensor.generate {
  ^bb0(%i: index):
    %j = arith.index_cast %i : index to i64
    tensor.yield %j : i64
  } : tensor<3xi64>
  %2 = tensor.from_elements %s, %n : tensor<2xf32>
  %3 = tensor.empty() : tensor<5xf32>
  return %0, %1, %2, %3 : tensor<3xf32>, tensor<3xi64>, tensor<2xf32>, tensor<5xf32>
}

// -----

// Windows end inside of what they slide over, which the host program checks.
// CHECK-LABEL: func.func @dynamic_window
// CHECK:         sym.assert <s1 * 2> lt <s0>, "'linalg.pooling_ncw_sum' reads inside of its operand"
// CHECK:         loop.kernel "pooling_ncw_sum" [1, 1, s1, 3]
// CHECK:           loop.load %{{.*}}[d0, d1, d2 * 2 + d3]
func.func @dynamic_window(%x: tensor<1x1x?xf32, #sym.shape<[1, 1, s0]>>, %y: tensor<1x1x?xf32, #sym.shape<[1, 1, s1]>>)
    -> tensor<1x1x?xf32, #sym.shape<[1, 1, s1]>> attributes {sym.symbols = {s0 = #sym.range<0, *>, s1 = #sym.range<0, *>}} {
  %w = tensor.empty() : tensor<3xf32>
  %0 = linalg.pooling_ncw_sum {strides = dense<2> : tensor<1xi64>, dilations = dense<1> : tensor<1xi64>}
      ins(%x, %w : tensor<1x1x?xf32, #sym.shape<[1, 1, s0]>>, tensor<3xf32>) outs(%y : tensor<1x1x?xf32, #sym.shape<[1, 1, s1]>>) -> tensor<1x1x?xf32, #sym.shape<[1, 1, s1]>>
  return %0 : tensor<1x1x?xf32, #sym.shape<[1, 1, s1]>>
}

// -----

// Checks of sizes become checks of the host program.
// CHECK-LABEL: func.func @asserts
// CHECK-NEXT:    sym.assert <s0> eq <s1>, "sizes differ"
// CHECK-NEXT:    loop.kernel "exp"
func.func @asserts(%x: tensor<?xf32, #sym.shape<[s0]>>, %y: tensor<?xf32, #sym.shape<[s1]>>)
    -> tensor<?xf32, #sym.shape<[s0]>> attributes {sym.symbols = {s0 = #sym.range<0, *>, s1 = #sym.range<0, *>}} {
  %c0 = arith.constant 0 : index
  %0 = tensor.dim %x, %c0 : tensor<?xf32, #sym.shape<[s0]>>
  %1 = tensor.dim %y, %c0 : tensor<?xf32, #sym.shape<[s1]>>
  %2 = arith.cmpi eq, %0, %1 : index
  cf.assert %2, "sizes differ"
  %3 = math.exp %x : tensor<?xf32, #sym.shape<[s0]>>
  return %3 : tensor<?xf32, #sym.shape<[s0]>>
}

// -----

// A maximum and where it is; what was there at first stays where nothing is
// better, and NaN is no better than anything.
// CHECK-LABEL: func.func @argmax
// CHECK:         loop.kernel "argmax" [4, 8]
// CHECK:           arith.cmpf uno
// CHECK:           %[[M:.*]], %[[P:.*]] = loop.arg_reduce max %{{.*}} at %{{.*}} over [1] : f32
// CHECK:           %[[B:.*]] = arith.cmpf ogt, %[[M]], %{{.*}} : f32
// CHECK:           arith.select %[[B]], %[[P]]
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @argmax(%x: tensor<4x8xf32>) -> tensor<4xi64> {
  %z = arith.constant 0 : i64
  %low = arith.constant 0xFF800000 : f32
  %ei = tensor.empty() : tensor<4xi64>
  %ev = tensor.empty() : tensor<4xf32>
  %i = linalg.fill ins(%z : i64) outs(%ei : tensor<4xi64>) -> tensor<4xi64>
  %v = linalg.fill ins(%low : f32) outs(%ev : tensor<4xf32>) -> tensor<4xf32>
  %0:2 = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%v, %i : tensor<4xf32>, tensor<4xi64>) {
  ^bb0(%a: f32, %m: f32, %p: i64):
    %d = linalg.index 1 : index
    %n = arith.index_cast %d : index to i64
    %g = arith.cmpf ogt, %a, %m : f32
    %s = arith.select %g, %a, %m : f32
    %t = arith.select %g, %n, %p : i64
    linalg.yield %s, %t : f32, i64
  } -> (tensor<4xf32>, tensor<4xi64>)
  return %0#1 : tensor<4xi64>
}
