// RUN: coil-opt %s --loop-fuse | FileCheck %s

// The sine is a result of the function, so it is in memory: the sum of columns reads
// it there, and computes no second one from the operand.
// CHECK-LABEL: func @reads_what_is_stored
// CHECK: %[[ROWS:.*]]:2 = loop.kernel
// CHECK: math.sin
// CHECK: loop.reduce sum %{{.*}} over [1]
// CHECK: loop.kernel {{.*}} (%{{.*}} = %[[ROWS]]#{{[01]}})
// CHECK-NOT: math.sin
// CHECK: loop.reduce sum %{{.*}} over [0]
// CHECK-NOT: math.sin
func.func @reads_what_is_stored(%x: tensor<512x256xbf16>) -> (tensor<512x256xbf16>, tensor<512xf32>, tensor<256xf32>) {
  %s = loop.kernel "sin" [512, 256] (%a = %x) : (tensor<512x256xbf16>) -> tensor<512x256xbf16> {
    %h = loop.load %a[d0, d1] : tensor<512x256xbf16> -> bf16
    %v = arith.extf %h : bf16 to f32
    %0 = math.sin %v : f32
    %1 = arith.truncf %0 : f32 to bf16
    loop.store %1, 0[d0, d1] : bf16
  }
  %f = loop.kernel "convert" [512, 256] (%a = %s) : (tensor<512x256xbf16>) -> tensor<512x256xf32> {
    %h = loop.load %a[d0, d1] : tensor<512x256xbf16> -> bf16
    %v = arith.extf %h : bf16 to f32
    loop.store %v, 0[d0, d1] : f32
  }
  %r = loop.kernel "rows" [512, 256] (%a = %f) : (tensor<512x256xf32>) -> tensor<512xf32> {
    %v = loop.load %a[d0, d1] : tensor<512x256xf32> -> f32
    %t = loop.reduce sum %v over [1] : f32
    loop.store %t, 0[d0] : f32
  }
  %c = loop.kernel "columns" [512, 256] (%a = %f) : (tensor<512x256xf32>) -> tensor<256xf32> {
    %v = loop.load %a[d0, d1] : tensor<512x256xf32> -> f32
    %t = loop.reduce sum %v over [0] : f32
    loop.store %t, 0[d1] : f32
  }
  return %s, %r, %c : tensor<512x256xbf16>, tensor<512xf32>, tensor<256xf32>
}

// Each reader extends the bf16 itself: the f32 is never in memory, and the exponential,
// which is expensive, is there once.
// CHECK-LABEL: func @readers_convert
// CHECK: %[[EXP:.*]] = loop.kernel "exp" {{.*}} -> tensor<4x300000xbf16>
// CHECK: math.exp
// CHECK: loop.kernel {{.*}} = %[[EXP]]
// CHECK: loop.reduce max
// CHECK-NOT: math.exp
func.func @readers_convert(%x: tensor<4x300000xbf16>) -> (tensor<4xf32>, tensor<4x300000xf32>) {
  %s = loop.kernel "exp" [4, 300000] (%a = %x) : (tensor<4x300000xbf16>) -> tensor<4x300000xbf16> {
    %h = loop.load %a[d0, d1] : tensor<4x300000xbf16> -> bf16
    %v = arith.extf %h : bf16 to f32
    %0 = math.exp %v : f32
    %1 = arith.truncf %0 : f32 to bf16
    loop.store %1, 0[d0, d1] : bf16
  }
  %f = loop.kernel "convert" [4, 300000] (%a = %s) : (tensor<4x300000xbf16>) -> tensor<4x300000xf32> {
    %h = loop.load %a[d0, d1] : tensor<4x300000xbf16> -> bf16
    %v = arith.extf %h : bf16 to f32
    loop.store %v, 0[d0, d1] : f32
  }
  %r = loop.kernel "rows" [4, 300000] (%a = %f) : (tensor<4x300000xf32>) -> tensor<4xf32> {
    %v = loop.load %a[d0, d1] : tensor<4x300000xf32> -> f32
    %t = loop.reduce max %v over [1] : f32
    loop.store %t, 0[d0] : f32
  }
  %d = loop.kernel "sub" [4, 300000] (%a = %f, %b = %r) : (tensor<4x300000xf32>, tensor<4xf32>) -> tensor<4x300000xf32> {
    %v = loop.load %a[d0, d1] : tensor<4x300000xf32> -> f32
    %m = loop.load %b[d0] : tensor<4xf32> -> f32
    %0 = arith.subf %v, %m : f32
    loop.store %0, 0[d0, d1] : f32
  }
  return %r, %d : tensor<4xf32>, tensor<4x300000xf32>
}
