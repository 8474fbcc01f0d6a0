// Columns of two operands that have nothing in common are accumulated by the kernel of the rows, one after the other, and one
// kernel adds up the chunks of both.
// RUN: coil-opt %s --target-attach=target=cuda:sm_90a --loop-fuse-columns="rows=32 always" | FileCheck %s

// CHECK-LABEL: func.func @two_columns
// CHECK: %[[R:.*]]:3 = loop.kernel
// CHECK: loop.accumulate
// CHECK: loop.accumulate
// CHECK: %[[C:.*]]:2 = loop.kernel {{.*}}%[[R]]#{{.*}}%[[R]]#{{.*}} -> (tensor<512xf32>, tensor<512xf32>)
// CHECK-NOT: loop.kernel
// CHECK: return %[[R]]#{{[0-2]}}, %[[C]]#{{[01]}}, %[[C]]#{{[01]}}
func.func @two_columns(%x: tensor<8192x512xf32>, %g: tensor<8192x512xf32>) -> (tensor<8192xf32>, tensor<512xf32>, tensor<512xf32>) {
  %r = loop.kernel "rows" [8192, 512] (%a = %x, %b = %g) : (tensor<8192x512xf32>, tensor<8192x512xf32>) -> tensor<8192xf32> {
    %v = loop.load %a[d0, d1] : tensor<8192x512xf32> -> f32
    %w = loop.load %b[d0, d1] : tensor<8192x512xf32> -> f32
    %p = arith.mulf %v, %w : f32
    %s = loop.reduce sum %p over [1] : f32
    loop.store %s, 0[d0] : f32
  }
  %c = loop.kernel "first" [8192, 512] (%a = %x) : (tensor<8192x512xf32>) -> tensor<512xf32> {
    %v = loop.load %a[d0, d1] : tensor<8192x512xf32> -> f32
    %s = loop.reduce sum %v over [0] : f32
    loop.store %s, 0[d1] : f32
  }
  %d = loop.kernel "second" [8192, 512] (%a = %g) : (tensor<8192x512xf32>) -> tensor<512xf32> {
    %v = loop.load %a[d0, d1] : tensor<8192x512xf32> -> f32
    %s = loop.reduce sum %v over [0] : f32
    loop.store %s, 0[d1] : f32
  }
  return %r, %c, %d : tensor<8192xf32>, tensor<512xf32>, tensor<512xf32>
}
