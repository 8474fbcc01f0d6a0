// RUN: coil-opt %s --graph-decompose="library=cudnn" --split-input-file | FileCheck %s

// Keys up to the query's position: as exported models write it, with views, an
// `and` with all, and a broadcast over the batch.
// CHECK-LABEL: @causal
// CHECK:         graph.attention {{[^:]*}} causal {{[^:]*}}library "cudnn"
// CHECK-NOT:     graph.select
func.func @causal(%q: tensor<2x4x128x64xbf16>) -> tensor<2x4x128x64xbf16> {
  %i = graph.iota 0 : i64 step 1 : i64 dim 0 -> tensor<128xi64>
  %row = graph.reshape %i : (tensor<128xi64>) -> tensor<128x1xi64>
  %column = graph.reshape %i : (tensor<128xi64>) -> tensor<1x128xi64>
  %le = graph.compare le, %column, %row : (tensor<1x128xi64>, tensor<128x1xi64>) -> tensor<128x128xi1>
  %all = graph.full true -> tensor<i1>
  %both = graph.bitwise_and %le, %all : (tensor<128x128xi1>, tensor<i1>) -> tensor<128x128xi1>
  %r = graph.reshape %both : (tensor<128x128xi1>) -> tensor<1x1x128x128xi1>
  %m = graph.broadcast %r : (tensor<1x1x128x128xi1>) -> tensor<2x1x128x128xi1>
  %0 = graph.attention %q, %q, %q mask %m scale 0.125 : (tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2x1x128x128xi1>) -> tensor<2x4x128x64xbf16>
  return %0 : tensor<2x4x128x64xbf16>
}

// -----

// The same by another comparison of shifted positions, transposed, and added
// to the scores as zeros and lowest numbers.
// CHECK-LABEL: @causal_added
// CHECK:         graph.attention {{[^:]*}} causal {{[^:]*}}library "cudnn"
func.func @causal_added(%q: tensor<2x4x128x64xbf16>) -> tensor<2x4x128x64xbf16> {
  %i = graph.iota 0 : i64 step 1 : i64 dim 1 -> tensor<128x128xi64>
  %j = graph.iota 1 : i64 step 1 : i64 dim 0 -> tensor<128x128xi64>
  %gt = graph.compare gt, %j, %i : (tensor<128x128xi64>, tensor<128x128xi64>) -> tensor<128x128xi1>
  %zero = graph.full 0.0 : bf16 -> tensor<bf16>
  %low = graph.full 0xFF7F : bf16 -> tensor<bf16>
  %m = graph.select %gt, %zero, %low : (tensor<128x128xi1>, tensor<bf16>, tensor<bf16>) -> tensor<128x128xbf16>
  %0 = graph.attention %q, %q, %q mask %m scale 0.125 : (tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<128x128xbf16>) -> tensor<2x4x128x64xbf16>
  return %0 : tensor<2x4x128x64xbf16>
}

// -----

// Positions that a conversion broadcasts while it widens them.
// CHECK-LABEL: @causal_of_converted
// CHECK:         graph.attention {{[^:]*}} causal {{[^:]*}}library "cudnn"
func.func @causal_of_converted(%q: tensor<2x4x128x64xbf16>) -> tensor<2x4x128x64xbf16> {
  %i = graph.iota 0 : i64 step 1 : i64 dim 0 -> tensor<128xi64>
  %row = graph.reshape %i : (tensor<128xi64>) -> tensor<128x1xi64>
  %rows = graph.convert %row : (tensor<128x1xi64>) -> tensor<128x128xi32>
  %columns = graph.convert %i : (tensor<128xi64>) -> tensor<128x128xi32>
  %le = graph.compare le, %columns, %rows : (tensor<128x128xi32>, tensor<128x128xi32>) -> tensor<128x128xi1>
  %0 = graph.attention %q, %q, %q mask %le scale 0.125 : (tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<128x128xi1>) -> tensor<2x4x128x64xbf16>
  return %0 : tensor<2x4x128x64xbf16>
}

// -----

