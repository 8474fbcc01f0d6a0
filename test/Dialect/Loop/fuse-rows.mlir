// A long reduction to few results is made row by row where its operand is computed, when that is in memory for nothing else or
// is read for nothing else, and its rows keep the target busy.
// RUN: coil-opt %s --loop-fuse-rows --remarks-filter=loop-fuse --remark-policy=all 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=WHY --input-file=%t
// Cores find in their caches what the kernel before has written:
// RUN: sed 's/<"cuda" = /<"cpu" = /; s/cuda:sm_90a/cpu:x86-64-v3/' %s | coil-opt --loop-fuse-rows | FileCheck %s --check-prefix=CPU

// WHY: fused: rows of 'reduce_sum' into 'exp_mul'
// WHY: fused: rows of 'reduce_max' into 'norm'
// WHY: not fused: rows of 'reduce_sum' into 'small': it would save

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"cuda" = #target.device<"cuda:sm_90a">>} {

// CHECK-LABEL: func.func @two_results
// CHECK: %[[K:.+]]:2 = loop.kernel "exp_mul+reduce_sum_rows" [8192, 512] (%{{.+}} = %{{.+}}) : (tensor<8192x512xf32>) -> (tensor<8192xf32>, tensor<8192x512xf32>)
// CHECK: loop.reduce sum %{{.+}} over [1] : f32
// CHECK: loop.kernel "reduce_sum" [8192] (%{{.+}} = %[[K]]#0)
// CHECK: loop.reduce sum %{{.+}} over [0] : f32
// CHECK: math.sqrt
// CPU-LABEL: func.func @two_results
// CPU: loop.kernel "exp_mul" [8192, 512]
// CPU: loop.kernel "reduce_sum" [8192, 512]
func.func @two_results(%x: tensor<8192x512xf32>) -> (tensor<8192x512xf32>, tensor<f32>) {
  %y, %z = loop.kernel "exp_mul" [8192, 512] (%a = %x) : (tensor<8192x512xf32>) -> (tensor<8192x512xf32>, tensor<8192x512xf32>) {
    %v = loop.load %a[d0, d1] : tensor<8192x512xf32> -> f32
    %e = math.exp %v : f32
    %m = arith.mulf %e, %v : f32
    loop.store %e, 0[d0, d1] : f32
    loop.store %m, 1[d0, d1] : f32
  }
  %s = loop.kernel "reduce_sum" [8192, 512] (%a = %z) : (tensor<8192x512xf32>) -> tensor<f32> {
    %v = loop.load %a[d0, d1] : tensor<8192x512xf32> -> f32
    %r = loop.reduce sum %v over [0, 1] : f32
    %q = math.sqrt %r : f32
    loop.store %q, 0[] : f32
  }
  return %y, %s : tensor<8192x512xf32>, tensor<f32>
}

// A row is what the producer reduces, however long it is.
// CHECK-LABEL: func.func @rows_of_a_norm
// CHECK: loop.kernel "norm+reduce_max_rows" [16384, 32] {{.*}} -> tensor<16384xf32>
// CHECK: loop.kernel "reduce_max" [16384]
func.func @rows_of_a_norm(%x: tensor<16384x32xf32>) -> tensor<f32> {
  %y = loop.kernel "norm" [16384, 32] (%a = %x) : (tensor<16384x32xf32>) -> tensor<16384x32xf32> {
    %v = loop.load %a[d0, d1] : tensor<16384x32xf32> -> f32
    %m = loop.reduce sum %v over [1] : f32
    %e = arith.divf %v, %m : f32
    loop.store %e, 0[d0, d1] : f32
  }
  %s = loop.kernel "reduce_max" [16384, 32] (%a = %y) : (tensor<16384x32xf32>) -> tensor<f32> {
    %v = loop.load %a[d0, d1] : tensor<16384x32xf32> -> f32
    %r = loop.reduce max %v over [0, 1] : f32
    loop.store %r, 0[] : f32
  }
  return %s : tensor<f32>
}

