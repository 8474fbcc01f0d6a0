// A maximum and the sum of exponentials below it are found by one pass over the elements: in chunks, of which each
// has a maximum of its own, and a second kernel scales their sums to the maximum of all.
// RUN: coil-opt %s "--pass-pipeline=builtin.module(func.func(loop-fuse,loop-simplify-index,cse,loop-split-reduction{chunks=64}))" | FileCheck %s

// CHECK-LABEL: func.func @below_maximum
// CHECK: %[[P:.*]]:2 = loop.kernel {{.*}}_chunks
// CHECK-NEXT: %[[X:.*]] = loop.load
// CHECK-NEXT: %[[M:.*]] = loop.reduce max %[[X]]
// CHECK: %[[MINUS:.*]] = arith.constant 0xFF800000
// CHECK: %[[EMPTY:.*]] = arith.cmpf oeq, %[[M]], %[[MINUS]]
// CHECK: %[[BASE:.*]] = arith.select %[[EMPTY]], %{{.*}}, %[[M]]
// CHECK: %[[D:.*]] = arith.subf %[[X]], %[[BASE]]
// CHECK: %[[E:.*]] = math.exp %[[D]]
// CHECK: loop.reduce sum %[[E]]
// CHECK: loop.kernel {{.*}} (%{{.*}} = %[[P]]#0, %{{.*}} = %[[P]]#1)
// CHECK-NEXT: %[[PM:.*]] = loop.load
// CHECK: %[[ALL:.*]] = loop.reduce max %[[PM]]
// CHECK: %[[PS:.*]] = loop.load
// CHECK: %[[PD:.*]] = arith.subf %[[PM]], %[[ALL]]
// CHECK: %[[SCALE:.*]] = math.exp %[[PD]]
// CHECK: %[[SCALED:.*]] = arith.mulf %[[PS]], %[[SCALE]]
// CHECK: loop.reduce sum %[[SCALED]]
// CHECK-NOT: loop.kernel
func.func @below_maximum(%x: tensor<2x1048576xf32>) -> tensor<2xf32> {
  %m = loop.kernel "max" [2, 1048576] (%a = %x) : (tensor<2x1048576xf32>) -> tensor<2xf32> {
    %v = loop.load %a[d0, d1] : tensor<2x1048576xf32> -> f32
    %r = loop.reduce max %v over [1] : f32
    loop.store %r, 0[d0] : f32
  }
  %s = loop.kernel "sum" [2, 1048576] (%a = %x, %b = %m) : (tensor<2x1048576xf32>, tensor<2xf32>) -> tensor<2xf32> {
    %v = loop.load %a[d0, d1] : tensor<2x1048576xf32> -> f32
    %w = loop.load %b[d0] : tensor<2xf32> -> f32
    %d = arith.subf %v, %w : f32
    %e = math.exp %d : f32
    %r = loop.reduce sum %e over [1] : f32
    loop.store %r, 0[d0] : f32
  }
  return %s : tensor<2xf32>
}

// What counts as zero where it is infinite, as logsumexp has it, does so in chunks, too. The logarithm, which follows
// for each result, is computed after the chunks.
// CHECK-LABEL: func.func @logsumexp
// CHECK: loop.kernel {{.*}}_chunks
// CHECK: %[[M:.*]] = loop.reduce max
// CHECK: %[[ABS:.*]] = math.absf %[[M]]
// CHECK: arith.cmpf oeq, %[[ABS]]
// CHECK: loop.reduce sum
// CHECK: loop.kernel
// CHECK: loop.reduce max
// CHECK: loop.reduce sum
// CHECK: math.log
// CHECK-NOT: loop.kernel
func.func @logsumexp(%x: tensor<2x1048576xf32>) -> tensor<2xf32> {
  %m = loop.kernel "max" [2, 1048576] (%a = %x) : (tensor<2x1048576xf32>) -> tensor<2xf32> {
    %v = loop.load %a[d0, d1] : tensor<2x1048576xf32> -> f32
    %r = loop.reduce max %v over [1] : f32
    loop.store %r, 0[d0] : f32
  }
  %s = loop.kernel "sum" [2, 1048576] (%a = %x, %b = %m) : (tensor<2x1048576xf32>, tensor<2xf32>) -> tensor<2xf32> {
    %zero = arith.constant 0.0 : f32
    %infinity = arith.constant 0x7F800000 : f32
    %v = loop.load %a[d0, d1] : tensor<2x1048576xf32> -> f32
    %w = loop.load %b[d0] : tensor<2xf32> -> f32
    %u = math.absf %w : f32
    %c = arith.cmpf oeq, %u, %infinity : f32
    %base = arith.select %c, %zero, %w : f32
    %d = arith.subf %v, %base : f32
    %e = math.exp %d : f32
    %r = loop.reduce sum %e over [1] : f32
    loop.store %r, 0[d0] : f32
  }
  %y = loop.kernel "log" [2] (%a = %s) : (tensor<2xf32>) -> tensor<2xf32> {
    %v = loop.load %a[d0] : tensor<2xf32> -> f32
    %r = math.log %v : f32
    loop.store %r, 0[d0] : f32
  }
  return %y : tensor<2xf32>
}

// A sum of squares below a maximum cannot be scaled: both have kernels of their own.
// CHECK-LABEL: func.func @squares_stay
// CHECK: loop.kernel "max_chunks"
// CHECK: loop.kernel "max"
// CHECK: loop.kernel "squares_chunks"
// CHECK: loop.kernel "squares"
// CHECK-NOT: loop.kernel
func.func @squares_stay(%x: tensor<2x1048576xf32>) -> tensor<2xf32> {
  %m = loop.kernel "max" [2, 1048576] (%a = %x) : (tensor<2x1048576xf32>) -> tensor<2xf32> {
    %v = loop.load %a[d0, d1] : tensor<2x1048576xf32> -> f32
    %r = loop.reduce max %v over [1] : f32
    loop.store %r, 0[d0] : f32
  }
  %s = loop.kernel "squares" [2, 1048576] (%a = %x, %b = %m) : (tensor<2x1048576xf32>, tensor<2xf32>) -> tensor<2xf32> {
    %v = loop.load %a[d0, d1] : tensor<2x1048576xf32> -> f32
    %w = loop.load %b[d0] : tensor<2xf32> -> f32
    %d = arith.subf %v, %w : f32
    %e = arith.mulf %d, %d : f32
    %r = loop.reduce sum %e over [1] : f32
    loop.store %r, 0[d0] : f32
  }
  return %s : tensor<2xf32>
}
