// A long reduction to few results runs in chunks that store nothing else: what others read
// of its operands is computed again where that moves no more bytes, or stays by itself.
// RUN: coil-opt %s --loop-fuse | FileCheck %s
// RUN: coil-opt %s "--pass-pipeline=builtin.module(func.func(loop-fuse,loop-split-reduction))" | FileCheck %s --check-prefix=SPLIT
// RUN: coil-opt %s "--pass-pipeline=builtin.module(func.func(loop-fuse{enough-results=264 row-piece=32}))" | FileCheck %s --check-prefix=ROWS

// exp(x) is no wider than x: the sum and the quotient compute it, and nothing stores it.
// CHECK-LABEL: func.func @recomputed
// CHECK: %[[S:.*]] = loop.kernel "exp+sum" [2, 1048576] (%{{.*}} = %arg0)
// CHECK-SAME: -> tensor<2xf32>
// CHECK: loop.kernel "exp+div" [2, 1048576] (%{{.*}} = %arg0, %{{.*}} = %[[S]])
// CHECK-NOT: loop.kernel
// SPLIT-LABEL: func.func @recomputed
// SPLIT: loop.kernel "exp+sum_chunks"
func.func @recomputed(%x: tensor<2x1048576xf32>) -> tensor<2x1048576xf32> {
  %e = loop.kernel "exp" [2, 1048576] (%a = %x) : (tensor<2x1048576xf32>) -> tensor<2x1048576xf32> {
    %v = loop.load %a[d0, d1] : tensor<2x1048576xf32> -> f32
    %r = math.exp %v : f32
    loop.store %r, 0[d0, d1] : f32
  }
  %s = loop.kernel "sum" [2, 1048576] (%a = %e) : (tensor<2x1048576xf32>) -> tensor<2xf32> {
    %v = loop.load %a[d0, d1] : tensor<2x1048576xf32> -> f32
    %r = loop.reduce sum %v over [1] : f32
    loop.store %r, 0[d0] : f32
  }
  %y = loop.kernel "div" [2, 1048576] (%a = %e, %b = %s) : (tensor<2x1048576xf32>, tensor<2xf32>) -> tensor<2x1048576xf32> {
    %v = loop.load %a[d0, d1] : tensor<2x1048576xf32> -> f32
    %w = loop.load %b[d0] : tensor<2xf32> -> f32
    %q = arith.divf %v, %w : f32
    loop.store %q, 0[d0, d1] : f32
  }
  return %y : tensor<2x1048576xf32>
}

// From two tensors both read twice what it has, which is less than to write and to read it twice.
// CHECK-LABEL: func.func @of_two
// CHECK: loop.kernel "exp_mul+sum" [2, 1048576]
// CHECK: loop.kernel "exp_mul+div" [2, 1048576]
// CHECK-NOT: loop.kernel
func.func @of_two(%x: tensor<2x1048576xf32>, %z: tensor<2x1048576xf32>) -> tensor<2x1048576xf32> {
  %e = loop.kernel "exp_mul" [2, 1048576] (%a = %x, %b = %z) : (tensor<2x1048576xf32>, tensor<2x1048576xf32>) -> tensor<2x1048576xf32> {
    %v = loop.load %a[d0, d1] : tensor<2x1048576xf32> -> f32
    %w = loop.load %b[d0, d1] : tensor<2x1048576xf32> -> f32
    %x1 = math.exp %v : f32
    %r = arith.mulf %x1, %w : f32
    loop.store %r, 0[d0, d1] : f32
  }
  %s = loop.kernel "sum" [2, 1048576] (%a = %e) : (tensor<2x1048576xf32>) -> tensor<2xf32> {
    %v = loop.load %a[d0, d1] : tensor<2x1048576xf32> -> f32
    %r = loop.reduce sum %v over [1] : f32
    loop.store %r, 0[d0] : f32
  }
  %y = loop.kernel "div" [2, 1048576] (%a = %e, %b = %s) : (tensor<2x1048576xf32>, tensor<2xf32>) -> tensor<2x1048576xf32> {
    %v = loop.load %a[d0, d1] : tensor<2x1048576xf32> -> f32
    %w = loop.load %b[d0] : tensor<2xf32> -> f32
    %q = arith.divf %v, %w : f32
    loop.store %q, 0[d0, d1] : f32
  }
  return %y : tensor<2x1048576xf32>
}

