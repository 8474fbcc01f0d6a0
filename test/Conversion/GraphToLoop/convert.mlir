// RUN: coil-opt %s --convert-graph-to-loop --split-input-file --verify-diagnostics | FileCheck %s

// A broadcast operand is loaded at the dimensions it has.
// CHECK-LABEL: @pointwise_broadcast
// CHECK:       loop.kernel "add" [s0, 8] (%[[A:.+]] = %arg0, %[[B:.+]] = %arg1)
// CHECK-DAG:   loop.load %[[A]][d0, 0] : tensor<?x1xf32, #sym.shape<[s0, 1]>> -> f32
// CHECK-DAG:   loop.load %[[B]][d1] : tensor<8xf32> -> f32
// CHECK:       loop.store %{{.+}}, 0[d0, d1] : f32
func.func @pointwise_broadcast(%a: tensor<?x1xf32, #sym.shape<[s0, 1]>>, %b: tensor<8xf32>) -> tensor<?x8xf32, #sym.shape<[s0, 8]>> {
  %0 = graph.add %a, %b : (tensor<?x1xf32, #sym.shape<[s0, 1]>>, tensor<8xf32>) -> tensor<?x8xf32, #sym.shape<[s0, 8]>>
  return %0 : tensor<?x8xf32, #sym.shape<[s0, 8]>>
}

// -----

// An operand that occurs twice is one input.
// CHECK-LABEL: @same_operand_once
// CHECK:       loop.kernel "mul" [8] (%[[A:.+]] = %arg0) :
// CHECK:       %[[V:.+]] = loop.load
// CHECK-NOT:   loop.load
// CHECK:       arith.mulf %[[V]], %[[V]] : f32
func.func @same_operand_once(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = graph.mul %a, %a : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Sixteen-bit floats are computed in f32 and rounded at the end.
// CHECK-LABEL: @bf16_reduces_in_f32
// CHECK:       %[[V:.+]] = loop.load %{{.+}}[d0, d1] : tensor<4x8xbf16> -> bf16
// CHECK:       %[[F:.+]] = arith.extf %[[V]] : bf16 to f32
// CHECK:       %[[S:.+]] = loop.reduce sum %[[F]] over [1] : f32
// CHECK:       %[[T:.+]] = arith.truncf %[[S]] : f32 to bf16
// CHECK:       loop.store %[[T]], 0[d0, 0] : bf16
func.func @bf16_reduces_in_f32(%a: tensor<4x8xbf16>) -> tensor<4x1xbf16> {
  %0 = graph.reduce sum, %a dims [1] keepdims : (tensor<4x8xbf16>) -> tensor<4x1xbf16>
  return %0 : tensor<4x1xbf16>
}

// -----

// Unsigned extrema have their own kinds; the maximum of bools is "or".
// CHECK-LABEL: @reduce_kinds
// CHECK:       loop.reduce umax
// CHECK:       loop.reduce or
func.func @reduce_kinds(%a: tensor<8xui8>, %b: tensor<8xi1>) -> (tensor<ui8>, tensor<i1>) {
  %0 = graph.reduce max, %a dims [0] : (tensor<8xui8>) -> tensor<ui8>
  %1 = graph.reduce max, %b dims [0] : (tensor<8xi1>) -> tensor<i1>
  return %0, %1 : tensor<ui8>, tensor<i1>
}

// -----

// CHECK-LABEL: @matmul_batch_broadcast
// CHECK:       loop.kernel "matmul" [2, 4, 3, 8]
// CHECK-DAG:   loop.load %{{.+}}[d0, d1, d3] : tensor<2x4x8xf32>
// CHECK-DAG:   loop.load %{{.+}}[0, d3, d2] : tensor<1x8x3xf32>
// CHECK:       loop.reduce sum %{{.+}} over [3]
// CHECK:       loop.store %{{.+}}, 0[d0, d1, d2]
func.func @matmul_batch_broadcast(%a: tensor<2x4x8xf32>, %b: tensor<1x8x3xf32>) -> tensor<2x4x3xf32> {
  %0 = graph.matmul %a, %b : (tensor<2x4x8xf32>, tensor<1x8x3xf32>) -> tensor<2x4x3xf32>
  return %0 : tensor<2x4x3xf32>
}

// -----

// The bias is added to the sum, before it is rounded.
// CHECK-LABEL: @matmul_bias
// CHECK:       %[[SUM:.+]] = loop.reduce sum %{{.+}} over [2] : f32
// CHECK:       %[[BIAS:.+]] = loop.load %{{.+}}[d1] : tensor<3xbf16>
// CHECK:       %[[WIDE:.+]] = arith.extf %[[BIAS]]
// CHECK:       %[[ALL:.+]] = arith.addf %[[SUM]], %[[WIDE]] : f32
// CHECK:       %[[ROUNDED:.+]] = arith.truncf %[[ALL]]
// CHECK:       loop.store %[[ROUNDED]], 0[d0, d1]
func.func @matmul_bias(%x: tensor<4x8xbf16>, %w: tensor<8x3xbf16>, %c: tensor<3xbf16>) -> tensor<4x3xbf16> {
  %0 = graph.matmul %x, %w bias %c : (tensor<4x8xbf16>, tensor<8x3xbf16>, tensor<3xbf16>) -> tensor<4x3xbf16>
  return %0 : tensor<4x3xbf16>
}

// -----

// Padding is a masked load; the attribute keeps what the kernel is.
// CHECK-LABEL: @conv_padding
// CHECK:       loop.kernel "conv" [2, 4, 8, 8, 3, 3, 3]
// CHECK-SAME:  conv<stride = [1, 1], padding = [1, 1], dilation = [1, 1], groups = 1>
// CHECK:       loop.load %{{.+}}[d0, d4, d2 + d5 - 1, d3 + d6 - 1] mask %{{.+}} else %{{.+}} : f32
// CHECK:       loop.reduce sum %{{.+}} over [4, 5, 6]
func.func @conv_padding(%x: tensor<2x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<2x4x8x8xf32> {
  %0 = graph.conv %x, %w stride [1, 1] padding [1, 1] dilation [1, 1] groups 1 : (tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x8x8xf32>
  return %0 : tensor<2x4x8x8xf32>
}

// -----

// No padding, no mask: every window lies inside.
// CHECK-LABEL: @pool_inside
// CHECK:       loop.load %{{.+}}[d0, d1, d2 * 2 + d4, d3 * 2 + d5] : tensor<2x3x8x8xf32> -> f32
func.func @pool_inside(%x: tensor<2x3x8x8xf32>) -> tensor<2x3x4x4xf32> {
  %0 = graph.pool max, %x kernel [2, 2] stride [2, 2] padding [0, 0] dilation [1, 1] : (tensor<2x3x8x8xf32>) -> tensor<2x3x4x4xf32>
  return %0 : tensor<2x3x4x4xf32>
}

// -----

// A reshape is a view; equal outer sizes keep their dimension.
// CHECK-LABEL: @views
// CHECK:       loop.view %arg0[d0, d1 * 2 + d2]
// CHECK:       loop.view %arg0[d1, d0]
// CHECK:       loop.view %arg0[d0, -d1 + 5]
func.func @views(%x: tensor<4x6xf32>) -> (tensor<4x3x2xf32>, tensor<6x4xf32>, tensor<4x6xf32>) {
  %0 = graph.reshape %x : (tensor<4x6xf32>) -> tensor<4x3x2xf32>
  %1 = graph.permute %x [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %2 = graph.slice %x starts <[0, 5]> steps [1, -1] : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0, %1, %2 : tensor<4x3x2xf32>, tensor<6x4xf32>, tensor<4x6xf32>
}

// -----

// The index's dimensions stand where the indexed ones were.
// CHECK-LABEL: @index_middle
// CHECK:       loop.load %{{.+}}[d1, d2] : tensor<2x3xi64> -> i64
// CHECK:       loop.load %{{.+}}[d0, t0, d3](%{{.+}}) bounds wrap_check : tensor<5x7x9xf32> -> f32
func.func @index_middle(%x: tensor<5x7x9xf32>, %i: tensor<2x3xi64>) -> tensor<5x2x3x9xf32> {
  %0 = graph.index %x[%i] dims [1] : (tensor<5x7x9xf32>, tensor<2x3xi64>) -> tensor<5x2x3x9xf32>
  return %0 : tensor<5x2x3x9xf32>
}

// There is no direct conversion from f64 to bf16.
// CHECK-LABEL: @iota_bf16
func.func @iota_bf16() -> tensor<4xbf16> {
  // CHECK: %[[F32:.+]] = arith.truncf %{{.+}} : f64 to f32
  // CHECK-NEXT: arith.truncf %[[F32]] : f32 to bf16
  %0 = graph.iota 0.0 : f64 step 0.1 : f64 dim 0 -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// Only the indexed dimension goes in order.
// CHECK-LABEL: @scatter
// CHECK:       loop.kernel "scatter" [4, 2]
// CHECK:       %[[I:.+]] = loop.load %{{.+}}[d0, d1] : tensor<4x2xi64> -> i64
// CHECK:       %[[V:.+]] = loop.load %{{.+}}[d0, d1] : tensor<5x2xf32> -> f32
// CHECK:       loop.scatter sum %[[V]] into %in[d0, t0](%[[I]]) bounds wrap_check as 0 over [1] : f32, tensor<4x6xf32>
func.func @scatter(%x: tensor<4x6xf32>, %i: tensor<4x2xi64>, %v: tensor<5x2xf32>) -> tensor<4x6xf32> {
  %0 = graph.scatter sum %x, %i, %v dim 1 : (tensor<4x6xf32>, tensor<4x2xi64>, tensor<5x2xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// The dimensions of the index tensors go in order; the maximum of bools is a
// disjunction.
// CHECK-LABEL: @index_put
// CHECK:       loop.kernel "index_put" [2, 3, 9]
// CHECK:       loop.scatter or %{{.+}} into %in[t0, d2, t1](%{{.+}}, %{{.+}}) bounds wrap_check as 0 over [0, 1] : i1, tensor<5x9x7xi1>
func.func @index_put(%x: tensor<5x9x7xi1>, %i: tensor<2x3xi64>, %j: tensor<3xi32>, %v: tensor<2x3x9xi1>) -> tensor<5x9x7xi1> {
  %0 = graph.index_put max %x[%i, %j], %v dims [0, 2] : (tensor<5x9x7xi1>, tensor<2x3xi64>, tensor<3xi32>, tensor<2x3x9xi1>) -> tensor<5x9x7xi1>
  return %0 : tensor<5x9x7xi1>
}

// 16 bits are scanned in 32.
// CHECK-LABEL: @scan
// CHECK:       loop.scan sum %{{.+}} over [1] : f32
// CHECK:       arith.truncf
func.func @scan(%x: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
  %0 = graph.scan sum, %x dim 1 : (tensor<4x8xbf16>) -> tensor<4x8xbf16>
  return %0 : tensor<4x8xbf16>
}

// Bools order as unsigned numbers.
// CHECK-LABEL: @arg_scan
// CHECK:       %[[P:.+]] = loop.index <d0>
// CHECK:       loop.arg_scan umin %{{.+}} at %[[P]] over [0] : i1
func.func @arg_scan(%x: tensor<4x8xi1>) -> (tensor<4x8xi1>, tensor<4x8xi64>) {
  %v, %i = graph.arg_scan min, %x dim 0 : (tensor<4x8xi1>) -> (tensor<4x8xi1>, tensor<4x8xi64>)
  return %v, %i : tensor<4x8xi1>, tensor<4x8xi64>
}

// -----

func.func @convert_graph_to_loop_c1(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{operator 'aten.mystery.default' is not supported: no legalisation or decomposition is registered for it}}
  %0 = graph.aten "aten.mystery.default"(%a) ["self"] {} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @convert_graph_to_loop_c1_compound(%q: tensor<2x4x8x64xf32>) -> tensor<2x4x8x64xf32> {
  // expected-error@+1 {{has no lowering to loop kernels; run 'graph-decompose' first if it is a compound operator}}
  %0 = graph.attention %q, %q, %q scale 1.250000e-01 : (tensor<2x4x8x64xf32>, tensor<2x4x8x64xf32>, tensor<2x4x8x64xf32>) -> tensor<2x4x8x64xf32>
  return %0 : tensor<2x4x8x64xf32>
}

// -----

// One reduction for both; of no element the mean is NaN.
// CHECK-LABEL: @moments
// CHECK:         loop.kernel "welford" [s0, 8]
// CHECK:           %[[MEAN:.+]], %[[M2:.+]], %[[N:.+]] = loop.welford %{{.+}}, %{{.+}}, %{{.+}} over [0] : f32
// CHECK:           arith.cmpf oeq, %[[N]]
// CHECK:           %[[R:.+]] = arith.select %{{.+}}, %{{.+}}, %[[MEAN]]
// CHECK:           loop.store %[[R]], 0[d1]
// CHECK:           loop.store %[[M2]], 1[d1]
func.func @moments(%x: tensor<?x8xf32, #sym.shape<[s0, 8]>>) -> (tensor<8xf32>, tensor<8xf32>) attributes {sym.symbols = {s0 = #sym.range<0, 64>}} {
  %m, %s = graph.welford %x dims [0] : (tensor<?x8xf32, #sym.shape<[s0, 8]>>) -> (tensor<8xf32>, tensor<8xf32>)
  return %m, %s : tensor<8xf32>, tensor<8xf32>
}

// -----

// What sorts is a library; a selection is a sort of which less is wanted.
// CHECK-LABEL: @sort
// CHECK-NEXT:    loop.sort "runtime" %arg0 dim 1 descending : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xi64>)
// CHECK-NEXT:    loop.sort "cub" %arg0 dim 1 descending : (tensor<4x8xf32>) -> (tensor<4x3xf32>, tensor<4x3xi64>)
// CHECK-NEXT:    loop.sort "cub" %arg0 dim 0 unordered : (tensor<4x8xf32>) -> (tensor<2x8xf32>, tensor<2x8xi64>)
func.func @sort(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x3xf32>, tensor<2x8xi64>) {
  %v, %i = graph.sort %x dim 1 descending stable library "runtime" : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xi64>)
  %w, %j = graph.topk %x k <3> dim 1 largest sorted library "cub" : (tensor<4x8xf32>) -> (tensor<4x3xf32>, tensor<4x3xi64>)
  %u, %k = graph.topk %x k <2> dim 0 library "cub" : (tensor<4x8xf32>) -> (tensor<2x8xf32>, tensor<2x8xi64>)
  return %v, %w, %k : tensor<4x8xf32>, tensor<4x3xf32>, tensor<2x8xi64>
}

// -----

func.func @sort_without_library(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{has no lowering to loop kernels; run 'graph-decompose' first if it is a compound operator}}
  %v, %i = graph.sort %x dim 0 : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi64>)
  return %v : tensor<4xf32>
}