// What is read beside it is most of the bytes.
// CHECK-LABEL: func.func @little_saved
// CHECK: loop.kernel "small" [8192, 512]
// CHECK: loop.kernel "reduce_sum" [8192, 512]
func.func @little_saved(%x: tensor<8192x512xi8>, %w: tensor<8192x512xf64>) -> (tensor<8192x512xi8>, tensor<f64>) {
  %y = loop.kernel "small" [8192, 512] (%a = %x) : (tensor<8192x512xi8>) -> tensor<8192x512xi8> {
    %v = loop.load %a[d0, d1] : tensor<8192x512xi8> -> i8
    %m = arith.muli %v, %v : i8
    loop.store %m, 0[d0, d1] : i8
  }
  %s = loop.kernel "reduce_sum" [8192, 512] (%a = %y, %b = %w) : (tensor<8192x512xi8>, tensor<8192x512xf64>) -> tensor<f64> {
    %v = loop.load %a[d0, d1] : tensor<8192x512xi8> -> i8
    %f = arith.sitofp %v : i8 to f64
    %u = loop.load %b[d0, d1] : tensor<8192x512xf64> -> f64
    %p = arith.mulf %f, %u : f64
    %r = loop.reduce sum %p over [0, 1] : f64
    loop.store %r, 0[] : f64
  }
  return %y, %s : tensor<8192x512xi8>, tensor<f64>
}

// (C1) The second reduction needs the first one.
// CHECK-LABEL: func.func @needs_another
// CHECK: loop.kernel "exp_mul" [8192, 512]
// CHECK: loop.kernel "variance" [8192, 512]
func.func @needs_another(%x: tensor<8192x512xf32>) -> (tensor<8192x512xf32>, tensor<f32>) {
  %y, %z = loop.kernel "exp_mul" [8192, 512] (%a = %x) : (tensor<8192x512xf32>) -> (tensor<8192x512xf32>, tensor<8192x512xf32>) {
    %v = loop.load %a[d0, d1] : tensor<8192x512xf32> -> f32
    %e = math.exp %v : f32
    %m = arith.mulf %e, %v : f32
    loop.store %e, 0[d0, d1] : f32
    loop.store %m, 1[d0, d1] : f32
  }
  %s = loop.kernel "variance" [8192, 512] (%a = %z) : (tensor<8192x512xf32>) -> tensor<f32> {
    %v = loop.load %a[d0, d1] : tensor<8192x512xf32> -> f32
    %r = loop.reduce sum %v over [0, 1] : f32
    %d = arith.subf %v, %r : f32
    %q = loop.reduce sum %d over [0, 1] : f32
    loop.store %q, 0[] : f32
  }
  return %y, %s : tensor<8192x512xf32>, tensor<f32>
}

// (C2) 512 rows are less than four for each of 264 results that keep 132 multiprocessors busy: what the chunks of the sum store.
// CHECK-LABEL: func.func @few_rows
// CHECK: loop.kernel "exp_mul+reduce_sum" [512, 8192]
// CHECK-NOT: loop.kernel
func.func @few_rows(%x: tensor<512x8192xf32>) -> (tensor<512x8192xf32>, tensor<f32>) {
  %y, %z = loop.kernel "exp_mul" [512, 8192] (%a = %x) : (tensor<512x8192xf32>) -> (tensor<512x8192xf32>, tensor<512x8192xf32>) {
    %v = loop.load %a[d0, d1] : tensor<512x8192xf32> -> f32
    %e = math.exp %v : f32
    %m = arith.mulf %e, %v : f32
    loop.store %e, 0[d0, d1] : f32
    loop.store %m, 1[d0, d1] : f32
  }
  %s = loop.kernel "reduce_sum" [512, 8192] (%a = %z) : (tensor<512x8192xf32>) -> tensor<f32> {
    %v = loop.load %a[d0, d1] : tensor<512x8192xf32> -> f32
    %r = loop.reduce sum %v over [0, 1] : f32
    loop.store %r, 0[] : f32
  }
  return %y, %s : tensor<512x8192xf32>, tensor<f32>
}