// From four it is less to write and to read it: it stays by itself, and the sum has chunks.
// CHECK-LABEL: func.func @stays
// CHECK: %[[E:.*]] = loop.kernel "exp_mul" [2, 1048576]
// CHECK: loop.kernel "sum" [2, 1048576] (%{{.*}} = %[[E]])
// CHECK-SAME: -> tensor<2xf32>
// CHECK: loop.kernel "div"
// SPLIT-LABEL: func.func @stays
// SPLIT: loop.kernel "sum_chunks"
func.func @stays(%x: tensor<2x1048576xf32>, %z: tensor<2x1048576xf32>, %w0: tensor<2x1048576xf32>, %w1: tensor<2x1048576xf32>) -> tensor<2x1048576xf32> {
  %e = loop.kernel "exp_mul" [2, 1048576] (%a = %x, %b = %z, %c = %w0, %d = %w1) : (tensor<2x1048576xf32>, tensor<2x1048576xf32>, tensor<2x1048576xf32>, tensor<2x1048576xf32>) -> tensor<2x1048576xf32> {
    %v = loop.load %a[d0, d1] : tensor<2x1048576xf32> -> f32
    %w = loop.load %b[d0, d1] : tensor<2x1048576xf32> -> f32
    %u = loop.load %c[d0, d1] : tensor<2x1048576xf32> -> f32
    %t = loop.load %d[d0, d1] : tensor<2x1048576xf32> -> f32
    %x1 = math.powf %v, %t : f32
    %r0 = arith.mulf %x1, %w : f32
    %r = arith.mulf %r0, %u : f32
    loop.store %r, 0[d0, d1] : f32
  }
  %s = loop.kernel "sum" [2, 1048576] (%a = %e) : (tensor<2x1048576xf32>) -> tensor<2xf32> {
    %v = loop.load %a[d0, d1] : tensor<2x1048576xf32> -> f32
    %r = loop.reduce sum %v over [1] : f32
    loop.store %r, 0[d0] : f32
  }
  %y = loop.kernel "div" [2, 1048576] (%a = %e, %b = %s) : (tensor<2x1048576xf32>, tensor<2xf32>) -> tensor<2x1048576xf32> {
    %v = loop.load %a[d0, d1] : tensor<2x1048576xf32> -> f32
    %w = loop.load %b[d0] : tensor<2xf32> -> f32
    %q = arith.divf %v, %w : f32
    loop.store %q, 0[d0, d1] : f32
  }
  return %y : tensor<2x1048576xf32>
}

