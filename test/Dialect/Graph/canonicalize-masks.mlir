// Comparisons of positions that all positions fulfil, or none, and what follows from them.
// RUN: coil-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: @all_visible
// CHECK: %[[Y:.*]] = graph.broadcast %arg0 : (tensor<7x1xf32>) -> tensor<7x5xf32>
// CHECK-NEXT: return %[[Y]]
func.func @all_visible(%x: tensor<7x1xf32>, %y: tensor<7x5xf32>) -> tensor<7x5xf32> {
  %i = graph.iota 0 : i64 step 1 : i64 dim 0 -> tensor<7xi64>
  %three = graph.full 3 : i64 -> tensor<i64>
  %j = graph.add %i, %three : (tensor<7xi64>, tensor<i64>) -> tensor<7xi64>
  %r = graph.reshape %j : (tensor<7xi64>) -> tensor<7x1xi64>
  %c = graph.compare ge, %r, %three : (tensor<7x1xi64>, tensor<i64>) -> tensor<7x1xi1>
  %s = graph.select %c, %x, %y : (tensor<7x1xi1>, tensor<7x1xf32>, tensor<7x5xf32>) -> tensor<7x5xf32>
  return %s : tensor<7x5xf32>
}

// A size that only a run knows: positions are at least zero, and may be larger than any number.
// CHECK-LABEL: @symbolic
// CHECK: %[[T:.*]] = graph.full true -> tensor<?xi1
// CHECK: %[[C:.*]] = graph.compare lt
// CHECK: return %[[T]], %[[C]]
func.func @symbolic(%x: tensor<?xf32, #sym.shape<[s0]>>) -> (tensor<?xi1, #sym.shape<[s0]>>, tensor<?xi1, #sym.shape<[s0]>>) {
  %i = graph.iota 0 : i64 step 1 : i64 dim 0 -> tensor<?xi64, #sym.shape<[s0]>>
  %zero = graph.full 0 : i64 -> tensor<i64>
  %many = graph.full 1000000 : i64 -> tensor<i64>
  %c = graph.compare ge, %i, %zero : (tensor<?xi64, #sym.shape<[s0]>>, tensor<i64>) -> tensor<?xi1, #sym.shape<[s0]>>
  %d = graph.compare lt, %i, %many : (tensor<?xi64, #sym.shape<[s0]>>, tensor<i64>) -> tensor<?xi1, #sym.shape<[s0]>>
  return %c, %d : tensor<?xi1, #sym.shape<[s0]>>, tensor<?xi1, #sym.shape<[s0]>>
}

// Nothing is known of one position and another, of a number that may wrap around, of 32 bits, and of floats.
// CHECK-LABEL: @undecided
// CHECK-COUNT-4: graph.compare
func.func @undecided(%x: tensor<7xf32>, %n: tensor<?xf32, #sym.shape<[s0]>>) -> (tensor<7x7xi1>, tensor<7xi1>, tensor<?xi1, #sym.shape<[s0]>>, tensor<7xi1>) {
  %i = graph.iota 0 : i64 step 1 : i64 dim 0 -> tensor<7xi64>
  %r = graph.reshape %i : (tensor<7xi64>) -> tensor<7x1xi64>
  %causal = graph.compare ge, %r, %i : (tensor<7x1xi64>, tensor<7xi64>) -> tensor<7x7xi1>
  %large = graph.full 9223372036854775805 : i64 -> tensor<i64>
  %sum = graph.add %i, %large : (tensor<7xi64>, tensor<i64>) -> tensor<7xi64>
  %zero = graph.full 0 : i64 -> tensor<i64>
  %wraps = graph.compare ge, %sum, %zero : (tensor<7xi64>, tensor<i64>) -> tensor<7xi1>
  %short = graph.iota 0 : i64 step 1 : i64 dim 0 -> tensor<?xi32, #sym.shape<[s0]>>
  %zero32 = graph.full 0 : i32 -> tensor<i32>
  %narrow = graph.compare ge, %short, %zero32 : (tensor<?xi32, #sym.shape<[s0]>>, tensor<i32>) -> tensor<?xi1, #sym.shape<[s0]>>
  %f = graph.full 0.0 : f32 -> tensor<f32>
  %float = graph.compare ge, %x, %f : (tensor<7xf32>, tensor<f32>) -> tensor<7xi1>
  return %causal, %wraps, %narrow, %float : tensor<7x7xi1>, tensor<7xi1>, tensor<?xi1, #sym.shape<[s0]>>, tensor<7xi1>
}

// CHECK-LABEL: @logic
// CHECK: %[[F:.*]] = graph.full false -> tensor<5xi1>
// CHECK: %[[T:.*]] = graph.full true -> tensor<5xi1>
// CHECK: %[[N:.*]] = graph.full false -> tensor<5xi1>
// CHECK: return %arg0, %[[F]], %[[T]], %arg0, %[[N]]
func.func @logic(%m: tensor<5xi1>) -> (tensor<5xi1>, tensor<5xi1>, tensor<5xi1>, tensor<5xi1>, tensor<5xi1>) {
  %t = graph.full true -> tensor<5xi1>
  %f = graph.full false -> tensor<5xi1>
  %a = graph.bitwise_and %t, %m : (tensor<5xi1>, tensor<5xi1>) -> tensor<5xi1>
  %b = graph.bitwise_and %m, %f : (tensor<5xi1>, tensor<5xi1>) -> tensor<5xi1>
  %c = graph.bitwise_or %m, %t : (tensor<5xi1>, tensor<5xi1>) -> tensor<5xi1>
  %d = graph.bitwise_or %f, %m : (tensor<5xi1>, tensor<5xi1>) -> tensor<5xi1>
  %e = graph.bitwise_not %t : (tensor<5xi1>) -> tensor<5xi1>
  return %a, %b, %c, %d, %e : tensor<5xi1>, tensor<5xi1>, tensor<5xi1>, tensor<5xi1>, tensor<5xi1>
}
