// RUN: coil-opt %s | coil-opt | FileCheck %s
// RUN: coil-opt %s --mlir-print-op-generic | coil-opt | FileCheck %s

!in = tensor<?x1024xf32, #sym.shape<[s0, 1024]>>

// CHECK-LABEL: @softmax
func.func @softmax(%x: !in) -> !in attributes {sym.symbols = {s0 = #sym.range<1, 64>}} {
  // CHECK: loop.kernel "softmax" [s0, 1024] (%[[A:.+]] = %{{.+}}) : (tensor<?x1024xf32, #sym.shape<[s0, 1024]>>) -> tensor<?x1024xf32, #sym.shape<[s0, 1024]>> {
  %y = loop.kernel "softmax" [s0, 1024] (%a = %x) : (!in) -> !in {
    // CHECK: %[[V:.+]] = loop.load %[[A]][d0, d1] : tensor<?x1024xf32, #sym.shape<[s0, 1024]>> -> f32
    %v = loop.load %a[d0, d1] : !in -> f32
    // CHECK: loop.reduce max %[[V]] over [1] : f32
    %m = loop.reduce max %v over [1] : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d : f32
    %s = loop.reduce sum %e over [1] : f32
    %q = arith.divf %e, %s : f32
    // CHECK: loop.store %{{.+}}, 0[d0, d1] : f32
    loop.store %q, 0 [d0, d1] : f32
  }
  return %y : !in
}

// CHECK-LABEL: @gather_with_mask
func.func @gather_with_mask(%x: tensor<128x16xf32>, %i: tensor<8xi64>) -> tensor<8x16xf32> {
  // CHECK: schedule<vector_dim = 1, vector_width = 16, unroll = 2, block = 16, grain = 4>
  %y = loop.kernel "gather" [8, 16] (%a = %x, %b = %i) : (tensor<128x16xf32>, tensor<8xi64>) -> tensor<8x16xf32>
      schedule<vector_dim = 1, vector_width = 16, unroll = 2, block = 16, grain = 4> {
    %p = loop.load %b[d0] : tensor<8xi64> -> i64
    %k = loop.index <d1>
    %c = arith.constant 3 : i64
    %z = arith.constant 0.0 : f32
    %m = arith.cmpi slt, %k, %c : i64
    // CHECK: loop.load %{{.+}}[t0, d1](%{{.+}}) bounds wrap_check mask %{{.+}} else %{{.+}} : f32 : tensor<128x16xf32> -> f32
    %v = loop.load %a[t0, d1](%p) bounds wrap_check mask %m else %z : f32 : tensor<128x16xf32> -> f32
    // CHECK: loop.special lgamma(%{{.+}}) : f32
    %g = loop.special lgamma(%v) : f32
    loop.store %g, 0 [d0, d1] : f32
  }
  return %y : tensor<8x16xf32>
}

// CHECK-LABEL: @argmax_and_view
func.func @argmax_and_view(%x: tensor<4x6xf32>) -> (tensor<6xf32>, tensor<6xi64>) {
  // CHECK: loop.view %{{.+}}[d1, d0] : tensor<4x6xf32> -> tensor<6x4xf32>
  %t = loop.view %x[d1, d0] : tensor<4x6xf32> -> tensor<6x4xf32>
  %y:2 = loop.kernel "argmax" [6, 4] (%a = %t) : (tensor<6x4xf32>) -> (tensor<6xf32>, tensor<6xi64>) {
    %v = loop.load %a[d0, d1] : tensor<6x4xf32> -> f32
    %p = loop.index <d1>
    // CHECK: loop.arg_reduce max %{{.+}} at %{{.+}} over [1] : f32
    %m, %w = loop.arg_reduce max %v at %p over [1] : f32
    loop.store %m, 0 [d0] : f32
    loop.store %w, 1 [d0] : i64
  }
  return %y#0, %y#1 : tensor<6xf32>, tensor<6xi64>
}

// CHECK-LABEL: @philox
func.func @philox(%s: tensor<2xi64>) -> tensor<4xi32> {
  %y = loop.kernel "random" [4] (%a = %s) : (tensor<2xi64>) -> tensor<4xi32> {
    %k = loop.load %a[0] : tensor<2xi64> -> i64
    %c = loop.load %a[1] : tensor<2xi64> -> i64
    %w = loop.index <d0>
    // CHECK: loop.philox %{{.+}}, %{{.+}}, %{{.+}}
    %r = loop.philox %k, %c, %w
    loop.store %r, 0 [d0] : i32
  }
  return %y : tensor<4xi32>
}

// CHECK-LABEL: @moments
func.func @moments(%x: tensor<4x6xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y:2 = loop.kernel "welford" [4, 6] (%a = %x) : (tensor<4x6xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %v = loop.load %a[d0, d1] : tensor<4x6xf32> -> f32
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    // CHECK: loop.welford %{{.+}}, %{{.+}}, %{{.+}} over [1] : f32
    %m, %s, %n = loop.welford %v, %zero, %one over [1] : f32
    // CHECK: loop.welford %{{.+}}, %{{.+}}, %{{.+}} over [1] : f32 -> f64
    %wm, %ws, %wn = loop.welford %v, %zero, %one over [1] : f32 -> f64
    loop.store %m, 0 [d0] : f32
    loop.store %s, 1 [d0] : f32
  }
  return %y#0, %y#1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @scatter
func.func @scatter(%x: tensor<128x16xf32>, %i: tensor<8xi64>, %s: tensor<8x16xf32>) -> (tensor<128x16xf32>, tensor<128x16xf32>) {
  %y:2 = loop.kernel "scatter" [8, 16] (%t = %x, %b = %i, %c = %s) : (tensor<128x16xf32>, tensor<8xi64>, tensor<8x16xf32>) -> (tensor<128x16xf32>, tensor<128x16xf32>) {
    %p = loop.load %b[d0] : tensor<8xi64> -> i64
    %v = loop.load %c[d0, d1] : tensor<8x16xf32> -> f32
    // CHECK: loop.scatter sum %{{.+}} into %{{.+}}[t0, d1](%{{.+}}) bounds wrap_check as 0 over [0] : f32, tensor<128x16xf32>
    loop.scatter sum %v into %t[t0, d1](%p) bounds wrap_check as 0 over [0] : f32, tensor<128x16xf32>
    // CHECK: loop.scatter %{{.+}} into %{{.+}}[d0, d1] as 1 over [0] : f32, tensor<128x16xf32>
    loop.scatter %v into %t[d0, d1] as 1 over [0] : f32, tensor<128x16xf32>
  }
  return %y#0, %y#1 : tensor<128x16xf32>, tensor<128x16xf32>
}

// CHECK-LABEL: @scan
func.func @scan(%x: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xi64>) {
  %y:3 = loop.kernel "scan" [4, 6] (%a = %x) : (tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xi64>) {
    %v = loop.load %a[d0, d1] : tensor<4x6xf32> -> f32
    %p = loop.index <d1>
    // CHECK: loop.scan logaddexp %{{.+}} over [1] : f32
    %c = loop.scan logaddexp %v over [1] : f32
    // CHECK: loop.arg_scan max %{{.+}} at %{{.+}} over [1] : f32
    %m, %w = loop.arg_scan max %v at %p over [1] : f32
    loop.store %c, 0 [d0, d1] : f32
    loop.store %m, 1 [d0, d1] : f32
    loop.store %w, 2 [d0, d1] : i64
  }
  return %y#0, %y#1, %y#2 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xi64>
}

// CHECK-LABEL: @sort
func.func @sort(%x: tensor<4x8xf32>) {
  // CHECK: loop.sort "runtime" %{{.*}} dim 1 descending : (tensor<4x8xf32>) -> (tensor<4x3xf32>, tensor<4x3xi64>)
  %v, %i = loop.sort "runtime" %x dim 1 descending : (tensor<4x8xf32>) -> (tensor<4x3xf32>, tensor<4x3xi64>)
  return
}