// Kernels that reduce over different dimensions are not merged: the sum over columns computes its product itself,
// and the kernel of rows, which has other results, does not write it.
// CHECK-LABEL: func.func @rows_and_columns
// CHECK-DAG: loop.kernel "mul+sum+sub" [131072, 64] (%{{.*}} = %arg0, %{{.*}} = %arg1) : {{.*}} -> tensor<131072x64xf16>
// CHECK-DAG: loop.kernel "mul+sum+sub" [131072, 64] (%{{.*}} = %arg0, %{{.*}} = %arg1) : {{.*}} -> tensor<64xf32>
// CHECK-NOT: loop.kernel
func.func @rows_and_columns(%x: tensor<131072x64xf16>, %z: tensor<131072x64xf16>) -> (tensor<131072x64xf16>, tensor<64xf32>) {
  %p = loop.kernel "mul" [131072, 64] (%a = %x, %b = %z) : (tensor<131072x64xf16>, tensor<131072x64xf16>) -> tensor<131072x64xf32> {
    %v = loop.load %a[d0, d1] : tensor<131072x64xf16> -> f16
    %w = loop.load %b[d0, d1] : tensor<131072x64xf16> -> f16
    %v1 = arith.extf %v : f16 to f32
    %w1 = arith.extf %w : f16 to f32
    %r = arith.mulf %v1, %w1 : f32
    loop.store %r, 0[d0, d1] : f32
  }
  %s = loop.kernel "sum" [131072, 64] (%a = %p) : (tensor<131072x64xf32>) -> tensor<131072xf32> {
    %v = loop.load %a[d0, d1] : tensor<131072x64xf32> -> f32
    %r = loop.reduce sum %v over [1] : f32
    loop.store %r, 0[d0] : f32
  }
  %q = loop.kernel "sub" [131072, 64] (%a = %p, %b = %s) : (tensor<131072x64xf32>, tensor<131072xf32>) -> tensor<131072x64xf16> {
    %v = loop.load %a[d0, d1] : tensor<131072x64xf32> -> f32
    %w = loop.load %b[d0] : tensor<131072xf32> -> f32
    %d = arith.subf %v, %w : f32
    %r = arith.truncf %d : f32 to f16
    loop.store %r, 0[d0, d1] : f16
  }
  %c = loop.kernel "sum" [131072, 64] (%a = %p) : (tensor<131072x64xf32>) -> tensor<64xf32> {
    %v = loop.load %a[d0, d1] : tensor<131072x64xf32> -> f32
    %r = loop.reduce sum %v over [0] : f32
    loop.store %r, 0[d1] : f32
  }
  return %q, %c : tensor<131072x64xf16>, tensor<64xf32>
}

// A reduction of rows that are many keeps it, and reads memory once.
// CHECK-LABEL: func.func @kept
// CHECK: loop.kernel "exp+sum+div" [1024, 1048576]
func.func @kept(%x: tensor<1024x1048576xf32>) -> tensor<1024x1048576xf32> {
  %e = loop.kernel "exp" [1024, 1048576] (%a = %x) : (tensor<1024x1048576xf32>) -> tensor<1024x1048576xf32> {
    %v = loop.load %a[d0, d1] : tensor<1024x1048576xf32> -> f32
    %r = math.exp %v : f32
    loop.store %r, 0[d0, d1] : f32
  }
  %s = loop.kernel "sum" [1024, 1048576] (%a = %e) : (tensor<1024x1048576xf32>) -> tensor<1024xf32> {
    %v = loop.load %a[d0, d1] : tensor<1024x1048576xf32> -> f32
    %r = loop.reduce sum %v over [1] : f32
    loop.store %r, 0[d0] : f32
  }
  %y = loop.kernel "div" [1024, 1048576] (%a = %e, %b = %s) : (tensor<1024x1048576xf32>, tensor<1024xf32>) -> tensor<1024x1048576xf32> {
    %v = loop.load %a[d0, d1] : tensor<1024x1048576xf32> -> f32
    %w = loop.load %b[d0] : tensor<1024xf32> -> f32
    %q = arith.divf %v, %w : f32
    loop.store %q, 0[d0, d1] : f32
  }
  return %y : tensor<1024x1048576xf32>
}

// Columns that share rows are one task's together: 512 of them are 16 tasks, too few for a GPU, so that their maximum is
// reduced in chunks before the sum; what both read is computed by both. 4096 are enough tasks, as are 512 of few rows.
// CHECK-LABEL: func.func @few_columns
// CHECK: loop.kernel "{{.*}}" [512, 65536]
// CHECK-NOT: loop.kernel
// ROWS-LABEL: func.func @few_columns
// ROWS: %[[M:.*]] = loop.kernel "abs+max" {{.*}}(%{{.*}} = %arg0)
// ROWS: loop.kernel "{{.*}}sum" {{.*}}%arg0{{.*}}%[[M]]
// ROWS-NOT: loop.kernel
func.func @few_columns(%x: tensor<65536x512xf32>) -> tensor<512xf32> {
  %e = loop.kernel "abs" [65536, 512] (%a = %x) : (tensor<65536x512xf32>) -> tensor<65536x512xf32> {
    %v = loop.load %a[d0, d1] : tensor<65536x512xf32> -> f32
    %r = math.absf %v : f32
    loop.store %r, 0[d0, d1] : f32
  }
  %m = loop.kernel "max" [512, 65536] (%a = %e) : (tensor<65536x512xf32>) -> tensor<512xf32> {
    %v = loop.load %a[d1, d0] : tensor<65536x512xf32> -> f32
    %r = loop.reduce max %v over [1] : f32
    loop.store %r, 0[d0] : f32
  }
  %s = loop.kernel "sum" [512, 65536] (%a = %e, %b = %m) : (tensor<65536x512xf32>, tensor<512xf32>) -> tensor<512xf32> {
    %v = loop.load %a[d1, d0] : tensor<65536x512xf32> -> f32
    %w = loop.load %b[d0] : tensor<512xf32> -> f32
    %d = arith.subf %v, %w : f32
    %x1 = arith.mulf %d, %d : f32
    %r = loop.reduce sum %x1 over [1] : f32
    loop.store %r, 0[d0] : f32
  }
  return %s : tensor<512xf32>
}

