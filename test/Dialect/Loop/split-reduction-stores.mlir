// What a kernel stores of the elements that it reduces, chunks of one length store; where no length divides the row, a kernel of
// its own does.
// RUN: coil-opt %s --loop-split-reduction --remarks-filter=loop-split-reduction --remark-policy=all 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"cuda" = #target.device<"cuda:sm_90a">>} {

// CHECK-LABEL: func.func @rows
// CHECK: %[[C:.*]]:2 = loop.kernel "relu+max_chunks" [2, 2048, 512]
// CHECK:   %[[V:.*]] = loop.load %{{.*}}[d0, d1 + d2 * 2048]
// CHECK:   %[[R:.*]] = arith.maximumf %[[V]]
// CHECK:   loop.store %[[R]], 1[d0, d1 + d2 * 2048]
// CHECK:   %[[M:.*]] = loop.reduce max %[[R]] over [1]
// CHECK:   loop.store %[[M]], 0[d0, d2]
// CHECK: %[[Z:.*]] = loop.kernel "relu+max" [2, 512] (%{{.*}} = %[[C]]#0)
// CHECK: return %[[C]]#1, %[[Z]]
func.func @rows(%x: tensor<2x1048576xf32>) -> (tensor<2x1048576xf32>, tensor<2xf32>) {
  %y:2 = loop.kernel "relu+max" [2, 1048576] (%a = %x) : (tensor<2x1048576xf32>) -> (tensor<2x1048576xf32>, tensor<2xf32>) {
    %zero = arith.constant 0.0 : f32
    %v = loop.load %a[d0, d1] : tensor<2x1048576xf32> -> f32
    %r = arith.maximumf %v, %zero : f32
    loop.store %r, 0[d0, d1] : f32
    %m = loop.reduce max %r over [1] : f32
    loop.store %m, 1[d0] : f32
  }
  return %y#0, %y#1 : tensor<2x1048576xf32>, tensor<2xf32>
}

// 1,048,573 is a prime. What is stored is read, not computed again.
// CHECK-LABEL: func.func @prime
// CHECK: %[[R:.*]] = loop.kernel "relu+max" [2, 1048573]
// CHECK-NOT: loop.reduce
// CHECK:   loop.store %{{.*}}, 0[d0, d1]
// CHECK: loop.kernel "relu+max_chunks" [2, 2048, 512] (%{{.*}} = %[[R]])
// CHECK-NOT: arith.maximumf
// CHECK-NOT: loop.store %{{.*}}[d0, d1
// CHECK: %[[Z:.*]] = loop.kernel "relu+max" [2, 512]
// CHECK: return %[[R]], %[[Z]]
func.func @prime(%x: tensor<2x1048573xf32>) -> (tensor<2x1048573xf32>, tensor<2xf32>) {
  %y:2 = loop.kernel "relu+max" [2, 1048573] (%a = %x) : (tensor<2x1048573xf32>) -> (tensor<2x1048573xf32>, tensor<2xf32>) {
    %zero = arith.constant 0.0 : f32
    %v = loop.load %a[d0, d1] : tensor<2x1048573xf32> -> f32
    %r = arith.maximumf %v, %zero : f32
    loop.store %r, 0[d0, d1] : f32
    %m = loop.reduce max %r over [1] : f32
    loop.store %m, 1[d0] : f32
  }
  return %y#0, %y#1 : tensor<2x1048573xf32>, tensor<2xf32>
}

// 31803 is 3 times a prime: chunks of three elements next to each other would move eleven times as much. Whole rows of memory are
// chunks, too.
// CHECK-LABEL: func.func @permuted
// CHECK: loop.kernel "relu+max_chunks" [31803, 1, 768]
// CHECK:   loop.load %{{.*}}[d1 + d2, d0]
func.func @permuted(%x: tensor<768x31803xf32>) -> (tensor<768x31803xf32>, tensor<f32>) {
  %y:2 = loop.kernel "relu+max" [31803, 768] (%a = %x) : (tensor<768x31803xf32>) -> (tensor<768x31803xf32>, tensor<f32>) {
    %zero = arith.constant 0.0 : f32
    %v = loop.load %a[d1, d0] : tensor<768x31803xf32> -> f32
    %r = arith.maximumf %v, %zero : f32
    loop.store %r, 0[d1, d0] : f32
    %m = loop.reduce max %r over [0, 1] : f32
    loop.store %m, 1[] : f32
  }
  return %y#0, %y#1 : tensor<768x31803xf32>, tensor<f32>
}

// Twice the bytes of its operand, and no function: computed again.
// CHECK-LABEL: func.func @wider
// CHECK: loop.kernel "neg+max" [2, 1048573] (%{{.*}} = %arg0)
// CHECK: loop.kernel "neg+max_chunks" [2, 2048, 512] (%{{.*}} = %arg0)
// CHECK: arith.negf
func.func @wider(%x: tensor<2x1048573xf16>) -> (tensor<2x1048573xf32>, tensor<2xf32>) {
  %y:2 = loop.kernel "neg+max" [2, 1048573] (%a = %x) : (tensor<2x1048573xf16>) -> (tensor<2x1048573xf32>, tensor<2xf32>) {
    %v = loop.load %a[d0, d1] : tensor<2x1048573xf16> -> f16
    %f = arith.extf %v : f16 to f32
    %r = arith.negf %f : f32
    loop.store %r, 0[d0, d1] : f32
    %m = loop.reduce max %r over [1] : f32
    loop.store %m, 1[d0] : f32
  }
  return %y#0, %y#1 : tensor<2x1048573xf32>, tensor<2xf32>
}

// (C1) What is stored needs the reduction.
// REMARK: not split: 'shift': values along the reduced dimensions need a reduction
// CHECK-LABEL: func.func @needs_reduction
// CHECK: loop.kernel "shift" [2, 1048576]
func.func @needs_reduction(%x: tensor<2x1048576xf32>) -> tensor<2x1048576xf32> {
  %y = loop.kernel "shift" [2, 1048576] (%a = %x) : (tensor<2x1048576xf32>) -> tensor<2x1048576xf32> {
    %v = loop.load %a[d0, d1] : tensor<2x1048576xf32> -> f32
    %m = loop.reduce max %v over [1] : f32
    %d = arith.subf %v, %m : f32
    loop.store %d, 0[d0, d1] : f32
  }
  return %y : tensor<2x1048576xf32>
}

// CHECK-LABEL: func.func @columns
// CHECK: loop.kernel "neg+sum_chunks" [160, 70, 128]
// CHECK:   loop.store %{{.*}}, 1[d0 * 128 + d2, d1]
func.func @columns(%x: tensor<20480x70xf32>) -> (tensor<20480x70xf32>, tensor<70xf32>) {
  %y:2 = loop.kernel "neg+sum" [70, 20480] (%a = %x) : (tensor<20480x70xf32>) -> (tensor<20480x70xf32>, tensor<70xf32>) {
    %v = loop.load %a[d1, d0] : tensor<20480x70xf32> -> f32
    %r = arith.negf %v : f32
    loop.store %r, 0[d1, d0] : f32
    %m = loop.reduce sum %r over [1] : f32
    loop.store %m, 1[d0] : f32
  }
  return %y#0, %y#1 : tensor<20480x70xf32>, tensor<70xf32>
}
}
