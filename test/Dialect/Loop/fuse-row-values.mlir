// Where rows are reduced, and a kernel that reads what follows for each element cannot run over the same rows, it computes
// that for itself from the operands and from what the reductions give, which is little.
// RUN: coil-opt %s --loop-fuse --cse | FileCheck %s

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"cuda" = #target.device<"cuda:sm_90a">>} {

// The norm of parts of rows, added to the rows in another space: the first kernel stores one number for each part.
// CHECK-LABEL: func.func @other_space
// CHECK: %[[N:.+]] = loop.kernel "norm" [8192, 16, 128] {{.*}} -> tensor<8192x16xf32>
// CHECK: loop.kernel "norm+add" [8192, 2048] ({{.*}} = %[[N]]{{[,)].*}} -> tensor<8192x2048xf32>
// CHECK-NOT: loop.kernel
func.func @other_space(%x: tensor<8192x2048xf32>) -> tensor<8192x2048xf32> {
  %y = loop.kernel "norm" [8192, 16, 128] (%a = %x) : (tensor<8192x2048xf32>) -> tensor<8192x16x128xf32> {
    %v = loop.load %a[d0, d1 * 128 + d2] : tensor<8192x2048xf32> -> f32
    %q = arith.mulf %v, %v : f32
    %s = loop.reduce sum %q over [2] : f32
    %r = math.sqrt %s : f32
    %n = arith.divf %v, %r : f32
    loop.store %n, 0[d0, d1, d2] : f32
  }
  %z = loop.kernel "add" [8192, 2048] (%a = %x, %b = %y) : (tensor<8192x2048xf32>, tensor<8192x16x128xf32>) -> tensor<8192x2048xf32> {
    %v = loop.load %a[d0, d1] : tensor<8192x2048xf32> -> f32
    %n = loop.load %b[d0, d1 floordiv 128, d1 mod 128] : tensor<8192x16x128xf32> -> f32
    %s = arith.addf %v, %n : f32
    loop.store %s, 0[d0, d1] : f32
  }
  return %z : tensor<8192x2048xf32>
}

// Elements at other places of the same row: one kernel, once the row's number alone is what it takes from the first.
// CHECK-LABEL: func.func @reversed
// CHECK: loop.kernel "norm+add" [8192, 512]
// CHECK: %[[S:.+]] = loop.reduce sum
// CHECK: loop.load %{{.+}}[d0, -d1 + 511]
// CHECK: arith.mulf %{{.+}}, %[[S]]
// CHECK-NOT: loop.kernel
func.func @reversed(%x: tensor<8192x512xf32>) -> tensor<8192x512xf32> {
  %t = loop.kernel "norm" [8192, 512] (%a = %x) : (tensor<8192x512xf32>) -> tensor<8192x512xf32> {
    %v = loop.load %a[d0, d1] : tensor<8192x512xf32> -> f32
    %r = loop.reduce sum %v over [1] : f32
    %y = arith.mulf %v, %r : f32
    loop.store %y, 0[d0, d1] : f32
  }
  %k = loop.kernel "add" [8192, 512] (%a = %t) : (tensor<8192x512xf32>) -> tensor<8192x512xf32> {
    %v = loop.load %a[d0, -d1 + 511] : tensor<8192x512xf32> -> f32
    %m = loop.load %a[d0, d1] : tensor<8192x512xf32> -> f32
    %y = arith.addf %v, %m : f32
    loop.store %y, 0[d0, d1] : f32
  }
  return %k : tensor<8192x512xf32>
}

// Three wide operands to be read again in place of one narrow result: it stays in memory.
// CHECK-LABEL: func.func @wide_operands
// CHECK: loop.kernel "norm" [8192, 512] {{.*}} -> tensor<8192x512xf16>
// CHECK: loop.kernel "reverse"
func.func @wide_operands(%x: tensor<8192x512xf32>, %u: tensor<8192x512xf32>, %w: tensor<8192x512xf32>) -> tensor<8192x512xf16> {
  %t = loop.kernel "norm" [8192, 512] (%a = %x, %b = %u, %c = %w) : (tensor<8192x512xf32>, tensor<8192x512xf32>, tensor<8192x512xf32>) -> tensor<8192x512xf16> {
    %v = loop.load %a[d0, d1] : tensor<8192x512xf32> -> f32
    %p = loop.load %b[d0, d1] : tensor<8192x512xf32> -> f32
    %q = loop.load %c[d0, d1] : tensor<8192x512xf32> -> f32
    %r = loop.reduce sum %v over [1] : f32
    %y = arith.mulf %p, %r : f32
    %s = arith.mulf %y, %v : f32
    %z = arith.addf %s, %q : f32
    %h = arith.truncf %z : f32 to f16
    loop.store %h, 0[d0, d1] : f16
  }
  %k = loop.kernel "reverse" [8192, 512] (%a = %t) : (tensor<8192x512xf16>) -> tensor<8192x512xf16> {
    %v = loop.load %a[d0, -d1 + 511] : tensor<8192x512xf16> -> f16
    loop.store %v, 0[d0, d1] : f16
  }
  return %k : tensor<8192x512xf16>
}

// Of 2560 columns 80 blocks would each go through all rows, and the exponential would be stored on the way. Apart, the sums
// run in chunks.
// CHECK-LABEL: func.func @columns_apart
// CHECK: loop.kernel "exp+columns" [65536, 2560] {{.*}} -> tensor<2560xf32>
// CHECK: loop.kernel "exp" [65536, 2560]
func.func @columns_apart(%x: tensor<65536x2560xf32>) -> (tensor<65536x2560xf32>, tensor<2560xf32>) {
  %e = loop.kernel "exp" [65536, 2560] (%a = %x) : (tensor<65536x2560xf32>) -> tensor<65536x2560xf32> {
    %v = loop.load %a[d0, d1] : tensor<65536x2560xf32> -> f32
    %r = math.exp %v : f32
    loop.store %r, 0[d0, d1] : f32
  }
  %c = loop.kernel "columns" [65536, 2560] (%a = %e) : (tensor<65536x2560xf32>) -> tensor<2560xf32> {
    %v = loop.load %a[d0, d1] : tensor<65536x2560xf32> -> f32
    %s = loop.reduce sum %v over [0] : f32
    loop.store %s, 0[d1] : f32
  }
  return %e, %c : tensor<65536x2560xf32>, tensor<2560xf32>
}

}