// CHECK-LABEL: func.func @many_columns
// ROWS-LABEL: func.func @many_columns
// ROWS: loop.kernel
// ROWS-NOT: loop.kernel
func.func @many_columns(%x: tensor<65536x4096xf32>) -> tensor<4096xf32> {
  %m = loop.kernel "max" [4096, 65536] (%a = %x) : (tensor<65536x4096xf32>) -> tensor<4096xf32> {
    %v = loop.load %a[d1, d0] : tensor<65536x4096xf32> -> f32
    %r = loop.reduce max %v over [1] : f32
    loop.store %r, 0[d0] : f32
  }
  %s = loop.kernel "sum" [4096, 65536] (%a = %x, %b = %m) : (tensor<65536x4096xf32>, tensor<4096xf32>) -> tensor<4096xf32> {
    %v = loop.load %a[d1, d0] : tensor<65536x4096xf32> -> f32
    %w = loop.load %b[d0] : tensor<4096xf32> -> f32
    %d = arith.subf %v, %w : f32
    %r = loop.reduce sum %d over [1] : f32
    loop.store %r, 0[d0] : f32
  }
  return %s : tensor<4096xf32>
}

// CHECK-LABEL: func.func @few_rows
// ROWS-LABEL: func.func @few_rows
// ROWS: loop.kernel
// ROWS-NOT: loop.kernel
func.func @few_rows(%x: tensor<4096x512xf32>) -> tensor<512xf32> {
  %m = loop.kernel "max" [512, 4096] (%a = %x) : (tensor<4096x512xf32>) -> tensor<512xf32> {
    %v = loop.load %a[d1, d0] : tensor<4096x512xf32> -> f32
    %r = loop.reduce max %v over [1] : f32
    loop.store %r, 0[d0] : f32
  }
  %s = loop.kernel "sum" [512, 4096] (%a = %x, %b = %m) : (tensor<4096x512xf32>, tensor<512xf32>) -> tensor<512xf32> {
    %v = loop.load %a[d1, d0] : tensor<4096x512xf32> -> f32
    %w = loop.load %b[d0] : tensor<512xf32> -> f32
    %d = arith.subf %v, %w : f32
    %r = loop.reduce sum %d over [1] : f32
    loop.store %r, 0[d0] : f32
  }
  return %s : tensor<512xf32>
}