// Of a symbolic length, with a condition that always holds.
// CHECK-LABEL: @causal_of_any_length
// CHECK:         graph.attention {{[^:]*}} causal {{[^:]*}}library "cudnn"
func.func @causal_of_any_length(%q: tensor<2x4x?x64xbf16, #sym.shape<[2, 4, s0, 64]>>) -> tensor<2x4x?x64xbf16, #sym.shape<[2, 4, s0, 64]>> attributes {sym.symbols = {s0 = #sym.range<1, 4096>}} {
  %i = graph.iota 0 : i64 step 1 : i64 dim 0 -> tensor<?xi64, #sym.shape<[s0]>>
  %row = graph.reshape %i : (tensor<?xi64, #sym.shape<[s0]>>) -> tensor<?x1xi64, #sym.shape<[s0, 1]>>
  %le = graph.compare le, %i, %row : (tensor<?xi64, #sym.shape<[s0]>>, tensor<?x1xi64, #sym.shape<[s0, 1]>>) -> tensor<?x?xi1, #sym.shape<[s0, s0]>>
  %zero = graph.full 0 : i64 -> tensor<i64>
  %ge = graph.compare ge, %i, %zero : (tensor<?xi64, #sym.shape<[s0]>>, tensor<i64>) -> tensor<?xi1, #sym.shape<[s0]>>
  %m = graph.bitwise_and %le, %ge : (tensor<?x?xi1, #sym.shape<[s0, s0]>>, tensor<?xi1, #sym.shape<[s0]>>) -> tensor<?x?xi1, #sym.shape<[s0, s0]>>
  %0 = graph.attention %q, %q, %q mask %m scale 0.125 : (tensor<2x4x?x64xbf16, #sym.shape<[2, 4, s0, 64]>>, tensor<2x4x?x64xbf16, #sym.shape<[2, 4, s0, 64]>>, tensor<2x4x?x64xbf16, #sym.shape<[2, 4, s0, 64]>>, tensor<?x?xi1, #sym.shape<[s0, s0]>>) -> tensor<2x4x?x64xbf16, #sym.shape<[2, 4, s0, 64]>>
  return %0 : tensor<2x4x?x64xbf16, #sym.shape<[2, 4, s0, 64]>>
}

// -----

// Not causal: the strict past, which leaves the first row nothing.
// CHECK-LABEL: @strict
// CHECK:         graph.attention {{[^:]*}} mask
func.func @strict(%q: tensor<2x4x128x64xbf16>) -> tensor<2x4x128x64xbf16> {
  %i = graph.iota 0 : i64 step 1 : i64 dim 1 -> tensor<128x128xi64>
  %j = graph.iota 0 : i64 step 1 : i64 dim 0 -> tensor<128x128xi64>
  %m = graph.compare lt, %i, %j : (tensor<128x128xi64>, tensor<128x128xi64>) -> tensor<128x128xi1>
  %0 = graph.attention %q, %q, %q mask %m scale 0.125 : (tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<128x128xi1>) -> tensor<2x4x128x64xbf16>
  return %0 : tensor<2x4x128x64xbf16>
}

// -----

// Not causal: positions that the type does not hold wrap around.
// CHECK-LABEL: @wrapped
// CHECK:         graph.attention {{[^:]*}} mask
func.func @wrapped(%q: tensor<2x4x256x64xbf16>) -> tensor<2x4x256x64xbf16> {
  %i64 = graph.iota 0 : i64 step 1 : i64 dim 1 -> tensor<256x256xi64>
  %j64 = graph.iota 0 : i64 step 1 : i64 dim 0 -> tensor<256x256xi64>
  %i = graph.convert %i64 : (tensor<256x256xi64>) -> tensor<256x256xi8>
  %j = graph.convert %j64 : (tensor<256x256xi64>) -> tensor<256x256xi8>
  %m = graph.compare le, %i, %j : (tensor<256x256xi8>, tensor<256x256xi8>) -> tensor<256x256xi1>
  %0 = graph.attention %q, %q, %q mask %m scale 0.125 : (tensor<2x4x256x64xbf16>, tensor<2x4x256x64xbf16>, tensor<2x4x256x64xbf16>, tensor<256x256xi1>) -> tensor<2x4x256x64xbf16>
  return %0 : tensor<2x4x256x64xbf16>
}

// -----

// Not causal: lowest numbers of f16, which scores can reach.
// CHECK-LABEL: @lowest_of_f16
// CHECK:         graph.attention {{[^:]*}} mask
func.func @lowest_of_f16(%q: tensor<2x4x128x64xf16>) -> tensor<2x4x128x64xf16> {
  %i = graph.iota 0 : i64 step 1 : i64 dim 1 -> tensor<128x128xi64>
  %j = graph.iota 0 : i64 step 1 : i64 dim 0 -> tensor<128x128xi64>
  %le = graph.compare le, %i, %j : (tensor<128x128xi64>, tensor<128x128xi64>) -> tensor<128x128xi1>
  %zero = graph.full 0.0 : f16 -> tensor<f16>
  %low = graph.full 0xFBFF : f16 -> tensor<f16>
  %m = graph.select %le, %zero, %low : (tensor<128x128xi1>, tensor<f16>, tensor<f16>) -> tensor<128x128xf16>
  %0 = graph.attention %q, %q, %q mask %m scale 0.125 : (tensor<2x4x128x64xf16>, tensor<2x4x128x64xf16>, tensor<2x4x128x64xf16>, tensor<128x128xf16>) -> tensor<2x4x128x64xf16>
  return %0 : tensor<2x4x128x64xf16>
}

// -----

// Not causal: a mask that is data.
// CHECK-LABEL: @data
// CHECK:         graph.attention {{[^:]*}} mask
func.func @data(%q: tensor<2x4x128x64xbf16>, %p: tensor<128xi1>) -> tensor<2x4x128x64xbf16> {
  %i = graph.iota 0 : i64 step 1 : i64 dim 1 -> tensor<128x128xi64>
  %j = graph.iota 0 : i64 step 1 : i64 dim 0 -> tensor<128x128xi64>
  %le = graph.compare le, %i, %j : (tensor<128x128xi64>, tensor<128x128xi64>) -> tensor<128x128xi1>
  %m = graph.bitwise_and %le, %p : (tensor<128x128xi1>, tensor<128xi1>) -> tensor<128x128xi1>
  %0 = graph.attention %q, %q, %q mask %m scale 0.125 : (tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<128x128xi1>) -> tensor<2x4x128x64xbf16>
  return %0 : tensor<2x4x128x64xbf16>
}

// -----

// A causal mask that also looks for sequences packed into one: wherever the
// positions do not go on by one, another begins. They always do.
// CHECK-LABEL: @causal_and_one_sequence
// CHECK:         graph.attention {{[^:]*}} causal {{[^:]*}}library "cudnn"
func.func @causal_and_one_sequence(%q: tensor<2x4x128x64xbf16>) -> tensor<2x4x128x64xbf16> {
  %i = graph.iota 0 : i64 step 1 : i64 dim 0 -> tensor<128xi64>
  %one = graph.full 1 : i64 -> tensor<i64>
  %r = graph.reshape %i : (tensor<128xi64>) -> tensor<1x128xi64>
  %positions = graph.broadcast %r : (tensor<1x128xi64>) -> tensor<2x128xi64>
  %first = graph.slice %positions starts <[0, 0]> steps [1, 1] : (tensor<2x128xi64>) -> tensor<2x1xi64>
  %before = graph.sub %first, %one : (tensor<2x1xi64>, tensor<i64>) -> tensor<2x1xi64>
  %with = graph.cat %before, %positions dim 1 : (tensor<2x1xi64>, tensor<2x128xi64>) -> tensor<2x129xi64>
  %next = graph.slice %with starts <[0, 1]> steps [1, 1] : (tensor<2x129xi64>) -> tensor<2x128xi64>
  %this = graph.slice %with starts <[0, 0]> steps [1, 1] : (tensor<2x129xi64>) -> tensor<2x128xi64>
  %steps = graph.sub %next, %this : (tensor<2x128xi64>, tensor<2x128xi64>) -> tensor<2x128xi64>
  %begins = graph.compare ne, %steps, %one : (tensor<2x128xi64>, tensor<i64>) -> tensor<2x128xi1>
  %counted = graph.convert %begins : (tensor<2x128xi1>) -> tensor<2x128xi64>
  %sequence = graph.scan sum, %counted dim 1 : (tensor<2x128xi64>) -> tensor<2x128xi64>
  %b = graph.iota 0 : i64 step 1 : i64 dim 0 -> tensor<2x1x1x1xi64>
  %row = graph.reshape %i : (tensor<128xi64>) -> tensor<1x1x128x1xi64>
  %column = graph.reshape %i : (tensor<128xi64>) -> tensor<1x1x1x128xi64>
  %le = graph.compare le, %column, %row : (tensor<1x1x1x128xi64>, tensor<1x1x128x1xi64>) -> tensor<1x1x128x128xi1>
  %of_row = graph.index %sequence[%b, %row] dims [0, 1] : (tensor<2x128xi64>, tensor<2x1x1x1xi64>, tensor<1x1x128x1xi64>) -> tensor<2x1x128x1xi64>
  %of_column = graph.index %sequence[%b, %column] dims [0, 1] : (tensor<2x128xi64>, tensor<2x1x1x1xi64>, tensor<1x1x1x128xi64>) -> tensor<2x1x1x128xi64>
  %same = graph.compare eq, %of_row, %of_column : (tensor<2x1x128x1xi64>, tensor<2x1x1x128xi64>) -> tensor<2x1x128x128xi1>
  %m = graph.bitwise_and %le, %same : (tensor<1x1x128x128xi1>, tensor<2x1x128x128xi1>) -> tensor<2x1x128x128xi1>
  %0 = graph.attention %q, %q, %q mask %m scale 0.125 : (tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2x1x128x128xi1>) -> tensor<2x4x128x64xbf16>
  return %0 : tensor<2x4x128x64xbf16>
}

// -----

// The same with positions that go on by two: every element begins a sequence.
// CHECK-LABEL: @many_sequences
// CHECK:         graph.attention {{[^:]*}} mask
func.func @many_sequences(%q: tensor<2x4x128x64xbf16>) -> tensor<2x4x128x64xbf16> {
  %i = graph.iota 0 : i64 step 1 : i64 dim 0 -> tensor<128xi64>
  %one = graph.full 1 : i64 -> tensor<i64>
  %two = graph.iota 0 : i64 step 2 : i64 dim 0 -> tensor<129xi64>
  %next = graph.slice %two starts <[1]> steps [1] : (tensor<129xi64>) -> tensor<128xi64>
  %this = graph.slice %two starts <[0]> steps [1] : (tensor<129xi64>) -> tensor<128xi64>
  %steps = graph.sub %next, %this : (tensor<128xi64>, tensor<128xi64>) -> tensor<128xi64>
  %begins = graph.compare ne, %steps, %one : (tensor<128xi64>, tensor<i64>) -> tensor<128xi1>
  %counted = graph.convert %begins : (tensor<128xi1>) -> tensor<128xi64>
  %sequence = graph.scan sum, %counted dim 0 : (tensor<128xi64>) -> tensor<128xi64>
  %row = graph.reshape %i : (tensor<128xi64>) -> tensor<128x1xi64>
  %of_row = graph.index %sequence[%row] dims [0] : (tensor<128xi64>, tensor<128x1xi64>) -> tensor<128x1xi64>
  %same = graph.compare eq, %of_row, %sequence : (tensor<128x1xi64>, tensor<128xi64>) -> tensor<128x128xi1>
  %0 = graph.attention %q, %q, %q mask %same scale 0.125 : (tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<128x128xi1>) -> tensor<2x4x128x64xbf16>
  return %0 : tensor<2x4x128x64xbf16>
}

// -----

// The lower triangle of ones, where it is not zero, twice negated.
// CHECK-LABEL: @causal_by_triangle
// CHECK:         graph.attention {{[^:]*}} causal {{[^:]*}}library "cudnn"
func.func @causal_by_triangle(%q: tensor<2x4x128x64xbf16>) -> tensor<2x4x128x64xbf16> {
  %i = graph.iota 0 : i64 step 1 : i64 dim 0 -> tensor<128xi64>
  %row = graph.reshape %i : (tensor<128xi64>) -> tensor<128x1xi64>
  %le = graph.compare le, %i, %row : (tensor<128xi64>, tensor<128x1xi64>) -> tensor<128x128xi1>
  %one = graph.full 1.0 : f32 -> tensor<f32>
  %zero = graph.full 0.0 : f32 -> tensor<f32>
  %ones = graph.select %le, %one, %zero : (tensor<128x128xi1>, tensor<f32>, tensor<f32>) -> tensor<128x128xf32>
  %hidden = graph.compare eq, %ones, %zero : (tensor<128x128xf32>, tensor<f32>) -> tensor<128x128xi1>
  %m = graph.bitwise_not %hidden : (tensor<128x128xi1>) -> tensor<128x128xi1>
  %0 = graph.attention %q, %q, %q mask %m nan_rows scale 0.125 : (tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<128x128xi1>) -> tensor<2x4x128x64xbf16>
  return %0 : tensor<2x4x128x64xbf16>
}

// -----

// Not behind, and nothing else.
// CHECK-LABEL: @causal_by_not_or
// CHECK:         graph.attention {{[^:]*}} causal {{[^:]*}}library "cudnn"
func.func @causal_by_not_or(%q: tensor<2x4x128x64xbf16>) -> tensor<2x4x128x64xbf16> {
  %i = graph.iota 0 : i64 step 1 : i64 dim 0 -> tensor<128xi64>
  %row = graph.reshape %i : (tensor<128xi64>) -> tensor<128x1xi64>
  %le = graph.compare gt, %i, %row : (tensor<128xi64>, tensor<128x1xi64>) -> tensor<128x128xi1>
  %none = graph.full false -> tensor<i1>
  %any = graph.bitwise_or %le, %none : (tensor<128x128xi1>, tensor<i1>) -> tensor<128x128xi1>
  %m = graph.bitwise_not %any : (tensor<128x128xi1>) -> tensor<128x128xi1>
  %0 = graph.attention %q, %q, %q mask %m fill -3.0e38 scale 0.125 : (tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<128x128xi1>) -> tensor<2x4x128x64xbf16>
  return %0 : tensor<2x4x128x64xbf16>
}

// -----

// Minus infinity above the diagonal, zero elsewhere.
// CHECK-LABEL: @causal_by_added_triangle
// CHECK:         graph.attention {{[^:]*}} causal {{[^:]*}}library "cudnn"
func.func @causal_by_added_triangle(%q: tensor<2x4x128x64xbf16>) -> tensor<2x4x128x64xbf16> {
  %i = graph.iota 0 : i64 step 1 : i64 dim 0 -> tensor<128xi64>
  %row = graph.reshape %i : (tensor<128xi64>) -> tensor<128x1xi64>
  %le = graph.compare gt, %i, %row : (tensor<128xi64>, tensor<128x1xi64>) -> tensor<128x128xi1>
  %f = graph.full 0xFF80 : bf16 -> tensor<bf16>
  %z = graph.full 0.0 : bf16 -> tensor<bf16>
  %m = graph.select %le, %f, %z : (tensor<128x128xi1>, tensor<bf16>, tensor<bf16>) -> tensor<128x128xbf16>
  %0 = graph.attention %q, %q, %q mask %m scale 0.125 : (tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<128x128xbf16>) -> tensor<2x4x128x64xbf16>
  return %0 : tensor<2x4x128x64xbf16>
}

// -----

// A condition or another hides less.
// CHECK-LABEL: @causal_or
// CHECK:         graph.attention {{.*}} mask {{[^:]*}}library "cudnn"
func.func @causal_or(%q: tensor<2x4x128x64xbf16>) -> tensor<2x4x128x64xbf16> {
  %i = graph.iota 0 : i64 step 1 : i64 dim 0 -> tensor<128xi64>
  %row = graph.reshape %i : (tensor<128xi64>) -> tensor<128x1xi64>
  %le = graph.compare le, %i, %row : (tensor<128xi64>, tensor<128x1xi64>) -> tensor<128x128xi1>
  %c = graph.full 3 : i64 -> tensor<i64>
  %few = graph.compare lt, %i, %c : (tensor<128xi64>, tensor<i64>) -> tensor<128xi1>
  %m = graph.bitwise_or %le, %few : (tensor<128x128xi1>, tensor<128xi1>) -> tensor<128x128xi1>
  %0 = graph.attention %q, %q, %q mask %m scale 0.125 : (tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<2x4x128x64xbf16>, tensor<128x128xi1>) -> tensor<2x4x128x64xbf16>
  return %0 : tensor<2x4x128x64xbf16>
}