// (C2) It reads other points than the producer's.
// CHECK-LABEL: func.func @other_points
// CHECK: loop.kernel "exp_mul" [8192, 512]
// CHECK: loop.kernel "reduce_sum" [8192, 511]
func.func @other_points(%x: tensor<8192x512xf32>) -> (tensor<8192x512xf32>, tensor<f32>) {
  %y, %z = loop.kernel "exp_mul" [8192, 512] (%a = %x) : (tensor<8192x512xf32>) -> (tensor<8192x512xf32>, tensor<8192x512xf32>) {
    %v = loop.load %a[d0, d1] : tensor<8192x512xf32> -> f32
    %e = math.exp %v : f32
    %m = arith.mulf %e, %v : f32
    loop.store %e, 0[d0, d1] : f32
    loop.store %m, 1[d0, d1] : f32
  }
  %s = loop.kernel "reduce_sum" [8192, 511] (%a = %z) : (tensor<8192x512xf32>) -> tensor<f32> {
    %v = loop.load %a[d0, d1 + 1] : tensor<8192x512xf32> -> f32
    %r = loop.reduce sum %v over [0, 1] : f32
    loop.store %r, 0[] : f32
  }
  return %y, %s : tensor<8192x512xf32>, tensor<f32>
}

// Two rows are too few for a block each. The maximum runs in chunks of one length, and stores the exponentials that others read.
// WHY: fused: 'exp' into the chunks of 'max'
// CPU-LABEL: func.func @elements
// CPU: loop.kernel "exp"
// CPU: loop.kernel "max"
// CHECK-LABEL: func.func @elements
// CHECK: %[[E:.*]]:2 = loop.kernel "exp+max" [2, 1048576]
// CHECK-SAME: -> (tensor<2xf32>, tensor<2x1048576xf32>)
// CHECK-NOT: loop.kernel
// CHECK: return %[[E]]#1, %[[E]]#0
func.func @elements(%x: tensor<2x1048576xf32>) -> (tensor<2x1048576xf32>, tensor<2xf32>) {
  %e = loop.kernel "exp" [2, 1048576] (%a = %x) : (tensor<2x1048576xf32>) -> tensor<2x1048576xf32> {
    %v = loop.load %a[d0, d1] : tensor<2x1048576xf32> -> f32
    %u = math.exp %v : f32
    loop.store %u, 0[d0, d1] : f32
  }
  %s = loop.kernel "max" [2, 1048576] (%a = %e) : (tensor<2x1048576xf32>) -> tensor<2xf32> {
    %v = loop.load %a[d0, d1] : tensor<2x1048576xf32> -> f32
    %r = loop.reduce max %v over [1] : f32
    loop.store %r, 0[d0] : f32
  }
  return %e, %s : tensor<2x1048576xf32>, tensor<2xf32>
}

// (C3) 1,048,573 is a prime: chunks have different lengths.
// CHECK-LABEL: func.func @prime
// CHECK: loop.kernel "exp"
// CHECK: loop.kernel "max"
func.func @prime(%x: tensor<2x1048573xf32>) -> (tensor<2x1048573xf32>, tensor<2xf32>) {
  %e = loop.kernel "exp" [2, 1048573] (%a = %x) : (tensor<2x1048573xf32>) -> tensor<2x1048573xf32> {
    %v = loop.load %a[d0, d1] : tensor<2x1048573xf32> -> f32
    %u = math.exp %v : f32
    loop.store %u, 0[d0, d1] : f32
  }
  %s = loop.kernel "max" [2, 1048573] (%a = %e) : (tensor<2x1048573xf32>) -> tensor<2xf32> {
    %v = loop.load %a[d0, d1] : tensor<2x1048573xf32> -> f32
    %r = loop.reduce max %v over [1] : f32
    loop.store %r, 0[d0] : f32
  }
  return %e, %s : tensor<2x1048573xf32>, tensor<2xf32>
}

}