// A reader that computes the producer again leaves it to the reduction, which was refused before.
// CHECK-LABEL: func.func @left_to_the_reduction
// ROWS-LABEL: func.func @left_to_the_reduction
// CHECK: %[[M:.*]] = loop.kernel "add+max" [4, 161507] (%{{.*}} = %arg0)
// CHECK-SAME: -> tensor<1x1xf32>
// CHECK: loop.kernel "add+sub" [4, 161507] (%{{.*}} = %arg0, %{{.*}} = %[[M]])
// CHECK-NOT: loop.kernel
func.func @left_to_the_reduction(%x: tensor<4x161507xbf16>) -> tensor<4x161507xbf16> {
  %t = loop.kernel "add" [4, 161507] (%a = %x) : (tensor<4x161507xbf16>) -> tensor<4x161507xbf16> {
    %one = arith.constant 1.25 : f32
    %v = loop.load %a[d0, d1] : tensor<4x161507xbf16> -> bf16
    %e = arith.extf %v : bf16 to f32
    %s = arith.addf %e, %one : f32
    %r = arith.truncf %s : f32 to bf16
    loop.store %r, 0[d0, d1] : bf16
  }
  %m = loop.kernel "max" [4, 161507] (%a = %t) : (tensor<4x161507xbf16>) -> tensor<1x1xf32> {
    %v = loop.load %a[d0, d1] : tensor<4x161507xbf16> -> bf16
    %e = arith.extf %v : bf16 to f32
    %r = loop.reduce max %e over [0, 1] : f32
    loop.store %r, 0[0, 0] : f32
  }
  %y = loop.kernel "sub" [4, 161507] (%a = %t, %b = %m) : (tensor<4x161507xbf16>, tensor<1x1xf32>) -> tensor<4x161507xbf16> {
    %v = loop.load %a[d0, d1] : tensor<4x161507xbf16> -> bf16
    %e = arith.extf %v : bf16 to f32
    %w = loop.load %b[0, 0] : tensor<1x1xf32> -> f32
    %d = arith.subf %e, %w : f32
    %r = arith.truncf %d : f32 to bf16
    loop.store %r, 0[d0, d1] : bf16
  }
  return %y : tensor<4x161507xbf16>
}

// What the chunks of a sum take, the squares, is not stored for their sake beside what others read of it.
// CHECK-LABEL: func.func @squares
// CHECK: %[[T:.*]] = loop.kernel "rsqrt" [3, 1746686] (%{{.*}} = %arg0)
// CHECK-SAME: -> tensor<3x1746686xbf16>
// CHECK: %[[S:.*]] = loop.kernel "mul+sum" [3, 1746686] (%{{.*}} = %[[T]])
// CHECK-SAME: -> tensor<3xf32>
// CHECK: loop.kernel "{{.*}}div" [3, 1746686] ({{.*}} = %[[S]])
// CHECK-NOT: loop.kernel
func.func @squares(%x: tensor<3x1746686xbf16>) -> (tensor<3x1746686xbf16>, tensor<3x1746686xbf16>) {
  %t = loop.kernel "rsqrt" [3, 1746686] (%a = %x) : (tensor<3x1746686xbf16>) -> tensor<3x1746686xbf16> {
    %one = arith.constant 1.0 : f32
    %v = loop.load %a[d0, d1] : tensor<3x1746686xbf16> -> bf16
    %e = arith.extf %v : bf16 to f32
    %q = math.sqrt %e : f32
    %s = arith.divf %one, %q : f32
    %r = arith.truncf %s : f32 to bf16
    loop.store %r, 0[d0, d1] : bf16
  }
  %p = loop.kernel "mul" [3, 1746686] (%a = %t) : (tensor<3x1746686xbf16>) -> tensor<3x1746686xf32> {
    %v = loop.load %a[d0, d1] : tensor<3x1746686xbf16> -> bf16
    %e = arith.extf %v : bf16 to f32
    %r = arith.mulf %e, %e : f32
    loop.store %r, 0[d0, d1] : f32
  }
  %m = loop.kernel "sum" [3, 1746686] (%a = %p) : (tensor<3x1746686xf32>) -> tensor<3xf32> {
    %v = loop.load %a[d0, d1] : tensor<3x1746686xf32> -> f32
    %r = loop.reduce sum %v over [1] : f32
    loop.store %r, 0[d0] : f32
  }
  %y = loop.kernel "div" [3, 1746686] (%a = %t, %b = %m) : (tensor<3x1746686xbf16>, tensor<3xf32>) -> tensor<3x1746686xbf16> {
    %v = loop.load %a[d0, d1] : tensor<3x1746686xbf16> -> bf16
    %e = arith.extf %v : bf16 to f32
    %w = loop.load %b[d0] : tensor<3xf32> -> f32
    %d = arith.divf %e, %w : f32
    %r = arith.truncf %d : f32 to bf16
    loop.store %r, 0[d0, d1] : bf16
  }
  return %y, %t : tensor<3x1746686xbf16>, tensor<3x1746686xbf16>
}
